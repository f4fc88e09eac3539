package main

import (
	"fmt"
	"strings"
)

// mostLines is how much of a message a person is shown while the run goes on.
const mostLines = 12

// saying is a message of the model that is on its way to the terminal.
type saying struct {
	begun  bool
	lines  int // line ends so far
	hidden int // of these, beyond what is shown
}

// say shows a part of what the model says, as it comes.
func (p *progress) say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.live {
		return
	}
	text = clean(text)
	if !p.saying.begun {
		if text = strings.TrimLeft(text, " \t\n"); text == "" {
			return
		}
		p.saying.begun = true
		p.print(p.style(styleDim, fmt.Sprintf("%d", p.turn)) + " ")
	}
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			p.saying.lines++
			if p.saying.lines >= mostLines {
				p.saying.hidden++
				continue
			}
			p.print("\n  ")
		}
		if p.saying.lines < mostLines {
			p.print(line)
		}
	}
}

// stopSaying ends the line, and says whether a message was being shown.
func (p *progress) stopSaying() bool {
	said := p.saying
	p.saying = saying{}
	if !said.begun {
		return false
	}
	p.print("\n")
	if said.hidden > 0 {
		p.line("  … %d more lines", said.hidden)
	}
	return true
}

func (p *progress) print(text string) { _, _ = fmt.Fprint(p.out, text) }
