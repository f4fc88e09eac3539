package main

import (
	"fmt"
	"slices"
	"time"
)

// samples are durations of the same thing done again and again.
type samples []time.Duration

// quantile is the duration that the fraction q of the samples do not exceed.
func (s samples) quantile(q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func (s samples) text(q float64) string {
	return fmt.Sprintf("%.2f ms", float64(s.quantile(q).Microseconds())/1000)
}

// measure times n calls.
func measure(n int, call func(i int) error) (samples, error) {
	var s samples
	for i := range n {
		began := time.Now()
		if err := call(i); err != nil {
			return nil, err
		}
		s = append(s, time.Since(began))
	}
	return s, nil
}
