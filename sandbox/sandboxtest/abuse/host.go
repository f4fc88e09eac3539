package abuse

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// host is what this process uses.
type host struct {
	goroutines  int
	descriptors int
	rss         int64 // bytes resident now
}

func lookAtHost() host {
	return host{goroutines: runtime.NumGoroutine(), descriptors: countDescriptors(), rss: statusBytes("VmRSS:")}
}

func countDescriptors() int {
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(names) - 1 // the one that reads the directory
}

// statusBytes reads a size of this process, 0 where the system has none.
func statusBytes(key string) int64 {
	raw, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(raw)) {
		if value, ok := strings.CutPrefix(line, key); ok {
			kib, _ := strconv.ParseInt(strings.Fields(value)[0], 10, 64)
			return kib << 10
		}
	}
	return 0
}

// resetPeak makes peak start over.
func resetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// peak is the most that was resident since resetPeak, in bytes.
func peak() int64 { return statusBytes("VmHWM:") }

// What a process may have more than at its start while sandboxes are open. Kept
// connections to a guest account for it.
const (
	goroutinesPerSandbox  = 24
	descriptorsPerSandbox = 6
	growth                = int64(128 << 20)
)

// exceeds says in what a process has grown since base more than so many open
// sandboxes explain.
func (h host) exceeds(base host, sandboxes int) []string {
	var over []string
	if most := base.goroutines + sandboxes*goroutinesPerSandbox + 4; h.goroutines > most {
		over = append(over, fmt.Sprintf("%d goroutines, expected at most %d", h.goroutines, most))
	}
	if most := base.descriptors + sandboxes*descriptorsPerSandbox + 4; h.descriptors > most {
		over = append(over, fmt.Sprintf("%d descriptors on the host, expected at most %d", h.descriptors, most))
	}
	return over
}
