package abuse

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"drydock/sandbox"
	"drydock/sandbox/wire"
)

// How much endurance is measured.
const (
	enduredCalls = 10_000
	enduredBoxes = 50
	enduredBytes = "10G"
)

// Endure measures what many calls, much output and many sandboxes cost, and
// says each figure in a line. No call goes through the engine's own exec, so
// nothing of the engine's grows with their number.
func (r *Runner) Endure(ctx context.Context, say func(string)) error {
	r.base = lookAtHost()
	defer func() { _ = r.client.Cleanup(ctx) }()
	for _, measure := range []func(context.Context) ([]string, error){r.endureBomb, r.endureOutput, r.endureCalls, r.endureBoxes} {
		lines, err := measure(ctx)
		for _, line := range lines {
			say(line)
		}
		if err != nil {
			return err
		}
	}
	v := r.last(ctx)
	say(fmt.Sprintf("at the end: held %t %v", v.Held(), v.Broken))
	if !v.Held() {
		return errors.New("something is left")
	}
	return nil
}

// with opens a sandbox for a measurement.
func (r *Runner) with(ctx context.Context, change func(*sandbox.Policy), do func(*Stage) error) error {
	policy := r.Policy
	change(&policy)
	stage, err := openStage(ctx, r, policy)
	if err != nil {
		return err
	}
	return errors.Join(do(stage), stage.Close(ctx))
}

func (r *Runner) endureBomb(ctx context.Context) (lines []string, err error) {
	err = r.with(ctx, func(p *sandbox.Policy) { p.Pids = 256 }, func(s *Stage) error {
		for _, limit := range []time.Duration{time.Second, 3 * time.Second} {
			res, err := s.Shell(ctx, `trap '' TERM INT HUP; b() { b | b & }; b; while :; do :; done`, limit, false)
			if err != nil {
				return err
			}
			over, began := res.Duration-limit, time.Now()
			if err := s.next(ctx); err != nil {
				return err
			}
			lines = append(lines, fmt.Sprintf("fork bomb of %s under 256 processes: %s, %d killed, ended %s after its limit, next call after %s more",
				limit, res.Status, res.Killed, ms(over), ms(time.Since(began))))
		}
		return nil
	})
	return lines, err
}

func (r *Runner) endureOutput(ctx context.Context) (lines []string, err error) {
	for name, output := range map[string]int64{"the policy's default": r.Policy.OutputBytes, "a policy that lets it through": 64 << 30} {
		err := r.with(ctx, func(p *sandbox.Policy) { p.OutputBytes, p.MaxTimeout = output, time.Hour }, func(s *Stage) error {
			resetPeak()
			start := statusBytes("VmRSS:")
			guest, stop := s.watchGuest(ctx)
			res, err := s.Shell(ctx, "yes | head -c "+enduredBytes, time.Hour, false)
			stop()
			if err != nil {
				return err
			}
			lines = append(lines, fmt.Sprintf("%s of output under %s: %s after %s, %d bytes counted, %d kept; host grew by %s at its peak (to %s), guest peak %s",
				enduredBytes, name, res.Status, ms(res.Duration), res.Total, len(res.Head)+len(res.Tail), mib(peak()-start), mib(peak()), mib(*guest)))
			return s.next(ctx)
		})
		if err != nil {
			return lines, err
		}
	}
	return lines, nil
}

// watchGuest notes the most memory that the guest is seen with until stop.
func (s *Stage) watchGuest(ctx context.Context) (most *int64, stop func()) {
	most = new(int64)
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			if st, err := s.Stats(ctx); err == nil {
				*most = max(*most, st.GuestRSS)
			}
			select {
			case <-done:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	return most, func() { close(done); <-stopped }
}

func (r *Runner) endureCalls(ctx context.Context) (lines []string, err error) {
	err = r.with(ctx, func(*sandbox.Policy) {}, func(s *Stage) error {
		if err := s.repeat(ctx, enduredCalls/20); err != nil { // pools and caches fill first
			return err
		}
		before, host := mustStats(s.Stats(ctx)), lookAtHost()
		began := time.Now()
		if err := s.repeat(ctx, enduredCalls); err != nil {
			return err
		}
		took := time.Since(began)
		after, now := mustStats(s.Stats(ctx)), lookAtHost()
		lines = append(lines, fmt.Sprintf("%d shell calls in %s (%s each): host memory %s to %s, goroutines %d to %d, descriptors %d to %d; guest memory %s to %s, descriptors %d to %d, processes and threads %d to %d",
			enduredCalls, ms(took), took/enduredCalls, mib(host.rss), mib(now.rss), host.goroutines, now.goroutines, host.descriptors, now.descriptors,
			mib(before.GuestRSS), mib(after.GuestRSS), before.GuestFiles, after.GuestFiles, before.Pids, after.Pids))
		return nil
	})
	return lines, err
}

// repeat makes shell calls, each with a program in it.
func (s *Stage) repeat(ctx context.Context, calls int) error {
	for i := range calls {
		res, err := s.Shell(ctx, "/bin/true; echo $?", quickly, false)
		if err != nil || res.Status != wire.StatusOK || string(res.Head) != "0\n" {
			return fmt.Errorf("call %d: %s %q %w", i, res.Status, res.Head, err)
		}
	}
	return nil
}

// mustStats are counters, or none: a figure of 0 shows that they could not be read.
func mustStats(st wire.Stats, _ error) wire.Stats { return st }

func (r *Runner) endureBoxes(ctx context.Context) ([]string, error) {
	policy := r.Policy
	policy.MemoryBytes, policy.Pids = 128<<20, 64
	began := time.Now()
	boxes, errs := make([]*sandbox.Sandbox, enduredBoxes), make([]error, enduredBoxes)
	var wg sync.WaitGroup
	for i := range boxes {
		wg.Go(func() {
			box, err := r.client.Create(ctx, r.Engine, r.newID(), policy)
			if err == nil {
				boxes[i] = box
				_, err = box.Shell(ctx, "echo ok", time.Minute, false)
			}
			errs[i] = err
		})
	}
	wg.Wait()
	started := time.Since(began)
	host := lookAtHost()
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("%d sandboxes at once: %w", enduredBoxes, err)
	}
	closing := r.client.Cleanup(ctx) // a slow engine removes on its own account what it was asked to
	if err := r.hostSettledWithin(ctx, 2*time.Minute, 0, r.client.Open); err != nil {
		return nil, errors.Join(err, closing)
	}
	return []string{fmt.Sprintf("%d sandboxes at once: all answered after %s, none left after %s more (closing: %v); while they were open: host memory %s, %d goroutines, %d descriptors",
		enduredBoxes, ms(started), ms(time.Since(began)-started), closing, mib(host.rss), host.goroutines, host.descriptors)}, nil
}

func ms(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

func mib(bytes int64) string { return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20)) }
