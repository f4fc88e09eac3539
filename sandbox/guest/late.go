package guest

import (
	"sync"

	"drydock/sandbox/wire"
)

// late looks after the outputs of calls whose background jobs may still print.
// What they print is in the file that their call's answer has named; the answers
// of later calls say how much came.
type late struct {
	mu   sync.Mutex
	open []*output
}

// follow takes over the output of a call that has ended. It returns the file
// that what is printed from now on goes to, "" if there is none.
func (l *late) follow(o *output) string {
	file := o.seal()
	if file == "" {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = append(l.open, o)
	if len(l.open) > wire.MaxLate {
		l.open = l.open[1:]
	}
	return file
}

// news says what has come since it was asked last.
func (l *late) news() []wire.Late {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []wire.Late
	var open []*output
	for _, o := range l.open {
		file, bytes, closed := o.sinceSealed()
		if bytes > 0 {
			out = append(out, wire.Late{File: file, Bytes: bytes})
		}
		if !closed {
			open = append(open, o)
		}
	}
	l.open = open
	return out
}

// report adds to a result what is known of output outside of its call. left
// says whether something of the call is still running.
func (l *late) report(r *wire.Result, c *call, pipe *outPipe, left func() bool) {
	r.Late = l.news()
	if pipe.held && !c.out.ended() && left() {
		r.LateLog = l.follow(c.out)
	}
}

// leftRunning says whether processes of a call are alive. Those that were killed
// hold its output for a moment more.
func (c *call) leftRunning() bool { return len(c.g.members(c.scope, c.keep)) > 0 }
