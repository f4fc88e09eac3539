package openai

import (
	"errors"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"drydock/runtime/llm"
)

// maxMessageRunes keeps an error on one readable line.
const maxMessageRunes = 300

// minKeyLen spares texts from having every "x" replaced where a local server's
// key is a placeholder of a letter or two.
const minKeyLen = 4

// clean makes an error fit to be shown: one short line without the key. The
// cut comes last, because it could leave half of a key.
func (m *Model) clean(e *llm.Error) {
	e.Message = cut(m.redact(oneLine(e.Message)), maxMessageRunes)
	if e.Err != nil {
		if text := e.Err.Error(); m.redact(text) != text {
			e.Err = errors.New(m.redact(text))
		}
	}
}

// minAnswerKeyLen is the length from which a key is taken out of answers as
// well. A shorter one, as local servers are given, may be an ordinary word.
const minAnswerKeyLen = 20

// cleanAnswer takes the key out of an answer. Some gateways answer with the text
// of an error, request headers included, as if the model had said it; from there
// it would come to the log, and with a tool call into the sandbox.
func (m *Model) cleanAnswer(resp *llm.Response) {
	if len(m.cfg.APIKey) < minAnswerKeyLen {
		return
	}
	resp.Model = m.redact(resp.Model)
	resp.Message.Text = m.redact(resp.Message.Text)
	for i := range resp.Message.ToolCalls {
		call := &resp.Message.ToolCalls[i]
		call.ID, call.Name, call.Arguments = m.redact(call.ID), m.redact(call.Name), m.redact(call.Arguments)
	}
}

func (m *Model) redact(text string) string {
	key := m.cfg.APIKey
	if len(key) < minKeyLen {
		return text
	}
	text = strings.ReplaceAll(text, key, "[redacted]")
	return strings.ReplaceAll(text, url.QueryEscape(key), "[redacted]")
}

// oneLine collapses white space and drops what a terminal could take as a
// command.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return -1
		default:
			return r
		}
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Join(strings.Fields(text), " ")
}

func cut(text string, runes int) string {
	if utf8.RuneCountInString(text) <= runes {
		return text
	}
	return string([]rune(text)[:runes-1]) + "…"
}
