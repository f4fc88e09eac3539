package abuse

import (
	"fmt"
	"strings"
	"time"

	"drydock/sandbox"
)

// level is the setting of an isolation level.
func level(l sandbox.Level) Setting {
	return Setting{string(l), func(p *sandbox.Policy) { p.Level = l }}
}

// Levels are the isolation levels, with what each promises.
var levels = []sandbox.Level{sandbox.LevelStrict, sandbox.LevelStandard, sandbox.LevelRoot}

// at makes cases of one level.
func at(l sandbox.Level, cases []Case) []Case {
	for i := range cases {
		cases[i].In = level(l)
		cases[i].ID += "@" + string(l)
	}
	return cases
}

// repeated leaves cases to the slow part that the standard level has as well.
func repeated(l sandbox.Level, cases []Case) []Case {
	for i := range cases {
		cases[i].Slow = cases[i].Slow || l != sandbox.LevelStandard
	}
	return cases
}

// isolationCases try to gain what a sandbox of their level does not have.
func isolationCases() []Case {
	var list []Case
	for _, l := range levels {
		list = append(list, repeated(l, at(l, append(everywhere(), syscalls()...)))...)
		list = append(list, at(l, []Case{posture(l)})...)
		if l != sandbox.LevelRoot {
			list = append(list, repeated(l, at(l, unprivileged()))...)
		}
	}
	list = append(list, at(sandbox.LevelStrict, strictOnly())...)
	return append(list, at(sandbox.LevelRoot, rootOnly())...)
}

// cgroups finds the sandbox's limits, whichever version of control groups there is.
const cgroups = "CG=/sys/fs/cgroup; PG=$CG; [ -d $CG/memory ] && CG=/sys/fs/cgroup/memory PG=/sys/fs/cgroup/pids; "

// attempts are commands of which each has to fail.
func attempts(prefix string, commands ...string) []Case {
	like := Case{Expect: denied}
	list := numbered(prefix, like, commands)
	for i := range list {
		list[i].Input = "( " + cgroups + list[i].Input + " ) 2>&1"
	}
	return list
}

// everywhere has to fail whoever tries it.
func everywhere() []Case {
	return attempts("gain",
		"unshare -Ur id", "unshare -m true", "unshare -n true", "unshare -p -f true", "mount -t tmpfs x /mnt", "mount -t proc x /mnt", "mount --bind / /mnt", "mount -o remount,rw /sys",
		"umount /proc", "umount -l /.drydock/run", "pivot_root / /", "chroot / true", "mknod /tmp/dev c 1 3", "mknod /tmp/disk b 8 0", "nsenter -t 1 -m true", "hostname other", "date -s 2001-01-01",
		"echo b >/proc/sysrq-trigger", "echo 0 >/proc/sys/kernel/randomize_va_space", "echo x >/proc/sys/kernel/core_pattern", "echo '|/tmp/x' >/proc/sys/kernel/modprobe", "sysctl -w kernel.hostname=x",
		"cd $CG && mkdir x", "echo 1 >$CG/release_agent", "echo 1 >$CG/notify_on_release", "echo max >$PG/pids.max", "echo $$ >$CG/cgroup.procs", "echo 0 >$CG/memory.oom_control", "mount -t cgroup -o memory x /mnt",
		"echo -1 >$CG/memory.limit_in_bytes", "echo max >$CG/memory.max", "echo -1 >/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "renice -n -5 $$", "echo -500 >/proc/self/oom_score_adj", "dmesg", "insmod /tmp/x.ko || modprobe loop", "swapon /dev/sda",
		"losetup -f", "head -c 1 /dev/mem || head -c 1 /dev/kmem || head -c 1 /proc/kcore | grep -a .", "ls /dev/sd* /dev/vd* /dev/nvme* || cat /dev/vda", "debugfs /dev/vda || dd if=/dev/vda count=1", "reboot -f || shutdown now || halt -f", "ip link add x type dummy || ip addr add 1.2.3.4 dev lo",
		"setcap cap_sys_admin+ep /bin/true || setpriv --inh-caps +sys_admin --ambient-caps +sys_admin true", "cat /proc/1/root/etc/shadow && false", "fsfreeze -f /", "quotaon -a", "chattr +i /tmp",
		"cat /sys/kernel/security/apparmor/profiles || ls /sys/firmware/*", "cat /proc/keys /proc/timer_list /proc/sched_debug | grep .", "echo 1 >/proc/self/loginuid && false",
	)
}

