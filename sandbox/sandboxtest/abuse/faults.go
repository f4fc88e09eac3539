package abuse

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"drydock/sandbox/wire"
)

// faultCases do to the container what an operator, the engine or the machine
// could do. A sandbox that is lost is reported at once, and is no timeout.
func faultCases() []Case {
	own := noRunsc("the runtime answers to other signals")
	return []Case{
		fault("fault-killed", "a container killed from outside during a call", func(ctx context.Context, s *Stage) error { return s.Outside.Kill(ctx, s.ID(), "KILL") }),
		fault("fault-removed", "a container removed from outside during a call", func(ctx context.Context, s *Stage) error { return s.Outside.Remove(ctx, s.ID()) }),
		fault("fault-stopped", "a container stopped by the engine during a call", func(ctx context.Context, s *Stage) error { return s.Outside.Act(ctx, s.ID(), "stop?t=1") }),
		fault("fault-killed-bomb", "a container killed while a fork bomb runs", func(ctx context.Context, s *Stage) error {
			go func() {
				_, _ = s.Python(ctx, "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass", quickly, false)
			}()
			time.Sleep(300 * time.Millisecond)
			return s.Outside.Kill(ctx, s.ID(), "KILL")
		}),
		withNot(survived("fault-signals", "signals from outside that are no kill", func(ctx context.Context, s *Stage) error {
			var errs []error
			for _, signal := range []string{"TERM", "HUP", "INT", "QUIT", "USR1", "SEGV", "ABRT", "STOP", "CONT", "WINCH"} {
				errs = append(errs, s.Outside.Kill(ctx, s.ID(), signal))
			}
			return errors.Join(errs...)
		}), own),
		fault("fault-paused", "a container frozen from outside during a call", func(ctx context.Context, s *Stage) error { return s.Outside.Act(ctx, s.ID(), "pause") }),
		survived("fault-attached", "a second reader of the stream", func(ctx context.Context, s *Stage) error {
			return s.Outside.Listen(ctx, s.ID(), time.Second)
		}),
		fault("fault-stolen-input", "a second writer that closes the stream", func(ctx context.Context, s *Stage) error { return s.Outside.Intrude(ctx, s.ID()) }),
		once("fault-between", "a container that is gone before the next call", []Ending{Lost}, func(ctx context.Context, s *Stage) Outcome {
			if err := s.Outside.Remove(ctx, s.ID()); err != nil {
				return broken("remove: %v", err)
			}
			began := time.Now()
			res, err := s.Shell(ctx, "echo x", quickly, false)
			return outcomeOf(res, err, began)
		}),
		once("fault-cancelled", "a caller that gives up, again and again", fine, func(ctx context.Context, s *Stage) Outcome {
			for i := range 20 {
				short, cancel := context.WithTimeout(ctx, time.Duration(i)*5*time.Millisecond)
				_, _ = s.Shell(short, "sleep 0.05", time.Second, false)
				_, _, _ = s.ReadFile(short, "/etc/passwd", 100)
				cancel()
			}
			res, err := s.Shell(ctx, "echo on", quickly, false)
			return outcome(res, err)
		}),
		once("fault-abandoned-walk", "a caller that leaves in the middle of a walk", fine, func(ctx context.Context, s *Stage) Outcome {
			enough := errors.New("enough")
			for range 10 {
				if err := s.Walk(ctx, "/usr", func(wire.WalkEntry) error { return enough }); !errors.Is(err, enough) {
					return broken("walk: %v", err)
				}
			}
			res, err := s.Shell(ctx, "echo on", quickly, false)
			return outcome(res, err)
		}),
		once("fault-closed-twice", "a sandbox closed by many at once, during a call", []Ending{Closed}, func(ctx context.Context, s *Stage) Outcome {
			ended := make(chan Outcome, 1)
			go func() { res, err := s.Shell(ctx, "sleep 100", time.Minute, false); ended <- outcome(res, err) }()
			time.Sleep(100 * time.Millisecond)
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() { _ = s.Close(ctx) })
			}
			wg.Wait()
			return <-ended
		}),
		once("fault-parallel", "fifty calls at once in one sandbox", fine, parallelCalls),
		once("fault-same-name", "two sandboxes of one name", fine, func(ctx context.Context, s *Stage) Outcome {
			second, err := s.client.Create(ctx, s.engine, s.ID(), s.Policy())
			if err == nil {
				return broken("both were made: %v", second.Close(ctx))
			}
			res, err := s.Shell(ctx, "echo on", quickly, false)
			return outcome(res, err)
		}),
		once("fault-cancelled-start", "a start that is given up", fine, func(ctx context.Context, s *Stage) Outcome {
			for i := range 6 {
				short, cancel := context.WithTimeout(ctx, time.Duration(20+60*i)*time.Millisecond)
				box, err := s.client.Create(short, s.engine, fmt.Sprintf("%s-%d", s.ID(), i), s.Policy())
				cancel()
				if err == nil {
					_ = box.Close(ctx)
				}
			}
			ids, err := s.Outside.Running(ctx, s.ID())
			if err != nil || len(ids) != 1 {
				return broken("left %v (%v)", ids, err)
			}
			return did(nil)
		}),
	}
}

// fault breaks a container in the middle of a call, which then is lost.
func fault(id, tries string, do func(context.Context, *Stage) error) Case {
	c := once(id, tries, []Ending{Lost}, func(ctx context.Context, s *Stage) Outcome { return during(ctx, s, do) })
	c.Check = within(8 * time.Second)
	return c
}

// survived does something in the middle of a call that the call outlasts.
func survived(id, tries string, do func(context.Context, *Stage) error) Case {
	c := once(id, tries, timeout, func(ctx context.Context, s *Stage) Outcome { return during(ctx, s, do) })
	c.Then = says("echo on", "on")
	return c
}

func once(id, tries string, expect []Ending, play func(context.Context, *Stage) Outcome) Case {
	return Case{ID: id, Tries: tries, Tool: Go, Expect: expect, Play: play, Alone: true}
}

func withNot(c Case, not map[string]string) Case {
	c.Not = not
	return c
}

// during does something while a call runs, and waits for the call.
func during(ctx context.Context, s *Stage, do func(context.Context, *Stage) error) Outcome {
	ended := make(chan Outcome, 1)
	go func() {
		began := time.Now()
		res, err := s.Shell(ctx, "sleep 1000", 4*time.Second, false)
		ended <- outcomeOf(res, err, began)
	}()
	time.Sleep(200 * time.Millisecond)
	if err := do(ctx, s); err != nil {
		return broken("do it: %v", err)
	}
	return <-ended
}

// parallelCalls makes fifty calls at once, of all kinds.
func parallelCalls(ctx context.Context, s *Stage) Outcome {
	var wg sync.WaitGroup
	errs := make([]error, 50)
	for i := range errs {
		wg.Go(func() {
			switch i % 3 {
			case 0:
				_, errs[i] = s.Shell(ctx, "true", quickly, false)
			case 1:
				_, errs[i] = s.Python(ctx, "1", quickly, false)
			default:
				errs[i] = roundTrip(ctx, s, i)
			}
		})
	}
	wg.Wait()
	return did(errors.Join(errs...))
}
