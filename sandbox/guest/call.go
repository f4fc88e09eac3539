package guest

import (
	"fmt"
	"strconv"
	"syscall"
	"time"

	"drydock/sandbox/wire"
)

// How a call that overstays is ended: asked first, so that programs can say
// what they were at and state survives, then killed.
const (
	askGrace     = 400 * time.Millisecond // from the interrupt to the kill
	killGrace    = 600 * time.Millisecond // from the kill to giving up on the owner
	nudgeEvery   = 50 * time.Millisecond  // how often the owner is asked again
	defaultLimit = 2 * time.Minute
)

// call is one tool call in the guest.
type call struct {
	g        *Guest
	scope    callScope
	out      *output
	began    time.Time
	timeout  time.Duration
	ooms     int64
	flooded  chan struct{} // closed when the output limit is passed
	overDisk chan struct{} // tells that the run has too much on disk
	forks    int64
	keep     map[int]bool // processes that belong to the sandbox itself
}

// owner is the long-lived process a call runs in.
type owner interface {
	interrupt()
	abandon()
	exited() <-chan syscall.WaitStatus
}

// ending says how the owner came out of a call.
type ending struct {
	code     int
	flags    string
	died     bool
	timeout  bool
	flooded  bool
	overDisk bool
	killed   int
}

func (g *Guest) newCall(ownerPID int, timeout time.Duration) *call {
	c := &call{g: g, flooded: make(chan struct{}), overDisk: make(chan struct{}, 1)}
	g.thinOut() // what an earlier call left would keep this one from running anything
	c.scope = callScope{mark: strconv.FormatInt(g.calls.Add(1), 10), owner: ownerPID, since: bootTicks()}
	c.out = g.newOutput(func() { close(c.flooded) })
	c.timeout = g.clamp(timeout)
	c.ooms = g.counters.oomKills()
	c.forks = g.counters.refusedForks()
	c.keep = g.own()
	g.earlier.spare(c.scope.since, c.keep)
	g.active.add(c)
	c.began = time.Now()
	return c
}

// mustFit refuses a command or code that is too long.
func mustFit(text string) error {
	if len(text) > wire.MaxCommand {
		return &failure{wire.CodeTooLarge, fmt.Sprintf("%d bytes are over the limit of %d", len(text), wire.MaxCommand)}
	}
	return nil
}

// clamp bounds a requested time limit; none means the default.
func (g *Guest) clamp(d time.Duration) time.Duration {
	if d <= 0 {
		d = defaultLimit
	}
	if g.setup.MaxTimeout > 0 && d > g.setup.MaxTimeout {
		d = g.setup.MaxTimeout
	}
	return d
}

// wait follows a call until the owner replies, dies, or has to be stopped.
func (c *call) wait(o owner, replies <-chan reply) ending {
	timer := time.NewTimer(c.timeout)
	defer timer.Stop()
	var end ending
	select {
	case r, ok := <-replies:
		if ok {
			return ending{code: r.code, flags: r.flags}
		}
		end = c.buried(o)
	case ws := <-o.exited():
		end = ending{code: exitCode(ws), died: true}
		if ws.Signaled() { // what it was waiting for would go on unattended
			end.killed = c.g.killMembers(c.scope, c.keep)
		}
	case <-timer.C:
		end = c.cut(o, replies)
		end.timeout = true
	case <-c.flooded:
		end = c.cut(o, replies)
		end.flooded = true
	case <-c.overDisk:
		end = c.cut(o, replies)
		end.overDisk = true
	}
	return end
}

// buried waits for the exit of an owner whose reply pipe broke.
func (c *call) buried(o owner) ending {
	select {
	case ws := <-o.exited():
		return ending{code: exitCode(ws), died: true}
	case <-time.After(killGrace):
		o.abandon()
		ws := <-o.exited()
		return ending{code: exitCode(ws), died: true}
	}
}

// cut stops a call: asks, kills what it started, and as the last resort its owner.
func (c *call) cut(o owner, replies <-chan reply) ending {
	o.interrupt()
	members := c.g.members(c.scope, c.keep)
	signalAll(members, syscall.SIGINT)
	killed := killDeaf(members)
	if end, ok := c.settle(o, replies, askGrace, func() {}); ok {
		end.killed += killed + c.g.killMembers(c.scope, c.keep)
		return end
	}
	killed += c.g.killMembers(c.scope, c.keep)
	if end, ok := c.settle(o, replies, killGrace, o.interrupt); ok {
		end.killed = killed + c.g.killMembers(c.scope, c.keep)
		return end
	}
	o.abandon()
	ws := <-o.exited()
	killed += c.g.killMembers(c.scope, c.keep)
	return ending{code: exitCode(ws), died: true, killed: killed}
}

// settle gives the owner some time to come back.
func (c *call) settle(o owner, replies <-chan reply, grace time.Duration, nudge func()) (ending, bool) {
	limit := time.NewTimer(grace)
	defer limit.Stop()
	tick := time.NewTicker(nudgeEvery)
	defer tick.Stop()
	for {
		select {
		case r, ok := <-replies:
			if !ok {
				return c.buried(o), true
			}
			return ending{code: r.code, flags: r.flags}, true
		case ws := <-o.exited():
			return ending{code: exitCode(ws), died: true}, true
		case <-tick.C:
			nudge()
		case <-limit.C:
			return ending{}, false
		}
	}
}

// result gathers output and facts. The status is decided from what was
// measured, never from text or from a code that a program can choose.
func (c *call) result(pipe *outPipe, end ending) wire.Result {
	took := time.Since(c.began)
	c.g.active.remove(c)
	killed := end.killed
	full := c.g.counters.pidsFull()
	if full {
		killed += c.g.killMembers(c.scope, c.keep)
		killed += c.g.thinOut()
	}
	pipe.finish()
	full = full || c.g.counters.refusedForks() > c.forks
	r := wire.Result{ExitCode: end.code, Duration: took, Killed: killed, PidsFull: full, DiskFull: end.overDisk}
	c.out.report(&r)
	r.OOMKills = max(c.g.counters.oomKills()-c.ooms, 0) // a counter that cannot be read is 0
	r.Status = status(r, end)
	switch { // what the owner said while being stopped means nothing
	case r.Status == wire.StatusTimeout:
		r.ExitCode = timeoutCode
	case end.overDisk:
		r.ExitCode = killedCode
	}
	return r
}

// thinOut ends the background jobs when there are so many that nothing more can
// be started, and says how many they were.
func (g *Guest) thinOut() int {
	if !g.counters.pidsFull() {
		return 0
	}
	crowd := len(g.background())
	g.killBackground()
	return crowd
}

// timeoutCode is the exit code of a call that was stopped, as timeout(1) has it.
const timeoutCode = 124

// killedCode is the exit code of a program that was killed, in the shell's
// convention.
const killedCode = 128 + int(syscall.SIGKILL)

func status(r wire.Result, end ending) wire.Status {
	switch {
	case end.flooded:
		return wire.StatusOutputLimit
	case r.OOMKills > 0 && (r.ExitCode == killedCode || end.died):
		return wire.StatusOOM
	case end.timeout:
		return wire.StatusTimeout
	case end.overDisk:
		return wire.StatusExitNonzero
	case r.ExitCode != 0:
		return wire.StatusExitNonzero
	}
	return wire.StatusOK
}
