package abuse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"drydock/sandbox"
)

// Runner plays cases against an engine.
type Runner struct {
	Engine  sandbox.Engine
	Outside *Outside
	Policy  sandbox.Policy // to start from; its image holds bash, python3 and coreutils
	Run     string         // prefix of the run ids, by which its containers are known
	Lanes   int            // sandboxes at a time, at least 1

	client sandbox.Client
	base   host
}

// Verdict is what a case came to.
type Verdict struct {
	Case      Case
	Skipped   string // why it does not apply here
	Outcome   Outcome
	Overshoot time.Duration // beyond the time limit
	Growth    int64         // bytes this process grew by, at its peak during the case
	Broken    []string      // what did not hold
}

// Held says that all was as it has to be.
func (v Verdict) Held() bool { return len(v.Broken) == 0 }

// Play plays the cases, those that share a sandbox one after another, and
// reports each as it ends, one at a time. At the end nothing is left of them: a
// last verdict without a case says so. The error is of what could not be played.
func (r *Runner) Play(ctx context.Context, cases []Case, report func(Verdict)) error {
	r.base = lookAtHost()
	var mu sync.Mutex
	locked := func(v Verdict) {
		mu.Lock()
		defer mu.Unlock()
		report(v)
	}
	queue := make(chan []Case)
	var wg sync.WaitGroup
	var errs []error
	for range max(r.Lanes, 1) {
		wg.Go(func() {
			for group := range queue {
				if err := r.playGroup(ctx, group, locked); err != nil {
					mu.Lock()
					errs = append(errs, err)
					mu.Unlock()
				}
			}
		})
	}
	for _, group := range groups(cases) {
		queue <- group
	}
	close(queue)
	wg.Wait()
	errs = append(errs, r.client.Cleanup(ctx))
	report(r.last(ctx))
	return errors.Join(errs...)
}

// groups puts cases that share a sandbox together, the large groups first.
func groups(cases []Case) [][]Case {
	at := map[string]int{}
	var out [][]Case
	for _, c := range cases {
		i, ok := at[c.place()]
		if !ok {
			i = len(out)
			at[c.place()] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], c)
	}
	slices.SortStableFunc(out, func(a, b []Case) int { return cmp.Compare(len(b), len(a)) })
	return out
}

// playGroup plays cases in one sandbox, and in another one when that is lost.
func (r *Runner) playGroup(ctx context.Context, group []Case, report func(Verdict)) error {
	policy := r.policyOf(group[0])
	var stage *Stage
	defer func() {
		if stage != nil {
			_ = stage.Close(ctx)
		}
	}()
	for _, c := range group {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if why, not := c.Not[cmp.Or(policy.Runtime, "runc")]; not {
			report(Verdict{Case: c, Skipped: why})
			continue
		}
		if stage == nil {
			var err error
			if stage, err = openStage(ctx, r, policy); err != nil {
				return fmt.Errorf("open a sandbox for %s: %w", c.ID, err)
			}
		}
		v := r.judge(ctx, stage, c)
		if !v.Held() || stage.retired { // the next case is not to suffer for this one
			if err := stage.Close(ctx); err != nil {
				v.Broken = append(v.Broken, fmt.Sprintf("close: %v", err))
			}
			stage = nil
		}
		report(v)
	}
	return nil
}

func (r *Runner) policyOf(c Case) sandbox.Policy {
	policy := r.Policy
	policy.MemoryBytes, policy.Timeout = 512<<20, 30*time.Second
	if change := kindPolicies[c.Kind]; change != nil {
		change(&policy)
	}
	if c.In.Change != nil {
		c.In.Change(&policy)
	}
	return policy
}