// unprivileged has to fail for all but root.
func unprivileged() []Case {
	list := attempts("root",
		"su -c id root </dev/null", "sudo -n id", "python3 -c 'import os; os.setuid(0)'", "python3 -c 'import os; os.setgid(0)'", "python3 -c 'import os; os.setgroups([0])'", "cat /etc/shadow", "touch /usr/bin/x", "echo x >>/etc/passwd", "echo x >/etc/ld.so.preload",
		"cp /bin/bash /tmp/b && chown root /tmp/b", "touch /x", "mkdir /root/x", "ls /root", "touch /var/x /opt/x /usr/local/bin/x /etc/cron.d/x", "chmod 666 /etc/passwd", "kill -9 1", "kill -0 1", "newgrp root </dev/null", "crontab -l", "rm -f /etc/hosts", "mv /etc /gone", "hostname -F /etc/passwd")
	return append(list,
		Case{ID: "root-setuid-programs", Tries: "to become root by root's own programs", Input: `for p in $(find /bin/ /sbin/ /usr/bin /usr/sbin /usr/lib/openssh /usr/lib/dbus-1.0 -perm -4000 -type f 2>/dev/null); do $p --version </dev/null >/dev/null 2>&1; done; id -u`, Expect: fine, Check: prints("1000\n")},
		Case{ID: "root-setuid-own", Tries: "to become another by a program of its own", Input: `cp /usr/bin/id /tmp/id; chmod 6755 /tmp/id; /tmp/id -u; /tmp/id -ru`, Expect: fine, Check: prints("1000\n1000\n")},
		Case{ID: "root-writable", Tries: "to find what it may write to", Input: `find / -xdev \( -type f -o -type d \) -writable ! -path '/proc/*' ! -path '/sys/*' ! -path '/workspace*' ! -path '/home/agent*' ! -path '/tmp*' ! -path '/var/tmp' ! -path '/run/lock' ! -path /.drydock/output/.exit-dir 2>/dev/null`, Limit: time.Minute, Expect: ended, Check: silent},
	)
}

// strictOnly has to fail where the root file system is closed.
func strictOnly() []Case {
	const places = `[ -e "$d" ] && (: >"$d/x") 2>/dev/null && echo "$d"`
	return []Case{
		{ID: "strict-writable", Tries: "to write outside of the workspace, the home and /tmp", Input: "for d in $(find / -xdev -type d 2>/dev/null) /var/tmp /run /run/lock /var/lib /usr/local /opt /.drydock /.drydock/run /.drydock/output; do case $d in /workspace | /home/agent | /tmp) continue ;; esac; " + places + "; done; true", Limit: time.Minute, Expect: fine, Check: silent},
		{ID: "strict-inside", Tries: "to write where it may", Input: "for d in /workspace /home/agent /tmp /dev/shm; do " + places + "; rm -f $d/x; done", Expect: ended, Check: prints("/workspace\n/home/agent\n/tmp\n/dev/shm\n")},
		{ID: "strict-sizes", Tries: "to find a memory file system without a size", Input: `total=$(awk '/MemTotal/ {print $2}' /proc/meminfo); df -k --output=fstype,size,target -t tmpfs | while read t s m; do [ "$t" = tmpfs ] && [ "$s" -gt 300000 ] && case $m in /proc/*|/sys/*|/dev) ;; *) echo $m $s;; esac; done; true`, Expect: fine, Check: silent},
		{ID: "strict-remount", Tries: "to make the root file system writable", Input: "mount -o remount,rw / 2>&1; touch /usr/x", Expect: denied},
		{ID: "strict-devices", Tries: "a device or set-user-id program where it may write", Input: `grep -E ' (/workspace|/tmp|/home/agent|/.drydock/run) ' /proc/mounts | grep -vE 'nosuid.*nodev'`, Expect: denied},
	}
}

// posture is what the kernel says of every program's rights.
func posture(l sandbox.Level) Case {
	user, caps := "1000", "0000000000000000"
	if l == sandbox.LevelRoot {
		user, caps = "0", "00000000000000db" // CHOWN DAC_OVERRIDE FOWNER FSETID SETGID SETUID
	}
	lines := []string{user, user, user}
	for _, set := range []string{"CapInh: 0000000000000000", "CapPrm: " + caps, "CapEff: " + caps, "CapBnd: " + caps, "CapAmb: 0000000000000000", "NoNewPrivs: 1", "Seccomp: 2", "SigIgn: 0000000000000000"} {
		lines = append(lines, strings.Fields(set)...)
	}
	want := strings.Join(lines, " ") + "\n"
	return Case{
		ID: "posture", Tries: "to find more rights than the level has", Input: "echo $(id -u; id -g; id -G; grep -E '^Cap(Inh|Prm|Eff|Bnd|Amb)' /proc/self/status; grep -E '^(NoNewPrivs|Seccomp):' /proc/self/status; grep SigIgn /proc/self/status)",
		Expect: fine, Not: noRunsc("its kernel does not show seccomp"), Check: func(o Outcome) error {
			if o.Text() != want {
				return fmt.Errorf("%q, want %q", o.Text(), want)
			}
			return nil
		},
	}
}
