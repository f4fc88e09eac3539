package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Repair reads arguments that are almost JSON, and says what was wrong with
// them. It takes only what can be read in one way: the whole text must be one
// object, to its end, so a text that was cut off never is. Everything else is
// an error.
//
// It takes an object in a code fence or inside of a JSON string, single quotes,
// names without quotes, a comma before a closing bracket, True, False and None,
// and a line break or tab inside a string.
func Repair(text []byte) (json.RawMessage, string, error) {
	r := reader{text: text}
	r.unwrap()
	if err := r.value(0); err != nil {
		return nil, "", err
	}
	r.blanks()
	if r.at != len(r.text) {
		return nil, "", errNotOne
	}
	out := bytes.TrimSpace(r.out)
	if !json.Valid(out) || out[0] != '{' {
		return nil, "", errNotOne
	}
	return out, strings.Join(r.wrong, ", "), nil
}

var errNotOne = errors.New("the arguments cannot be read in one way only")

var (
	fence   = regexp.MustCompile("(?s)^```(?:json)?[ \t]*\r?\n(.*)\n```$")
	name    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*`)
	number  = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`)
	literal = map[string]string{"true": "true", "false": "false", "null": "null", "True": "true", "False": "false", "None": "null"}
)

// reader goes through a text once and writes JSON.
type reader struct {
	text  []byte
	at    int
	out   []byte
	wrong []string
}

func (r *reader) note(what string) {
	if !slices.Contains(r.wrong, what) {
		r.wrong = append(r.wrong, what)
	}
}

// unwrap takes off what is around the object.
func (r *reader) unwrap() {
	r.text = bytes.TrimSpace(r.text)
	if rest, ok := bytes.CutPrefix(r.text, []byte("\ufeff")); ok {
		r.text = rest
		r.note("a byte order mark")
	}
	if m := fence.FindSubmatch(r.text); m != nil {
		r.text = m[1]
		r.note("a code fence")
	}
	var inner string
	if json.Unmarshal(r.text, &inner) == nil && !halfSurrogate(r.text) {
		r.text = []byte(inner)
		r.note("an object inside a string")
	}
}

func (r *reader) blanks() {
	for r.at < len(r.text) && strings.IndexByte(" \t\r\n", r.text[r.at]) >= 0 {
		r.at++
	}
}

// next is the next byte that is not blank, 0 at the end.
func (r *reader) next() byte {
	r.blanks()
	if r.at == len(r.text) {
		return 0
	}
	return r.text[r.at]
}

// maxDepth is more than any tool's arguments have.
const maxDepth = 32

func (r *reader) value(depth int) error {
	if depth > maxDepth {
		return errNotOne
	}
	switch c := r.next(); c {
	case '{':
		return r.list(depth, '}', true)
	case '[':
		return r.list(depth, ']', false)
	case '"', '\'':
		return r.quoted(c)
	}
	rest := r.text[r.at:]
	if m := number.Find(rest); m != nil {
		return r.take(m, m)
	}
	word := name.Find(rest)
	json, ok := literal[string(word)]
	if !ok {
		return errNotOne
	}
	if json != string(word) {
		r.note(string(word) + " for " + json)
	}
	return r.take(word, []byte(json))
}

func (r *reader) take(text, as []byte) error {
	r.at += len(text)
	r.out = append(r.out, as...)
	return nil
}

// list reads an object or an array.
func (r *reader) list(depth int, end byte, named bool) error {
	r.out = append(r.out, r.text[r.at])
	r.at++
	for first := true; ; first = false {
		c := r.next()
		if c == end {
			r.at++
			r.out = append(r.out, end)
			return nil
		}
		if !first {
			if c != ',' {
				return errNotOne
			}
			r.at++
			if r.next() == end {
				r.note("a comma before a closing bracket")
				continue
			}
			r.out = append(r.out, ',')
		}
		if err := r.item(depth, named); err != nil {
			return err
		}
	}
}

func (r *reader) item(depth int, named bool) error {
	if named {
		if err := r.key(); err != nil {
			return err
		}
	}
	return r.value(depth + 1)
}

func (r *reader) key() error {
	c := r.next()
	if c == '"' || c == '\'' {
		if err := r.quoted(c); err != nil {
			return err
		}
	} else {
		word := name.Find(r.text[r.at:])
		if word == nil {
			return errNotOne
		}
		r.note("a name without quotes")
		_ = r.take(word, []byte(`"`+string(word)+`"`))
	}
	if r.next() != ':' {
		return errNotOne
	}
	r.at++
	r.out = append(r.out, ':')
	return nil
}

// quoted reads a string. Only escapes that mean the same in JSON, Python and
// JavaScript are taken.
func (r *reader) quoted(quote byte) error {
	if quote == '\'' {
		r.note("single quotes")
	}
	r.at++
	r.out = append(r.out, '"')
	for r.at < len(r.text) {
		c := r.text[r.at]
		switch {
		case c == quote:
			r.at++
			r.out = append(r.out, '"')
			return nil
		case c == '\\':
			if err := r.escape(quote); err != nil {
				return err
			}
			continue
		case c == '"':
			r.out = append(r.out, '\\', '"')
		case c < ' ':
			if quote == '\'' || !r.control(c) {
				return errNotOne
			}
		default:
			_, n := utf8.DecodeRune(r.text[r.at:])
			r.out = append(r.out, r.text[r.at:r.at+n]...)
			r.at += n - 1
		}
		r.at++
	}
	return errNotOne
}

func (r *reader) control(c byte) bool {
	short, ok := map[byte]string{'\n': `\n`, '\r': `\r`, '\t': `\t`}[c]
	r.note("a line break or tab inside a string")
	r.out = append(r.out, short...)
	return ok
}

func (r *reader) escape(quote byte) error {
	if r.at+1 == len(r.text) {
		return errNotOne
	}
	size := 2
	switch c := r.text[r.at+1]; {
	case c == '\'' && quote == '\'':
		r.at++
		return r.take([]byte(`'`), []byte(`'`))
	case c == 'u':
		size = 6
		if _, ok := hexUnit(r.text, r.at+1); !ok {
			return errNotOne
		}
	case strings.IndexByte(`"\nrtbf`, c) < 0:
		return errNotOne
	}
	return r.take(r.text[r.at:r.at+size], r.text[r.at:r.at+size])
}
