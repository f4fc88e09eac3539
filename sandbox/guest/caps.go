package guest

import (
	"fmt"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// capabilities by the names that the engine's interface uses.
var capabilities = map[string]uintptr{
	"CHOWN": unix.CAP_CHOWN, "DAC_OVERRIDE": unix.CAP_DAC_OVERRIDE, "FOWNER": unix.CAP_FOWNER,
	"FSETID": unix.CAP_FSETID, "SETGID": unix.CAP_SETGID, "SETUID": unix.CAP_SETUID,
}

// boundChildren takes from every later child what is not to be kept: the
// supervisor keeps its capabilities, and no program it starts can have more than
// the bounding set, root or not.
func boundChildren(keep []string) error {
	var kept []uintptr
	for _, name := range keep {
		number, ok := capabilities[name]
		if !ok {
			return fmt.Errorf("unknown capability %q", name)
		}
		kept = append(kept, number)
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if slices.Contains(kept, c) {
			continue
		}
		// Of all threads, because any of them may fork.
		_, _, errno := syscall.AllThreadsSyscall6(syscall.SYS_PRCTL, unix.PR_CAPBSET_DROP, c, 0, 0, 0, 0)
		if errno != 0 && errno != syscall.EINVAL { // the kernel knows no such capability
			return fmt.Errorf("drop capability %d: %w", c, errno)
		}
	}
	return nil
}
