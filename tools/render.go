package tools

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Render is a result as the model reads it. The wording is short and stable,
// because prompts depend on it: the output as it was, then what there is to
// know about it, each in square brackets on a line of its own. limit bounds the
// output's size in bytes; 0 means no further bound.
func Render(r Result, limit int) string {
	var b strings.Builder
	b.WriteString(body(r, limit))
	for _, note := range notes(r) {
		if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
			b.WriteByte('\n')
		}
		b.WriteString("[" + note + "]\n")
	}
	return b.String()
}

func body(r Result, limit int) string {
	p := r.Program
	if p == nil {
		return cutMiddle(r.Text, limit)
	}
	if p.Dropped == 0 {
		return cutMiddle(Clean(p.Head), limit)
	}
	head, tail := Clean(p.Head), Clean(p.Tail)
	if limit > 0 {
		head, tail = firstBytes(head, limit/2), lastBytes(tail, limit/2)
	}
	left := p.Total - int64(len(head)) - int64(len(tail))
	return head + gap(left, p.Log) + tail
}

// gap stands where output was left out.
func gap(bytes int64, log string) string {
	if log == "" {
		return fmt.Sprintf("\n[… %d bytes left out …]\n", bytes)
	}
	return fmt.Sprintf("\n[… %d bytes left out; the output is in %s …]\n", bytes, log)
}

func cutMiddle(text string, limit int) string {
	if limit <= 0 || len(text) <= limit {
		return text
	}
	head, tail := firstBytes(text, limit/2), lastBytes(text, limit/2)
	return head + gap(int64(len(text)-len(head)-len(tail)), "") + tail
}

// firstBytes and lastBytes cut between characters.
func firstBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func lastBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	from := len(s) - n
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return s[from:]
}

// notes says what the output does not.
func notes(r Result) []string {
	p := r.Program
	if p == nil {
		return nil
	}
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
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
	if p.Replaced != "" {
		add("%s", p.Replaced)
	}
	if len(p.Jobs) > 0 {
		add("running in the background: %s", jobList(p))
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

// Clean makes program output fit for a model and for a terminal: control
// sequences are taken out, other control characters but tab and newline become
// visible, and invalid UTF-8 becomes U+FFFD. The raw bytes stay in the sandbox.
func Clean(raw []byte) string {
	text := strings.ToValidUTF8(string(raw), "\uFFFD")
	if !needsCleaning(text) {
		return text
	}
	text = stripSequences(text)
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return '\n' // progress bars: each state on a line
		case r < ' ':
			return 0x2400 + r // the picture of the control character
		case r == 0x7f:
			return 0x2421
		case r > 0x7f && r < 0xa0: // C1 controls, which some terminals obey
			return utf8.RuneError
		case isBidiControl(r):
			return utf8.RuneError
		}
		return r
	}, text)
}

// stripSequences takes escape sequences out of each line. One that is not ended
// takes the rest of its line along, not all that follows.
func stripSequences(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = ansi.Strip(line)
	}
	return strings.Join(lines, "\n")
}

func needsCleaning(s string) bool {
	for _, r := range s {
		if (r < ' ' && r != '\n' && r != '\t') || (r >= 0x7f && r < 0xa0) || isBidiControl(r) {
			return true
		}
	}
	return false
}

// isBidiControl tells the characters that make text read in another order than
// it is written, which can hide what code does.
func isBidiControl(r rune) bool {
	return (r >= 0x202a && r <= 0x202e) || (r >= 0x2066 && r <= 0x2069)
}
