package tools

import (
	"fmt"
	"strings"
	"time"
)

// notes says what the output does not.
func notes(r Result) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if r.Repaired != "" {
		add("the arguments were not valid JSON (%s); they were read as the object that they could only mean", r.Repaired)
	}
	p := r.Program
	switch {
	case r.Screen != nil:
		return append(out, screenNotes(r.Screen)...)
	case p == nil:
		return out
	}
	switch r.Status {
	case StatusExitNonzero:
		add("exit code %d", p.ExitCode)
	case StatusTimeout:
		add("timed out after %s; everything it started was ended", seconds(p.Limit))
	case StatusOOM:
		add("exit code %d: killed because the memory limit was reached", p.ExitCode)
	case StatusOutputLimit:
		add("ended because it printed more than the output limit: %d bytes", p.Total)
	case StatusOK:
		if p.Total == 0 {
			add("no output, exit code 0")
		}
	}
	if p.OOMKills > 0 && r.Status != StatusOOM {
		add("%d process(es) were killed because the memory limit was reached", p.OOMKills)
	}
	if p.PidsFull {
		add("the process limit was reached; %d process(es) of this call were ended", p.Killed)
	}
	if p.DiskFull {
		add("ended because the disk limit of this run was reached; remove files before writing more")
	}
	if p.Asked > p.Limit {
		add("the time limit asked for is over the maximum and was cut to %s", seconds(p.Limit))
	}
	if p.Replaced != "" {
		add("%s", p.Replaced)
	}
	if len(p.Jobs) > 0 {
		add("running in the background: %s", jobList(p))
	}
	if p.LateLog != "" {
		add("what this call left running prints from now on to %s", p.LateLog)
	}
	for _, l := range p.Late {
		add("earlier background output: %d more bytes in %s", l.Bytes, l.File)
	}
	return out
}

func jobList(p *Program) string {
	const most = 5
	var parts []string
	for i, j := range p.Jobs {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %d more", len(p.Jobs)-most))
			break
		}
		parts = append(parts, fmt.Sprintf("%d (%s)", j.PID, Clean([]byte(firstBytes(j.Command, 80)))))
	}
	return strings.Join(parts, ", ")
}

func seconds(d time.Duration) string {
	return fmt.Sprintf("%g s", d.Round(100*time.Millisecond).Seconds())
}
