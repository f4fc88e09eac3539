package docker

import (
	"maps"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// ended is a process that was here and is not any more.
func ended(t *testing.T) owner {
	t.Helper()
	o := thisProcess()
	child := exec.CommandContext(t.Context(), "sleep", "60")
	assert.NilError(t, child.Start())
	p, err := lookUp(child.Process.Pid)
	assert.NilError(t, err)
	assert.NilError(t, child.Process.Kill())
	_ = child.Wait()
	o.pid, o.start = child.Process.Pid, p.start
	return o
}

func TestJudge(t *testing.T) {
	self := thisProcess()
	self.host = "here" // whatever this machine can say of itself
	with := func(change func(*owner)) map[string]string {
		o := self
		change(&o)
		return o.labels()
	}
	for name, tt := range map[string]struct {
		labels map[string]string
		want   life
		why    string
	}{
		"this process":             {self.labels(), lifeGoing, "process"},
		"ended":                    {ended(t).labels(), lifeOver, "is gone"},
		"its id was given again":   {with(func(o *owner) { o.start-- }), lifeOver, "is gone"},
		"an earlier boot":          {with(func(o *owner) { o.boot = "b" }), lifeOver, "earlier boot"},
		"another machine":          {with(func(o *owner) { o.boot, o.host = "b", "there" }), lifeUnknown, "another machine"},
		"an unknown machine":       {with(func(o *owner) { o.boot, o.host = "b", "" }), lifeUnknown, "another machine"},
		"a container beside":       {with(func(o *owner) { o.spaces, o.pid = "pid:[1]", 999999 }), lifeUnknown, "namespace"},
		"a container, no longer":   {with(func(o *owner) { o.spaces, o.boot = "pid:[1]", "b" }), lifeOver, "earlier boot"},
		"the same boot, renamed":   {with(func(o *owner) { o.host = "there" }), lifeGoing, "process"},
		"no start time":            {with(func(o *owner) { o.start = 0 }), lifeUnknown, "do not say"},
		"no boot":                  {with(func(o *owner) { o.boot = "" }), lifeUnknown, "do not say"},
		"no namespaces":            {with(func(o *owner) { o.spaces = "" }), lifeUnknown, "do not say"},
		"no process":               {with(func(o *owner) { o.pid = 0 }), lifeUnknown, "do not say"},
		"every process":            {with(func(o *owner) { o.pid = -1 }), lifeUnknown, "do not say"},
		"a process that cannot be": {with(func(o *owner) { o.pid = 1<<31 - 1 }), lifeOver, "is gone"},
		"nothing":                  {nil, lifeUnknown, "do not say"},
	} {
		t.Run(name, func(t *testing.T) {
			got, why := self.judge(tt.labels)
			assert.Equal(t, got, tt.want, why)
			assert.Assert(t, strings.Contains(why, tt.why), why)
		})
	}
}

// A label that is not what drydock writes proves nothing.
func TestJudgeDoesNotTrustLabels(t *testing.T) {
	self := thisProcess()
	for label, values := range map[string][]string{
		labelPID:   {"", "x", " 1", "1 ", "+-1", "1e3", "0x10", "1\n", "-5", "99999999999", strconv.Itoa(1<<32 + 5), "../self", "\x1b[31m7"},
		labelStart: {"", "x", "-1", "1.5", strings.Repeat("9", 40), "\x00"},
	} {
		for _, value := range values {
			labels := maps.Clone(self.labels())
			labels[label] = value
			got, _ := self.judge(labels)
			assert.Equal(t, got, lifeUnknown, "%s=%q", label, value)
		}
	}
	blind := self
	blind.boot = ""
	got, why := blind.judge(self.labels())
	assert.Equal(t, got, lifeUnknown, why)
}

// A process that was killed and that nobody has asked after is over.
func TestJudgeOfAZombie(t *testing.T) {
	o := thisProcess()
	child := exec.CommandContext(t.Context(), "sleep", "60")
	assert.NilError(t, child.Start())
	defer func() { _ = child.Wait() }()
	p, err := lookUp(child.Process.Pid)
	assert.NilError(t, err)
	o.pid, o.start = child.Process.Pid, p.start
	got, why := thisProcess().judge(o.labels())
	assert.Equal(t, got, lifeGoing, why)
	assert.NilError(t, child.Process.Kill())
	for got != lifeOver {
		got, why = thisProcess().judge(o.labels())
		assert.Assert(t, t.Context().Err() == nil, why)
	}
}

// The start time is that of the process, whatever it calls itself.
func TestLookUpOfAStrangeName(t *testing.T) {
	child := exec.CommandContext(t.Context(), "bash", "-c", `printf ') Z 1 1 (' >/proc/self/comm; echo ready; read`)
	out, err := child.StdoutPipe()
	assert.NilError(t, err)
	in, err := child.StdinPipe()
	assert.NilError(t, err)
	assert.NilError(t, child.Start())
	defer func() { _ = in.Close(); _ = child.Wait() }()
	_, err = out.Read(make([]byte, 10))
	assert.NilError(t, err)
	p, err := lookUp(child.Process.Pid)
	assert.NilError(t, err)
	assert.Assert(t, !p.ended)
	assert.Assert(t, p.start >= thisProcess().start)
}
