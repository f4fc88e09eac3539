package memory

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"drydock/runtime/llm"
)

// past stands for the turns that have given way: a summary, and lines for what
// came after it.
type past struct {
	turns   int
	summary string
	lines   []string
	missing int // lines that were left out before the first
}

func (p *past) text() string {
	if p.turns == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "What was done so far. The first %d turns are no longer shown, this stands for them:\n", p.turns)
	if p.summary != "" {
		b.WriteString(p.summary + "\n")
	}
	if p.missing > 0 {
		fmt.Fprintf(&b, "(%d earlier steps are left out)\n", p.missing)
	}
	b.WriteString(strings.Join(p.lines, "\n"))
	return strings.TrimRight(b.String(), "\n")
}

// list takes up turns as lines; the oldest are left out where all lines take more
// than some tokens.
func (p *past) list(gone []turn, tokens int) {
	for _, t := range gone {
		p.lines = append(p.lines, lines(t)...)
	}
	from := len(p.lines)
	for ; from > 0; from-- {
		if tokens -= textTokens(p.lines[from-1]) + 1; tokens < 0 {
			break
		}
	}
	p.missing += from
	p.lines = append([]string(nil), p.lines[from:]...)
}

// Lengths in a line, in characters.
const (
	shownText   = 100
	shownCall   = 120
	shownResult = 80
)

// lines tells of a turn: what the model said and called, and how each result
// begins.
func lines(t turn) []string {
	var list []string
	results := map[string]string{}
	for _, e := range t {
		if e.Role == llm.RoleTool {
			results[e.ToolCallID] = e.Text
		}
	}
	for _, e := range t {
		if e.Role != llm.RoleAssistant {
			continue
		}
		if text := beginning(e.Text, shownText); text != "" {
			list = append(list, "- said: "+text)
		}
		for _, c := range e.ToolCalls {
			list = append(list, "- "+beginning(c.Name+" "+c.Arguments, shownCall)+" → "+beginning(results[c.ID], shownResult))
		}
	}
	return list
}

// beginning is the start of a text on one line.
func beginning(text string, most int) string {
	const perCharacter = utf8.UTFMax + 4 // also where much of it is white space
	text = strings.ToValidUTF8(text[:min(len(text), most*perCharacter)], "")
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…"
}
