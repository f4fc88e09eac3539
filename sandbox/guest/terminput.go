package guest

import (
	"fmt"
	"strings"
	"time"

	"drydock/sandbox/wire"
)

// inputLimit is how long a program may leave its input unread.
const inputLimit = 2 * time.Second

// input is the text and the keys of a request as bytes.
func (t *termSession) input(req wire.TerminalRequest) (string, error) {
	if len(req.Text) > wire.MaxTerminalText {
		return "", &failure{wire.CodeTooLarge, fmt.Sprintf("a text of %d bytes is over the limit of %d; write a file instead", len(req.Text), wire.MaxTerminalText)}
	}
	if len(req.Keys) > wire.MaxTerminalKeys {
		return "", &failure{wire.CodeTooLarge, fmt.Sprintf("%d keys are over the limit of %d", len(req.Keys), wire.MaxTerminalKeys)}
	}
	// What a keyboard sends at the end of a line is a carriage return.
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(strings.ReplaceAll(req.Text, "\r\n", "\r"), "\n", "\r"))
	for _, k := range req.Keys {
		seq, err := t.screen.Key(k)
		if err != nil {
			return "", &failure{wire.CodeInvalid, err.Error()}
		}
		b.WriteString(seq)
	}
	return b.String(), nil
}

// send types input and says how many bytes of it the terminal took. From here on
// counts what a wait looks for.
func (t *termSession) send(input, text string) (int, error) {
	t.typing.Lock()
	defer t.typing.Unlock()
	if t.over() {
		return 0, &failure{wire.CodeInvalid, fmt.Sprintf("session %s has ended with exit code %d; start another", t.name, t.code)}
	}
	shown, alternate := t.shown()
	t.mu.Lock()
	t.mark0, t.shown0 = t.plain.End(), ""
	if alternate {
		t.shown0 = shown
	}
	t.echo, _, _ = strings.Cut(text, "\n")
	t.mu.Unlock()
	_ = t.master.SetWriteDeadline(time.Now().Add(inputLimit))
	n, _ := t.master.WriteString(input) // what was not taken is told by the count
	_ = t.master.SetWriteDeadline(time.Time{})
	return n, nil
}

func (t *termSession) shown() (text string, alternate bool) {
	show := t.screen.Show()
	return strings.Join(show.Lines, "\n"), show.Alternate
}
