package main

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime"
)

func show(p *progress, d runtime.Payload) { p.show(runtime.Event{Data: d}) }

func TestLiveTextIsShownOnce(t *testing.T) {
	var out strings.Builder
	p := &progress{out: &out, live: true}
	show(p, runtime.TurnStarted{Turn: 3})
	for _, part := range []string{"\n ", "I look", " at it.\nThen", "\nI act."} {
		p.say(part)
	}
	show(p, runtime.ModelMessage{Turn: 3, Text: "I look at it.\nThen\nI act."})
	show(p, runtime.TurnStarted{Turn: 4})
	show(p, runtime.ModelMessage{Turn: 4, Text: "said at once"})
	assert.Equal(t, out.String(), "3 I look at it.\n  Then\n  I act.\n4 said at once\n")
}

// An answer that was cut stays on the screen; the next one begins on its own line.
func TestLiveTextBeginsAnewAfterARetry(t *testing.T) {
	var out strings.Builder
	p := &progress{out: &out, live: true, turn: 1}
	p.say("I lo")
	show(p, runtime.ModelRetry{Attempt: 1, WaitMS: 100, Reason: "cut"})
	p.say("I look")
	show(p, runtime.ModelMessage{Turn: 1, Text: "I look"})
	assert.Equal(t, out.String(), "1 I lo\nmodel: cut; trying again in 100 ms (attempt 2)\n1 I look\n")
}

func TestLongLiveTextIsCut(t *testing.T) {
	var out strings.Builder
	p := &progress{out: &out, live: true, turn: 1}
	for range 40 {
		p.say("li")
		p.say("ne\n")
	}
	show(p, runtime.ModelMessage{Turn: 1, Text: strings.Repeat("line\n", 40)})
	assert.Equal(t, strings.Count(out.String(), "line"), mostLines+1) // the last says how many there are
	assert.Assert(t, strings.HasSuffix(out.String(), "  … 29 more lines\n"), out.String())
}

// In whatever pieces it comes, nothing steers the terminal.
func TestLiveTextHasNoControlSequences(t *testing.T) {
	const hostile = "a\x1b]0;title\x07b\x1b[2J\x1b[31mc\rd\x00\u009b5m\u202ee\x1b"
	for size := 1; size < len(hostile); size++ {
		var out strings.Builder
		p := &progress{out: &out, live: true}
		for rest := hostile; rest != ""; {
			n := min(size, len(rest))
			p.say(rest[:n])
			rest = rest[n:]
		}
		for _, r := range out.String() {
			if (r < ' ' && r != '\n' && r != '\t') || (r >= 0x7f && r < 0xa0) || r == '\u202e' {
				t.Fatalf("there is a control character %U in %q", r, out.String())
			}
		}
	}
}

func TestNoLiveTextWithoutATerminal(t *testing.T) {
	var out strings.Builder
	p := &progress{out: &out}
	p.say("hello")
	show(p, runtime.ModelMessage{Turn: 1, Text: "hello"})
	assert.Equal(t, out.String(), "1 hello\n")
}
