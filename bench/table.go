package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
)

// errMissed ends the program with a failure, after all has been printed.
var errMissed = errors.New("a target was missed")

func printTables(table []comparison, bounds []bound) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	met := printComparisons(w, table)
	_, _ = fmt.Fprintln(w)
	met = printBounds(w, bounds) && met
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print tables: %w", err)
	}
	if !met {
		return errMissed
	}
	return nil
}

func printComparisons(w io.Writer, table []comparison) (met bool) {
	met = true
	_, _ = fmt.Fprintln(w, "WHAT\tDRYDOCK p50\tp99\tENGINE p50\tp99\tRATIO\tTARGET\t")
	for _, c := range table {
		ratio := float64(c.engine.quantile(0.5)) / float64(c.drydock.quantile(0.5))
		text, target, ok := fmt.Sprintf("%.0fx faster", ratio), fmt.Sprintf(">= %.0fx", c.faster), ratio >= c.faster
		if c.slower > 0 {
			ratio = 1 / ratio
			text, target, ok = fmt.Sprintf("%.2fx as long", ratio), fmt.Sprintf("<= %.1fx", c.slower), ratio <= c.slower
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", c.what,
			c.drydock.text(0.5), c.drydock.text(0.99), c.engine.text(0.5), c.engine.text(0.99), text, judged(target, ok))
		met = met && ok
	}
	return met
}

func printBounds(w io.Writer, bounds []bound) (met bool) {
	met = true
	_, _ = fmt.Fprintln(w, "WHAT\tMEASURED\tTARGET\t")
	for _, b := range bounds {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t\n", b.what, b.figure, judged(b.target, b.met))
		met = met && b.met
	}
	return met
}

func judged(target string, met bool) string {
	if met {
		return target
	}
	return target + " (missed)"
}
