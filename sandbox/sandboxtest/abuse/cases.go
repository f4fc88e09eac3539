package abuse

import (
	"fmt"
	"slices"
	"time"

	"drydock/sandbox"
)

// kindPolicies is what the sandbox of a kind has of its own.
var kindPolicies = map[Kind]func(*sandbox.Policy){
	Processes:  func(p *sandbox.Policy) { p.Pids = 128 },
	Memory:     func(p *sandbox.Policy) { p.MemoryBytes, p.ShmBytes, p.FileBytes = 256<<20, 8<<20, 64<<20 },
	Disk:       func(p *sandbox.Policy) { p.DiskBytes = diskBudget },
	ShellState: func(p *sandbox.Policy) { p.Pids = 128 },
	Faults:     func(p *sandbox.Policy) { p.MemoryBytes = 256 << 20 },
	Output:     func(p *sandbox.Policy) { p.OutputBytes, p.LogBytes = 4<<20, 1<<20 },
}

// All are the cases, those of a kind one after another.
func All() []Case {
	var all []Case
	for _, group := range []struct {
		kind  Kind
		cases []Case
	}{
		{Processes, bombs()},
		{Processes, escapes()},
		{Processes, inputs()},
		{Memory, memoryCases()},
		{Output, outputCases()},
		{Output, forgeries()},
		{Files, fileCases()},
		{Files, workerCases()},
		{Disk, diskCases()},
		{Links, linkCases()},
		{Archives, archiveCases()},
		{Isolation, isolationCases()},
		{Supervisor, supervisorCases()},
		{Network, networkCases()},
		{ShellState, shellTricks()},
		{ShellState, shellEnds()},
		{Channels, channelCases()},
		{Python, pythonCases()},
		{Faults, faultCases()},
	} {
		for _, c := range group.cases {
			c.Kind = group.kind
			if c.Tool == "" {
				c.Tool = Shell
			}
			all = append(all, withReasons(c))
		}
	}
	return all
}

// Quick are the cases that take little time.
func Quick() []Case {
	return slices.DeleteFunc(All(), func(c Case) bool { return c.Slow })
}

// numbered makes cases of inputs that differ in nothing else.
func numbered(prefix string, like Case, inputs []string) []Case {
	var out []Case
	for i, input := range inputs {
		c := like
		c.ID, c.Input = fmt.Sprintf("%s-%02d", prefix, i+1), input
		if c.Tries == "" {
			c.Tries = input
		}
		out = append(out, c)
	}
	return out
}

// brief is the time limit of cases that never end by themselves.
const brief = 700 * time.Millisecond

// Sets of endings that rows share.
var (
	any3    = []Ending{OK, Nonzero, Timeout}
	ended   = []Ending{OK, Nonzero}
	denied  = []Ending{Nonzero}
	refused = []Ending{Refused}
	fine    = []Ending{OK}
	timeout = []Ending{Timeout}
	starved = []Ending{OOM}
)

// noRunsc says why a case is not played where the guest's kernel is another one.
func noRunsc(why string) map[string]string { return map[string]string{"runsc": why} }
