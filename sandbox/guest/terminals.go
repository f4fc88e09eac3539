package guest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"drydock/sandbox/wire"
)

// terminals is the supervisor's side of the terminals. A worker process owns
// them, so that what a program prints can at most harm that process; it is
// started when it is first needed.
type terminals struct {
	worker
	starts atomic.Int64 // sessions asked for
	births int64        // worker processes started
}

func newTerminals(g *Guest) *terminals {
	t := &terminals{}
	t.g, t.name, t.mode = g, "terminal worker", t.nextMode
	t.env = []string{"GOGC=50", markName + "=" + terminalMark + "worker"}
	return t
}

// ServeHTTP counts the sessions, whose names must not come twice, and passes the
// request on.
func (t *terminals) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if r.URL.Path == wire.PathTerminalStart {
		t.starts.Add(1)
	}
	t.mu.Lock()
	t.asked = -1 // a session's absence must be told from the worker's, so it has to answer
	t.mu.Unlock()
	done := make(chan struct{})
	defer close(done)
	go t.keepAnswering(done)
	t.worker.ServeHTTP(rw, r)
}

// How the worker is watched while it has a request to answer.
const (
	lookAfterWorker = 2 * time.Second
	workerPatience  = 12 * time.Second // for a sign of life; less than the host's own
)

// keepAnswering sees to it that a request comes to an end although model code can
// stop the worker at any time: it is woken, and ended where that does not help.
func (t *terminals) keepAnswering(done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case <-time.After(lookAfterWorker):
		}
		t.mu.Lock()
		proc, session := t.proc, t.session
		t.mu.Unlock()
		if proc == nil {
			continue
		}
		_ = syscall.Kill(proc.pid, syscall.SIGCONT)
		alive := make(chan struct{})
		go func() {
			_, _ = session.Ping()
			close(alive)
		}()
		select {
		case <-done:
			return
		case <-alive:
		case <-time.After(workerPatience):
			_ = syscall.Kill(proc.pid, syscall.SIGKILL)
		}
	}
}

// terminalSetup is what a terminal worker is told, as JSON in its argument.
type terminalSetup struct {
	First      int64         `json:"first"` // number of the first session; those before are gone
	Mark       string        `json:"mark"`
	Shell      string        `json:"shell"`
	Dir        string        `json:"dir"`
	Logs       string        `json:"logs"` // directory for raw output, "" for none
	MaxLog     int64         `json:"max_log"`
	MaxTimeout wire.Duration `json:"max_timeout"`
}

// nextMode prepares a worker. What a dead one left behind is ended first.
func (t *terminals) nextMode() []string {
	first := int64(1)
	if t.births > 0 {
		t.killLeft()
		first = t.starts.Load() + t.births // no session that there was has that number or a later one
	}
	t.births++
	setup := terminalSetup{
		First: first, Mark: fmt.Sprintf("%s%d", terminalMark, t.births),
		Shell: t.g.found.Shell, Dir: t.g.setup.Workdir, MaxLog: t.g.setup.MaxLog, MaxTimeout: t.g.setup.MaxTimeout,
	}
	logs := fmt.Sprintf("%s/terminal-%d", wire.OutputDir, t.births)
	if os.Mkdir(logs, 0o777) == nil { // the worker makes files there, and nothing secret is in it
		setup.Logs = logs
	}
	raw, _ := json.Marshal(setup)
	return []string{"terminals", string(raw)}
}

// terminalMark begins the mark of everything that runs on a terminal. The marks of
// calls are numbers.
const terminalMark = "terminal-"

// keep adds what runs on terminals.
func (t *terminals) keep(keep map[int]bool) {
	worker := t.live()
	if worker == 0 {
		return
	}
	all := t.g.processes()
	var pids []int
	for pid, p := range all {
		if !keep[pid] && !p.dead() {
			pids = append(pids, pid)
		}
	}
	marks := t.g.user.marks(pids)
	for _, pid := range pids {
		if strings.HasPrefix(marks[pid], terminalMark) || descends(all, pid, worker) {
			keep[pid] = true
		}
	}
}

// descends says whether a process has another one among its ancestors.
func descends(all map[int]proc, pid, ancestor int) bool {
	for range len(all) {
		p, ok := all[pid]
		if !ok {
			return false
		}
		if pid = p.ppid; pid == ancestor {
			return true
		}
	}
	return false
}

// killLeft ends what ran on the terminals of a worker that is dead.
func (t *terminals) killLeft() {
	deadline := time.Now().Add(killLimit)
	for time.Now().Before(deadline) {
		var left []int
		for pid, p := range t.g.processes() {
			if !p.dead() {
				left = append(left, pid)
			}
		}
		marks := t.g.user.marks(left)
		left = left[:0]
		for pid, mark := range marks {
			if strings.HasPrefix(mark, terminalMark) {
				left = append(left, pid)
			}
		}
		if len(left) == 0 {
			return
		}
		killTogether(left)
	}
}
