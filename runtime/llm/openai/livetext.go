package openai

import "strings"

// liveText passes an answer's text on as it comes, without the key: what may be
// the beginning of the key waits until more has come.
type liveText struct {
	on   func(string)
	key  string
	held string
}

func (m *Model) newLiveText() *liveText {
	t := &liveText{on: m.cfg.OnText}
	if len(m.cfg.APIKey) >= minAnswerKeyLen {
		t.key = m.cfg.APIKey
	}
	return t
}

func (t *liveText) add(text string) {
	if t.on == nil {
		return
	}
	t.held += text
	if t.key != "" {
		t.held = strings.ReplaceAll(t.held, t.key, "[redacted]")
	}
	keep := t.unsure()
	text, t.held = t.held[:len(t.held)-keep], t.held[len(t.held)-keep:]
	if text != "" {
		t.on(text)
	}
}

// unsure is the length of the longest end that is a beginning of the key.
func (t *liveText) unsure() int {
	for n := min(len(t.key)-1, len(t.held)); n > 0; n-- {
		if strings.HasSuffix(t.held, t.key[:n]) {
			return n
		}
	}
	return 0
}

// flush passes on what waited. It is for a complete answer only.
func (t *liveText) flush() {
	if t.on != nil && t.held != "" {
		t.on(t.held)
		t.held = ""
	}
}
