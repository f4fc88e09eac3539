package guest

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"drydock/sandbox/wire"
)

// toolNice is the priority of all that runs as the tool user, below the
// supervisor's. It matters only inside the container.
const toolNice = 5

// Launch becomes the program in argv. Before that it makes itself the kernel's
// first choice when memory runs out, so that the supervisor is never it.
// Raising the score needs no privilege and is inherited.
func Launch(argv []string) error {
	if len(argv) == 0 {
		return errors.New("launch: no program given")
	}
	// The supervisor ignores these, and ignoring is inherited. Catching them
	// here makes them ordinary again in the program.
	signal.Notify(make(chan os.Signal, 1), deaf...)
	// However many processes compete, the supervisor comes first.
	runtime.LockOSThread()
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, toolNice)
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	syscall.Umask(0o022)
	if err := forbidCalls(forbidden(os.Getuid())); err != nil { // of this thread, which becomes the program
		return err
	}
	path := argv[0]
	if path == wire.GuestPath {
		path = selfPath
	}
	err := syscall.Exec(path, argv, os.Environ())
	return fmt.Errorf("run %s: %w", argv[0], err)
}
