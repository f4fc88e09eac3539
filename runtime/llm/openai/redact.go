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
