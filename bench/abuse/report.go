package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"drydock/sandbox/sandboxtest/abuse"
)

// report shows verdicts as they come.
type report interface {
	show(v abuse.Verdict)
	end(tried, held int)
}

// table is for a person.
type table struct {
	w      io.Writer
	headed bool
}

const row = "%-28s %-11s %-52s %-26s %-13s %9s  %s\n"

func (t *table) show(v abuse.Verdict) {
	if !t.headed {
		_, _ = fmt.Fprintf(t.w, row, "ID", "KIND", "TRIES", "EXPECTED", "GOT", "OVERSHOOT", "HELD")
		t.headed = true
	}
	held := "yes"
	switch {
	case v.Skipped != "":
		held = "not played: " + v.Skipped
	case !v.Held():
		held = "NO: " + printable(strings.Join(v.Broken, "; "))
	}
	_, _ = fmt.Fprintf(t.w, row, v.Case.ID, v.Case.Kind, cut(printable(v.Case.Tries), 52), expected(v.Case), v.Outcome.Ending, overshoot(v.Overshoot), held)
}

func (t *table) end(tried, held int) {
	_, _ = fmt.Fprintf(t.w, "tried %d, held %d\n", tried, held)
}

func expected(c abuse.Case) string {
	if len(c.Expect) == 0 {
		return "any but lost"
	}
	var all []string
	for _, e := range c.Expect {
		all = append(all, string(e))
	}
	return strings.Join(all, "|")
}

func overshoot(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return d.Round(time.Millisecond).String()
}

// printable keeps what a hostile program says from the terminal.
func printable(text string) string {
	quoted := strconv.QuoteToASCII(text)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

func cut(text string, most int) string {
	if len(text) > most {
		return text[:most-2] + ".."
	}
	return text
}

// jsonLines is for programs.
type jsonLines struct{ w io.Writer }

func (j jsonLines) show(v abuse.Verdict) {
	j.print(map[string]any{
		"id": v.Case.ID, "kind": v.Case.Kind, "tries": v.Case.Tries, "expected": v.Case.Expect, "got": v.Outcome.Ending,
		"took_ms": v.Outcome.Took.Milliseconds(), "overshoot_ms": v.Overshoot.Milliseconds(), "growth_bytes": v.Growth,
		"skipped": v.Skipped, "held": v.Held(), "broken": v.Broken,
	})
}

func (j jsonLines) end(tried, held int) { j.print(map[string]any{"tried": tried, "held": held}) }

func (j jsonLines) print(v any) { _ = json.NewEncoder(j.w).Encode(v) }
