package guest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// reply hands the terminal's answer to a question on, but only to a program that
// can have asked. Others print what has a question in it, such as a file, and the
// answer would be typed at the next prompt.
func (t *termSession) reply(p []byte) {
	if !t.asks() {
		return
	}
	_ = t.master.SetWriteDeadline(time.Now().Add(50 * time.Millisecond))
	_, _ = t.master.Write(p)
	_ = t.master.SetWriteDeadline(time.Time{})
}

// asks says whether the program in the foreground reads keys by itself and is no
// shell, which does so at its prompt and asks nothing.
func (t *termSession) asks() bool {
	conn, err := t.master.SyscallConn()
	if err != nil {
		return false
	}
	raw, group := false, 0
	_ = conn.Control(func(fd uintptr) {
		tio, err := unix.IoctlGetTermios(int(fd), unix.TCGETS)
		raw = err == nil && tio.Lflag&unix.ICANON == 0
		group, _ = unix.IoctlGetInt(int(fd), unix.TIOCGPGRP)
	})
	if !raw || group <= 0 {
		return false
	}
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", group))
	return err == nil && !slices.Contains(shells, strings.TrimSpace(string(name)))
}

var shells = []string{"bash", "sh", "dash", "ash", "zsh", "ksh", "mksh", "busybox"}
