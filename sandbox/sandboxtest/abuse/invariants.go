package abuse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"drydock/sandbox/wire"
)

// Bounds of what is looked at after every case.
const (
	margin    = 10 * time.Second // that a call may take beyond its limit, on a busy machine
	nextBound = 10 * time.Second // within which the next call answers
	settling  = 5 * time.Second  // within which all is as before
	pidSlack  = 24               // threads that the sandbox's own processes may have more
)

// judge plays a case and looks at what it left.
func (r *Runner) judge(ctx context.Context, s *Stage, c Case) Verdict {
	v := Verdict{Case: c}
	note := func(err error) {
		if err != nil {
			v.Broken = append(v.Broken, err.Error())
		}
	}
	if s.before == nil {
		note(s.remember(ctx))
	}
	resetPeak()
	start := statusBytes("VmRSS:")
	bounded, cancel := context.WithTimeout(ctx, c.limit()+time.Minute)
	v.Outcome = s.play(bounded, c)
	cancel()
	v.Growth = peak() - start
	v.Overshoot = max(0, v.Outcome.Took-c.limit())
	note(judgeOutcome(c, v, growth*int64(max(r.Lanes, 1)))) // whichever lane it was that grew
	if v.Outcome.Ending == Lost || v.Outcome.Ending == Closed {
		s.retired = true
	} else {
		for _, err := range s.look(ctx, c, v.Outcome) {
			note(err)
		}
	}
	note(r.lookOutside(ctx, s))
	return v
}

func judgeOutcome(c Case, v Verdict, growth int64) error {
	var errs []error
	if !c.expects(v.Outcome.Ending) {
		errs = append(errs, fmt.Errorf("ended as %s", v.Outcome.said()))
	} else if c.Check != nil {
		errs = append(errs, c.Check(v.Outcome))
	}
	if v.Overshoot > margin {
		errs = append(errs, fmt.Errorf("came back %s after its limit", v.Overshoot.Round(time.Millisecond)))
	}
	if v.Growth > growth {
		errs = append(errs, fmt.Errorf("this process grew by %d MiB", v.Growth>>20))
	}
	return errors.Join(errs...)
}

// look says what is wrong inside after a case.
func (s *Stage) look(ctx context.Context, c Case, out Outcome) []error {
	var errs []error
	if c.Alone {
		s.retired = true
	} else {
		errs = append(errs, s.next(ctx), s.onlyJobs(ctx, c, out))
	}
	if c.Then != nil {
		errs = append(errs, c.Then(ctx, s))
	}
	if !c.Alone {
		errs = append(errs, s.afresh(ctx, c), s.settled(ctx))
	}
	return errs
}

// afresh ends jobs that were allowed to stay, and what a case made of its tool.
func (s *Stage) afresh(ctx context.Context, c Case) error {
	if _, err := s.Shell(ctx, ":", quickly, true); err != nil || c.Tool == Shell {
		return err
	}
	_, err := s.Python(ctx, "pass", quickly, true)
	return err
}

// next says what is wrong with the call after a case. It may fail once if it
// says that its shell was replaced.
func (s *Stage) next(ctx context.Context) error {
	out, err := s.echo(ctx)
	if err != nil && out.Result.Replaced != "" {
		_, err = s.echo(ctx)
	}
	return err
}

func (s *Stage) echo(ctx context.Context) (Outcome, error) {
	began := time.Now()
	res, err := s.Shell(ctx, "echo ok", nextBound, false)
	out := outcomeOf(res, err, began)
	switch {
	case out.Ending != OK || !strings.Contains(out.Text(), "ok\n"):
		return out, fmt.Errorf("the next call: %s %s", out.said(), out.Result.Replaced)
	case out.Took > nextBound:
		return out, fmt.Errorf("the next call took %s", out.Took)
	}
	return out, nil
}

// onlyJobs says which processes a case left that it should not have.
func (s *Stage) onlyJobs(ctx context.Context, c Case, out Outcome) error {
	deadline := time.Now().Add(settling)
	for {
		list, err := s.processes(ctx)
		if err != nil && time.Now().Before(deadline) { // a job that may stay can be in the way for a moment
			time.Sleep(50 * time.Millisecond)
			continue
		}
		if err != nil {
			return err
		}
		var left []string
		cut := len(out.Result.Jobs) == wire.MaxJobs // a result lists no more
		for _, p := range s.strangers(list) {
			listed := slices.ContainsFunc(out.Result.Jobs, func(j wire.Job) bool { return strconv.Itoa(j.PID) == p.pid })
			if (!listed && !cut) || !c.mayLeave(p.command) {
				left = append(left, p.pid+" "+p.command)
			}
		}
		if len(left) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%d processes are left: %.300s", len(left), strings.Join(left, "; "))
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// settled waits for the counters to be as before.
func (s *Stage) settled(ctx context.Context) error {
	deadline := time.Now().Add(settling)
	for {
		st, err := s.Stats(ctx)
		if err != nil {
			return err
		}
		if st.Pids <= s.base.Pids+pidSlack && st.Zombies == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%d processes and threads, %d at the start; %d of them dead", st.Pids, s.base.Pids, st.Zombies)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// lookOutside says what is wrong on the host after a case.
func (r *Runner) lookOutside(ctx context.Context, s *Stage) error {
	if s.retired {
		if err := s.Close(ctx); err != nil {
			return fmt.Errorf("close: %w", err)
		}
	}
	return r.hostSettled(ctx, max(r.Lanes, 1), r.client.Open)
}

// hostSettled waits for this process and the engine to hold no more than the
// open sandboxes need.
func (r *Runner) hostSettled(ctx context.Context, boxes int, open func() int) error {
	return r.hostSettledWithin(ctx, settling, boxes, open)
}

func (r *Runner) hostSettledWithin(ctx context.Context, limit time.Duration, boxes int, open func() int) error {
	deadline := time.Now().Add(limit)
	for {
		over := lookAtHost().exceeds(r.base, boxes)
		ids, err := r.Outside.Running(ctx, r.Run)
		if err != nil {
			return err
		}
		if most := max(open(), boxes); len(ids) > most {
			over = append(over, fmt.Sprintf("%d containers, expected at most %d", len(ids), most))
		}
		if len(over) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return errors.New(strings.Join(over, "; "))
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// last looks at the host when every sandbox is closed.
func (r *Runner) last(ctx context.Context) Verdict {
	v := Verdict{Case: Case{ID: "end", Kind: "end", Tries: "leave something after all sandboxes are closed", Expect: []Ending{OK}}, Outcome: Outcome{Ending: OK}}
	if err := r.hostSettled(ctx, 0, func() int { return 0 }); err != nil {
		v.Broken = append(v.Broken, err.Error())
	}
	return v
}
