package scratch

import (
	"os"

	"golang.org/x/sys/unix"
)

// openUnnamed gives nil where the file system or the kernel cannot do it. With
// O_EXCL the file can never be given a name either.
func openUnnamed(dir string) *os.File {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_EXCL|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil
	}
	return os.NewFile(uintptr(fd), dir+" (unnamed)")
}
