package sandbox

import (
	"fmt"
	"path"
	"strings"

	"drydock/sandbox/wire"
)

// verify says what is wrong with an answer. A guest of ours keeps to all of
// this whatever runs in its sandbox, so one that does not has been taken over,
// and nothing it says is worth anything.
func (s *Sandbox) verify(answer any) error {
	switch a := answer.(type) {
	case *wire.Hello:
		return verifyHello(*a)
	case *wire.Stats:
		return verifyStats(*a)
	case *wire.Result:
		return verifyResult(*a, s.policy)
	case *wire.Listing:
		return verifyListing(*a)
	case *wire.FileInfo:
		return verifyFileInfo(*a)
	case *wire.TerminalAnswer:
		return verifyTerminal(*a)
	}
	return nil // answers that say nothing
}

// claim collects the first thing that is wrong.
type claim struct {
	about string
	err   error
}

func (c *claim) holds(ok bool, format string, args ...any) {
	if !ok && c.err == nil {
		c.err = fmt.Errorf("the guest's answer is impossible: %s %s", c.about, fmt.Sprintf(format, args...))
	}
}

// counter checks a number that only counts up from 0.
func (c *claim) counter(name string, n int64) {
	c.holds(n >= 0 && n <= maxCounter, "with %s %d", name, n)
}

// maxCounter is more than any counter of a run can reach, but far from where
// sums overflow.
const maxCounter = 1 << 50

// location checks an absolute path of the sandbox. That of a file need not be
// clean, and its bytes are the file system's.
func (c *claim) location(name, p string) {
	c.holds(path.IsAbs(p) && len(p) < wire.MaxPath && !strings.Contains(p, "\x00"), "with %s %.60q", name, p)
}

// perm checks permission bits.
func (c *claim) perm(mode uint32) { c.holds(mode <= 0o777, "with mode %o", mode) }

func verifyHello(h wire.Hello) error {
	if h.Version != wire.Version {
		return nil // what another version means is not known, and it will be refused
	}
	c := claim{about: "a greeting"}
	c.holds(plain(h.Arch, 16), "of architecture %.20q", h.Arch)
	c.holds(h.Shell == "" == (h.ShellIs == "") && (h.ShellIs == "" || h.ShellIs == "bash" || h.ShellIs == "sh"), "with shell %.20q", h.ShellIs)
	for _, p := range []string{h.Shell, h.Python, h.Git} {
		if p != "" {
			c.location("program", p)
			c.holds(plain(p, wire.MaxPath), "with program %.60q", p)
		}
	}
	c.holds(plain(h.PythonIs, 64), "with Python %.70q", h.PythonIs)
	c.holds(h.Cgroup >= 0 && h.Cgroup <= 2, "with cgroup %d", h.Cgroup)
	return c.err
}

func verifyStats(st wire.Stats) error {
	c := claim{about: "counters"}
	for name, n := range map[string]int64{
		"memory": st.MemoryBytes, "out of memory": st.OOMKills, "processes": st.Pids,
		"process limit": st.PidsLimit, "guest memory": st.GuestRSS, "zombies": int64(st.Zombies),
	} {
		c.counter(name, n)
	}
	c.holds(st.MemoryLimit >= 0, "with memory limit %d", st.MemoryLimit) // some kernels have a huge one for none
	return c.err
}

// codes are the reasons of a refusal that there are.
var codes = map[string]bool{
	wire.CodeNotFound: true, wire.CodeIsDir: true, wire.CodeNotDir: true, wire.CodePermission: true,
	wire.CodeLoop: true, wire.CodeNameLong: true, wire.CodeNoSpace: true, wire.CodeChanged: true,
	wire.CodeExists: true, wire.CodeTooLarge: true, wire.CodeReadOnly: true, wire.CodeNotRegular: true,
	wire.CodeMissing: true, wire.CodeInvalid: true, wire.CodeBusy: true, wire.CodeInternal: true,
}

func verifyFailure(f wire.Failure) error {
	c := claim{about: "a refusal"}
	c.holds(codes[f.Code], "with code %.30q", f.Code)
	c.holds(len(f.Message) <= wire.MaxMessage, "with a reason of %d bytes", len(f.Message))
	return c.err
}
