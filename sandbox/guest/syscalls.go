package guest

import (
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// uncalled are system calls that nothing in a sandbox needs and that older
// engines do not forbid: io_uring_setup, io_uring_enter and io_uring_register.
// Calls as young as these have the same number on every architecture.
var uncalled = []uint32{425, 426, 427}

// forging are the calls by which root can send the supervisor, which is root as
// well, a signal that looks like a fault of its own: rt_sigqueueinfo,
// rt_tgsigqueueinfo and pidfd_send_signal. The last two of amd64 are the numbers
// for 32-bit programs, which nothing else uses.
var forging = map[string][]uint32{
	"amd64": {129, 297, 424, 178, 335},
	"arm64": {138, 240, 424},
}

// forbidden are the calls that programs of a user do not get.
func forbidden(uid int) []uint32 {
	if uid != 0 {
		return uncalled
	}
	return append(slices.Clone(uncalled), forging[runtime.GOARCH]...)
}

// forbidCalls makes the kernel answer that it does not know the calls, to this
// process and all that it starts. It needs no privilege, because the container
// cannot gain any.
func forbidCalls(numbers []uint32) error {
	const (
		load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS // at 0 is the number
		mask   = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K
		equal  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		answer = unix.BPF_RET | unix.BPF_K
		x32    = 0x40000000 // marks the numbers of another calling convention
	)
	program := []unix.SockFilter{{Code: load}, {Code: mask, K: ^uint32(x32)}}
	for i, number := range numbers {
		program = append(program, unix.SockFilter{Code: equal, K: number, Jt: uint8(len(numbers) - i)})
	}
	program = append(program,
		unix.SockFilter{Code: answer, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: answer, K: unix.SECCOMP_RET_ERRNO | uint32(syscall.ENOSYS)})
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&filter)), 0, 0)
	if err != nil {
		return fmt.Errorf("forbid system calls: %w", err)
	}
	return nil
}
