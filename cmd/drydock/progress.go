package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"

	"drydock/runtime"
	"drydock/tools"
)

// progress shows a run to a person on stderr, a line or a few per event. What
// comes from the model or the sandbox is cleaned of control sequences first.
type progress struct {
	out    io.Writer
	colour bool
	width  int  // columns, 0 for unlimited
	quiet  bool // only warnings
	live   bool // what the model says is shown as it comes

	mu     sync.Mutex // events and live text come from several goroutines
	turn   int
	saying saying
}

// Styles of the terminal.
const (
	styleDim  = "2"
	styleBold = "1"
	styleBad  = "31"
	styleGood = "32"
	styleWarn = "33"
)

func (p *progress) style(code, text string) string {
	if !p.colour || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p *progress) line(format string, args ...any) {
	_, _ = fmt.Fprintf(p.out, format+"\n", args...)
}

// show renders one event.
func (p *progress) show(e runtime.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	said := p.stopSaying()
	if w, ok := e.Data.(runtime.Warning); ok {
		p.line("%s", p.style(styleWarn, "warning: "+singleLine(w.Text)))
		return
	}
	if p.quiet {
		return
	}
	switch d := e.Data.(type) {
	case runtime.RunStarted:
		p.line("%s", p.style(styleDim, fmt.Sprintf("run %s  agent %s  model %s  image %s", e.RunID, oneLineOf(d.Agent), oneLineOf(d.Model), oneLineOf(d.Image))))
	case runtime.SandboxReady:
		p.sandboxReady(d)
	case runtime.SandboxReplaced:
		p.line("%s", p.style(styleWarn, "sandbox lost and replaced; files are as at the start: "+oneLineOf(d.Reason)))
	case runtime.TurnStarted:
		p.turn = d.Turn
	case runtime.ModelFacts:
		p.facts(d)
	case runtime.ModelMessage:
		if !said {
			p.message(d)
		}
	case runtime.ModelRetry:
		p.retry(d)
	case runtime.MemoryTrimmed:
		p.line("%s", p.style(styleDim, trimText(d)))
	case runtime.ModelWait:
		p.line("%s", p.style(styleDim, fmt.Sprintf("model: waiting %s, to keep to the limits of all runs", milliseconds(d.WaitMS))))
	case runtime.ToolStarted:
		p.line("  %s %s", p.style(styleBold, oneLineOf(d.Name)), p.fit(summary(d.Args), len(d.Name)+3))
	case runtime.ToolCompleted:
		p.toolDone(d)
	case runtime.PatchReady:
		p.line("%s", p.style(styleDim, fmt.Sprintf("patch: %d file(s), +%d -%d  %s", d.Files, d.Additions, d.Deletions, singleLine(d.Path))))
		for _, n := range d.Notes {
			p.line("%s", p.style(styleDim, "  "+singleLine(n)))
		}
	case runtime.ArtifactsReady:
		p.artifacts(d)
	case runtime.RunEnded:
		p.ended(d)
	}
}

func (p *progress) sandboxReady(d runtime.SandboxReady) {
	text := fmt.Sprintf("sandbox ready in %s", milliseconds(d.StartMS))
	if d.Files > 0 {
		text += fmt.Sprintf(", %d file(s) copied in", d.Files)
	}
	p.line("%s", p.style(styleDim, text))
	for _, name := range slices.Sorted(maps.Keys(d.Missing)) {
		p.line("%s", p.style(styleWarn, fmt.Sprintf("warning: no %s: %s", name, oneLineOf(d.Missing[name]))))
	}
}

// facts warns of a model that nobody knows.
func (p *progress) facts(d runtime.ModelFacts) {
	if !d.Known {
		p.line("%s", p.style(styleWarn, fmt.Sprintf("model %s is not in the table: no pictures are sent to it, and its window and prices are unknown; write what you know in its section [llm]", oneLineOf(d.Model))))
	}
}

func (p *progress) retry(d runtime.ModelRetry) {
	text := "model: " + oneLineOf(d.Reason)
	if d.WaitMS > 0 {
		text += fmt.Sprintf("; trying again in %s (attempt %d)", milliseconds(d.WaitMS), d.Attempt+1)
	}
	p.line("%s", p.style(styleWarn, text))
}

