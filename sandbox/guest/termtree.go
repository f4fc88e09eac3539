package guest

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// endTree ends everything of a session: what descends from its first process, is
// in its session, or bears its mark. It runs in the worker, as the tool user.
func endTree(leader int, mark string) {
	deadline := time.Now().Add(killLimit)
	for time.Now().Before(deadline) {
		pids := treeOf(leader, mark)
		if len(pids) == 0 {
			return
		}
		killTogether(pids)
	}
}

func treeOf(leader int, mark string) []int {
	all := processes()
	var out []int
	for pid, p := range all {
		if p.dead() || pid == os.Getpid() {
			continue
		}
		if sid, err := unix.Getsid(pid); pid == leader || err == nil && sid == leader || descends(all, pid, leader) || markOf(pid) == mark {
			out = append(out, pid)
		}
	}
	return out
}

func markOf(pid int) string {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return ""
	}
	return markIn(raw)
}

// killTogether stops processes before it kills them, so that none can fork away.
func killTogether(pids []int) {
	signalAll(pids, syscall.SIGSTOP)
	signalAll(pids, syscall.SIGKILL)
	time.Sleep(2 * time.Millisecond)
}
