package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// result is one row of the table.
type result struct {
	task      task
	version   string
	before    string
	after     string
	elapsed   time.Duration
	patch     int
	identical bool
	err       error
}

func printTable(out io.Writer, results []result) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "TASK\tVERSION\tTESTS BEFORE\tTESTS AFTER\tSECONDS\tPATCH BYTES\tIDENTICAL\tRESULT")
	for _, r := range results {
		identical, verdict := "no", "FAILED"
		if r.identical {
			identical = "yes"
		}
		if r.err == nil {
			verdict = "ok"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%.1f\t%d\t%s\t%s\n", r.task.Name, r.version, r.before, r.after,
			r.elapsed.Seconds(), r.patch, identical, verdict)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("print the table: %w", err)
	}
	return nil
}
