// Command steps measures what drydock itself adds to a step of a run, between
// the model's answer and the next request: the model and the tool answer at
// once. The request is built, checked, counted and encoded, the answer decoded,
// the call found, checked and answered, and all of it written as events.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"text/tabwriter"
	"time"
)

// target is the median overhead that is allowed at the smaller size.
const target = 2 * time.Millisecond

func main() {
	samples := flag.Int("samples", 300, "steps to measure at each size")
	observation := flag.Int("observation", 1500, "bytes of a tool's answer")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *samples, *observation); err != nil {
		fmt.Fprintf(os.Stderr, "bench/steps: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, samples, observation int) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "MESSAGES\tREQUEST\tp50\tp99\tTARGET p50\t")
	missed := false
	for i, messages := range []int{100, 1000} {
		m, err := measure(ctx, messages, samples, observation)
		if err != nil {
			return err
		}
		goal := ""
		if i == 0 {
			goal = fmt.Sprintf("<= %v", target)
			missed = m.quantile(0.5) > target
		}
		fmt.Fprintf(w, "%d\t%d kB\t%s\t%s\t%s\t\n", messages, m.request/1000, text(m.quantile(0.5)), text(m.quantile(0.99)), goal)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print table: %w", err)
	}
	if missed {
		return errors.New("the target was missed")
	}
	return nil
}

// measured are the times of steps at one size.
type measured struct {
	times   []time.Duration
	request int // bytes of the last request
}

func (m measured) quantile(q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(m.times))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func text(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000) }
