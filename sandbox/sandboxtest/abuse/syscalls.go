package abuse

import "fmt"

// syscalls are calls of the kernel that nothing in a sandbox needs, by the
// numbers of amd64; each prints its name when it succeeds. Where the machine is
// another one they are not played.
func syscalls() []Case {
	probe := func(name string, number int, args string) Case {
		input := fmt.Sprintf(`import ctypes, platform
libc = ctypes.CDLL(None, use_errno=True)
if platform.machine() == "x86_64" and libc.syscall(%d, %s) >= 0: print("%s")`, number, args, name)
		return Case{ID: "syscall-" + name, Tries: "the system call " + name, Tool: Interpreter, Input: input, Expect: fine, Check: silent}
	}
	return []Case{
		probe("io_uring_setup", 425, "8, ctypes.create_string_buffer(120)"),
		probe("bpf", 321, "0, ctypes.create_string_buffer(120), 120"),
		probe("userfaultfd", 323, "0"),
		probe("keyctl", 250, "0, -3, 1"),
		probe("add_key", 248, `b"user", b"k", b"x", 1, -3`),
		probe("perf_event_open", 298, "ctypes.create_string_buffer(128), 0, -1, -1, 0"),
		probe("unshare_user", 272, "0x10000000"),
		probe("setns", 308, "0, 0"),
		probe("kexec_load", 246, "0, 0, 0, 0"),
		probe("init_module", 175, `b"x", 1, b""`),
		probe("finit_module", 313, `0, b"", 0`),
		probe("open_by_handle_at", 304, "-100, ctypes.create_string_buffer(128), 0"),
		probe("pivot_root", 155, `b"/", b"/"`),
		probe("fsopen", 430, `b"tmpfs", 0`),
		probe("move_mount", 429, `-100, b"/tmp", -100, b"/mnt", 0`),
		probe("iopl", 172, "3"),
		probe("ioperm", 173, "0, 1, 1"),
		probe("settimeofday", 164, "ctypes.create_string_buffer(16), 0"),
		probe("acct", 163, `b"/tmp/x"`),
		probe("quotactl", 179, `0, b"/dev/vda", 0, 0`),
		probe("process_vm_readv", 310, "1, ctypes.create_string_buffer(16), 1, ctypes.create_string_buffer(16), 1, 0"),
		probe("ptrace_seize", 101, "0x4206, 1, 0, 0"),
		probe("pidfd_getfd", 438, "libc.syscall(434, 1, 0), 1, 0"),
		probe("kcmp", 312, "1, 1, 0, 0, 0"),
		probe("reboot", 169, "0xfee1dead, 672274793, 0, 0"),
		probe("syslog", 103, "3, ctypes.create_string_buffer(4096), 4096"),
		probe("lookup_dcookie", 212, "1, ctypes.create_string_buffer(99), 99"),
	}
}