func (p *progress) message(d runtime.ModelMessage) {
	text := strings.TrimSpace(clean(d.Text))
	head := p.style(styleDim, fmt.Sprintf("%d", d.Turn))
	if text == "" {
		p.line("%s", head)
		return
	}
	lines := strings.Split(text, "\n")
	if len(lines) > mostLines {
		lines = append(lines[:mostLines], fmt.Sprintf("… %d more lines", len(lines)-mostLines))
	}
	p.line("%s %s", head, strings.Join(lines, "\n  "))
}

// toolDone shows how a call ended and the end of what it printed.
func (p *progress) toolDone(d runtime.ToolCompleted) {
	status := d.Status
	if d.ExitCode != nil && *d.ExitCode != 0 && d.Status == string(tools.StatusExitNonzero) {
		status = fmt.Sprintf("exit %d", *d.ExitCode)
	}
	style := styleBad
	if d.Status == string(tools.StatusOK) {
		style = styleGood
	}
	p.line("    %s %s", p.style(style, status), p.style(styleDim, milliseconds(d.DurationMS)))
	const most = 4
	lines := strings.Split(strings.TrimRight(clean(d.Output), "\n"), "\n")
	if len(lines) > most {
		p.line("    %s", p.style(styleDim, fmt.Sprintf("… %d lines", len(lines)-most)))
		lines = lines[len(lines)-most:]
	}
	for _, l := range lines {
		if strings.TrimSpace(l) != "" {
			p.line("    %s", p.style(styleDim, p.fit(l, 4)))
		}
	}
}

func (p *progress) artifacts(d runtime.ArtifactsReady) {
	p.line("%s", p.style(styleDim, fmt.Sprintf("artifacts: %d file(s), %d bytes  %s", d.Files, d.Bytes, d.Path)))
	for _, r := range d.Reasons {
		p.line("%s", p.style(styleWarn, "  left out "+oneLineOf(r)))
	}
	if more := d.Skipped - len(d.Reasons); more > 0 {
		p.line("%s", p.style(styleWarn, fmt.Sprintf("  left out %d more", more)))
	}
}

func (p *progress) ended(d runtime.RunEnded) {
	style, text := styleGood, "done"
	if !d.OK {
		style, text = styleBad, reasonText(d)
	}
	cost := ""
	if d.CostUSD != nil {
		cost = fmt.Sprintf(", $%.4f", *d.CostUSD)
	}
	p.line("%s %s", p.style(style, text), p.style(styleDim, fmt.Sprintf("%d turn(s), %d tool call(s), %d+%d tokens%s, %s",
		d.Turns, d.ToolCalls, d.Usage.InputTokens, d.Usage.OutputTokens, cost, milliseconds(d.DurationMS))))
}

func reasonText(d runtime.RunEnded) string {
	switch d.Reason {
	case runtime.ReasonGaveUp:
		return "the agent gave up"
	case runtime.ReasonSteps:
		return "stopped: turn limit reached"
	case runtime.ReasonTokens:
		return "stopped: token limit reached"
	case runtime.ReasonTokensIn:
		return "stopped: input token limit reached"
	case runtime.ReasonTokensOut:
		return "stopped: output token limit reached"
	case runtime.ReasonCost:
		return "stopped: cost limit reached"
	case runtime.ReasonContext:
		return "stopped: the conversation does not fit the model's context window"
	case runtime.ReasonRepeating:
		return "stopped: the agent repeats itself"
	case runtime.ReasonTime:
		return "stopped: time limit reached"
	case runtime.ReasonInterrupted:
		return "interrupted"
	}
	return "failed"
}

// fit cuts a line to the terminal.
func (p *progress) fit(line string, used int) string {
	if p.width == 0 {
		return line
	}
	return ansi.Truncate(line, max(p.width-used-1, 10), "…")
}

// summary is the part of a call's arguments that says most, on one line.
func summary(raw json.RawMessage) string {
	var args map[string]any
	if json.Unmarshal(raw, &args) != nil {
		return oneLineOf(string(raw))
	}
	for _, key := range []string{"command", "code", "status"} {
		text, ok := args[key].(string)
		if !ok {
			continue
		}
		if path, ok := args["path"].(string); ok {
			text += " " + path
		}
		return oneLineOf(text)
	}
	return oneLineOf(string(raw))
}

func milliseconds(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	if d < time.Second {
		return fmt.Sprintf("%d ms", ms)
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
