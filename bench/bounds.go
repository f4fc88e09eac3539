package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"drydock/sandbox/wire"
	"drydock/tools"
)

// bound is a line of the second table: one figure and what it must keep to.
type bound struct {
	what   string
	figure string
	target string
	met    bool
}

// measureBounds measures what has no counterpart in the engine's interface.
func measureBounds(ctx context.Context, s *subject) ([]bound, error) {
	var table []bound
	for _, measure := range []func(context.Context, *subject) ([]bound, error){outputRate, overshoot, concurrency} {
		lines, err := measure(ctx, s)
		if err != nil {
			return nil, err
		}
		table = append(table, lines...)
	}
	return table, nil
}

// outputRate is how fast what a command prints is taken in: its start and end are
// kept, the first 10 MiB go to a file.
func outputRate(ctx context.Context, s *subject) ([]bound, error) {
	const megabytes, most = 500, 100
	var rates []float64
	for range 5 {
		began := time.Now()
		if err := s.call(ctx, "bash", args{"command": fmt.Sprintf("head -c %d000000 /dev/zero", megabytes)}); err != nil {
			return nil, err
		}
		rates = append(rates, megabytes/time.Since(began).Seconds())
	}
	slices.Sort(rates)
	rate := rates[len(rates)/2]
	return []bound{{"tool output taken in, p50", fmt.Sprintf("%.0f MB/s", rate), fmt.Sprintf(">= %d MB/s", most), rate >= most}}, nil
}

// overshoot is how long after its time limit a call has been answered. The first
// of each starts the interpreter and does not count.
func overshoot(ctx context.Context, s *subject) ([]bound, error) {
	const limit, most = 300 * time.Millisecond, 100 * time.Millisecond
	var table []bound
	for _, c := range []struct{ tool, parameter, text string }{
		{"bash", "command", "sleep 60"},
		{"bash", "command", "while :; do :; done"},
		{"bash", "command", "trap '' INT; sleep 60 | cat"},
		{"python_execute", "code", "import time; time.sleep(60)"},
		{"python_execute", "code", "while True: pass"},
	} {
		took, err := measure(11, func(int) error {
			return s.end(ctx, c.tool, args{c.parameter: c.text, "timeout": limit.Seconds()}, tools.StatusTimeout)
		})
		if err != nil {
			return nil, err
		}
		over := slices.Max(took[1:]) - limit
		table = append(table, bound{
			fmt.Sprintf("over the time limit, at most: %s", c.text), samples{over}.text(1),
			fmt.Sprintf("<= %d ms", most.Milliseconds()), over <= most,
		})
	}
	return table, nil
}

// concurrency is how long 16 calls at once take, all of them, as multiples of one.
// Calls of bash and of the interpreter run one after another by design, so these
// are of the kinds that do not.
func concurrency(ctx context.Context, s *subject) ([]bound, error) {
	const calls, most = 16, 3
	var table []bound
	for _, c := range []struct {
		what string
		call func(int) error
	}{
		{"views of a 10 kB file", func(int) error {
			return s.call(ctx, "str_replace_editor", args{"command": "view", "path": "f.txt"})
		}},
		{"fresh interpreters that wait 0.5 s", func(int) error {
			return s.call(ctx, "python_execute", args{"code": "import time; time.sleep(0.5)", "fresh": true})
		}},
		{"programs that wait 0.1 s", func(int) error {
			_, err := s.box.Exec(ctx, wire.ExecRequest{Argv: []string{"sleep", "0.1"}, Dir: "/"})
			return err
		}},
	} {
		one, err := measure(10, c.call)
		if err != nil {
			return nil, err
		}
		all, err := measure(10, func(int) error {
			var group errgroup.Group
			for i := range calls {
				group.Go(func() error { return c.call(i) })
			}
			return group.Wait()
		})
		if err != nil {
			return nil, err
		}
		times := float64(all.quantile(0.5)) / float64(one.quantile(0.5))
		table = append(table, bound{
			fmt.Sprintf("%d %s at once, p50: %s, one: %s", calls, c.what, all.text(0.5), one.text(0.5)),
			fmt.Sprintf("%.1fx as long", times), fmt.Sprintf("<= %dx", most), times <= most,
		})
	}
	return table, nil
}
