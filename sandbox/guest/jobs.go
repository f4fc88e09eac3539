package guest

import (
	"bytes"
	"fmt"
	"os"
	"sort"
	"syscall"

	"drydock/sandbox/wire"
)

// own is the set of processes that belong to the sandbox itself and are never
// part of a call.
func (g *Guest) own() map[int]bool {
	keep := map[int]bool{}
	for _, pid := range []int{g.shell.live(), g.python.live(), g.worker.live(), g.terms.live()} {
		if pid != 0 {
			keep[pid] = true
		}
	}
	return keep
}

// kept is what belongs to the sandbox itself or to a terminal.
func (g *Guest) kept() map[int]bool {
	keep := g.own()
	g.terms.keep(keep)
	return keep
}

// background lists the tool user's processes that no tool is waiting for.
func (g *Guest) background() []proc { return g.others(g.kept()) }

// others lists the tool user's processes but those to keep.
func (g *Guest) others(keep map[int]bool) []proc {
	var out []proc
	for pid, p := range g.processes() {
		if !p.dead() && !keep[pid] {
			out = append(out, p)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].pid < out[j].pid })
	return out
}

// jobs describes the background processes for a result.
func (g *Guest) jobs() []wire.Job {
	var out []wire.Job
	all := g.background()
	g.earlier.set(all)
	for _, p := range all {
		if len(out) == wire.MaxJobs {
			break
		}
		out = append(out, wire.Job{PID: p.pid, Command: tell(commandLine(p), wire.MaxJobCommand)})
	}
	return out
}

func commandLine(p proc) string {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid))
	if err != nil || len(raw) == 0 {
		return p.name
	}
	if bytes.Contains(raw, []byte(wire.RunDir)) {
		return p.name // a fork of the shell, which has become no program yet
	}
	return string(bytes.ReplaceAll(bytes.TrimRight(raw, "\x00"), []byte{0}, []byte{' '}))
}

// killBackground ends every background process.
func (g *Guest) killBackground() { g.killAllBut(g.kept) }

// quiesce ends every process of the tool user but the file worker.
func (g *Guest) quiesce(struct{}) (struct{}, error) {
	g.killAllBut(func() map[int]bool { return map[int]bool{g.worker.live(): true} })
	return struct{}{}, nil
}

// killAllBut stops processes before it kills them, so that none can fork away.
func (g *Guest) killAllBut(keep func() map[int]bool) {
	for range 20 {
		jobs := g.others(keep())
		if len(jobs) == 0 {
			return
		}
		var pids []int
		for _, p := range jobs {
			pids = append(pids, p.pid)
		}
		g.halt(pids)
		signalAll(pids, syscall.SIGKILL)
	}
}
