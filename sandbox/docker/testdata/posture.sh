# Prints what a program in a sandbox finds around itself. What a machine, a kernel
# or a storage driver decides is left out, or named in <brackets>.

section() { printf '\n## %s\n' "$1"; }

status() { grep -E '^(Uid|Gid|Groups|NoNewPrivs|Seccomp|SigIgn|Cap[A-Za-z]*):' "/proc/$1/status" | tr '\t' ' ' | sed 's/ *$//'; }

section 'a program'
status self
echo "umask $(umask)"
echo "oom_score_adj $(cat /proc/self/oom_score_adj)"
grep -E '^Max (core file size|file size|open files)' /proc/self/limits | sed 's/  */ /g; s/ $//'

section 'the first process, seen by a program'
status 1
for f in environ mem maps fd/0 root cwd; do
	if head -c 1 "/proc/1/$f" >/dev/null 2>&1 || ls "/proc/1/$f/" >/dev/null 2>&1; then echo "$f CAN BE READ"; else echo "$f is closed"; fi
done

section 'host name and network'
hostname
for dev in /sys/class/net/*; do
	if [ $(($(cat "$dev/flags") & 1)) -eq 1 ]; then echo "${dev##*/} is up"; fi
done
echo "$(($(wc -l </proc/net/route) - 1)) routes"
if getent hosts example.org >/dev/null; then echo 'names ARE RESOLVED'; else echo 'names are not resolved'; fi

section 'mounts'
awk '{ print $2, $3, $4 }' /proc/self/mounts | sort | while read -r target type options; do
	case $target in
	/proc/?* | /sys/?*) continue ;;
	/ | /etc/hosts | /etc/hostname | /etc/resolv.conf) type='<storage>' keep='ro|rw' ;;
	*) keep='ro|rw|nosuid|nodev|noexec|(size|mode|uid|gid)=.*' ;;
	esac
	echo "$target $type $(echo "$options" | tr , '\n' | grep -xE "$keep" | paste -sd,)"
done
awk '$3 ~ "^cgroup" { print $4 }' /proc/self/mounts | while read -r options; do
	echo "$options" | tr , '\n' | grep -xE 'ro|rw|nosuid|nodev|noexec' | paste -sd,
done | sort -u | sed 's|^|/sys/fs/cgroup/<each> <version> |'

section 'control group'
value() { for f in "$@"; do if [ -r "/sys/fs/cgroup/$f" ]; then cat "/sys/fs/cgroup/$f" && return; fi; done; }
echo "memory $(value memory.max memory/memory.limit_in_bytes)"
if [ -e /sys/fs/cgroup/memory.max ]; then
	echo "swap $(value memory.swap.max)"
	echo "cpu $(value cpu.max)"
else
	echo "swap $(($(value memory/memory.memsw.limit_in_bytes) - $(value memory/memory.limit_in_bytes)))"
	echo "cpu $(value cpu/cpu.cfs_quota_us) $(value cpu/cpu.cfs_period_us)"
fi
echo "pids $(value pids.max pids/pids.max)"

section 'the kernel, hidden or absent'
for f in /proc/kcore /proc/keys /proc/timer_list /proc/sched_debug /proc/latency_stats /proc/acpi /proc/scsi /sys/firmware; do
	if [ -d "$f" ]; then found=$(ls -A "$f" 2>/dev/null); else found=$(head -c 1 "$f" 2>/dev/null | od -An -c); fi
	echo "$f${found:+ CAN BE READ}"
done

section 'the kernel, not writable'
for f in /proc/sys/kernel/core_pattern /proc/sys/vm/drop_caches /proc/sysrq-trigger /proc/bus /proc/fs /proc/irq /sys/kernel; do
	if [ -w "$f" ]; then echo "$f CAN BE WRITTEN"; else echo "$f"; fi
done
find /sys/fs/cgroup -type f -writable 2>/dev/null | sed 's/$/ CAN BE WRITTEN/'

section 'devices'
find /dev -type b -o -type c | sort

section 'sockets in the file system'
find / \( -path /proc -o -path /sys \) -prune -o -type s -print 2>/dev/null

section 'writable, the topmost places'
find / \( -path /proc -o -path /sys \) -prune -o ! -type l -writable -print -prune 2>/dev/null | sort

section 'set-user-id and set-group-id programs that gain by it'
# The loader shows what the kernel told it, but never to a program that gained.
find / -xdev -type f -perm /6000 2>/dev/null | sort | while read -r program; do
	told=$(LD_SHOW_AUXV=1 timeout -s KILL 2 "$program" --version </dev/null 2>/dev/null | awk '/^AT_SECURE/ { print $2; exit }')
	if [ "$told" != 0 ]; then echo "$program"; fi
done 2>/dev/null # a shell tells of what was killed
