package abuse

import (
	"context"
	"fmt"
	"strings"

	"drydock/sandbox/wire"
)

// listing prints its own process id and then, per process, the kernel's line and
// the command line, by the shell alone as far as that goes: the process limit
// may be near.
const listing = `echo $$; for d in /proc/[0-9]*; do tr '\n' ' ' <$d/stat; printf '\t'; tr '\0\n' '  ' <$d/cmdline; echo; done 2>/dev/null`

// running is one process of the sandbox.
type running struct {
	key     string // tells it from a later one with the same number
	pid     string
	parent  string
	state   string
	command string
}

// processes lists what runs in the sandbox but the supervisor and the look itself.
func (s *Stage) processes(ctx context.Context) ([]running, error) {
	res, err := s.Exec(ctx, wire.ExecRequest{Argv: []string{"sh", "-c", listing}, Timeout: quickly})
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	text := string(res.Head) + string(res.Tail)
	self, rest, _ := strings.Cut(text, "\n")
	if res.Status != wire.StatusOK || self == "" || !strings.Contains(rest, "1 (") {
		return nil, fmt.Errorf("list processes: %s %.200q", res.Status, text)
	}
	var all []running
	for line := range strings.Lines(rest) {
		p, ok := parseProcess(line)
		if ok && p.pid != "1" && p.pid != self && p.parent != self {
			all = append(all, p)
		}
	}
	return all, nil
}

// parseProcess reads a line of the listing. The name in it is in parentheses and
// may hold anything.
func parseProcess(line string) (running, bool) {
	stat, command, _ := strings.Cut(line, "\t")
	open, end := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return running{}, false
	}
	fields := strings.Fields(stat[end+1:])
	const started = 19
	if len(fields) <= started {
		return running{}, false
	}
	p := running{pid: strings.TrimSpace(stat[:open]), state: fields[0], parent: fields[1], command: strings.TrimSpace(command)}
	p.key = p.pid + "@" + fields[started]
	if p.command == "" {
		p.command = stat[open : end+1]
	}
	return p, true
}

// ours are the processes that a sandbox has of its own, one of each at most.
var ours = []string{"bash --noprofile --norc /.drydock/run/s", "python3 -c import sys; sys.path.sort(", "/.drydock/guest files"}

// strangers leaves out what the sandbox has of its own and what was there before.
func (s *Stage) strangers(list []running) []running {
	seen := map[string]bool{}
	var out []running
next:
	for _, p := range list {
		if s.before[p.key] || p.state == "Z" || p.state == "X" {
			continue
		}
		for _, own := range ours {
			if p.parent == "1" && strings.Contains(p.command, own) && !seen[own] {
				seen[own] = true
				continue next
			}
		}
		out = append(out, p)
	}
	return out
}

// remember takes the processes there are for known.
func (s *Stage) remember(ctx context.Context) error {
	list, err := s.processes(ctx)
	s.before = map[string]bool{}
	for _, p := range list {
		s.before[p.key] = true
	}
	return err
}
