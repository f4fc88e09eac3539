package workspace

import (
	"bytes"
	"strings"
)

// configParser splits a git configuration file into items.
type configParser struct {
	data    []byte
	pos     int
	section string // the current one, in lower case, without a subsection
}

// configItem is a section header, a variable or a comment. key is set for a
// variable, in lower case; value is what git makes of it.
type configItem struct {
	text   string // as it stands in the file, with its line end
	header bool
	key    string
	value  string
}

func (p *configParser) peek() byte {
	if p.pos < len(p.data) {
		return p.data[p.pos]
	}
	return 0
}

// blank takes white space between items.
func (p *configParser) blank() []byte {
	start := p.pos
	for p.pos < len(p.data) && bytes.IndexByte([]byte(" \t\r\n"), p.data[p.pos]) >= 0 {
		p.pos++
	}
	return p.data[start:p.pos]
}

func (p *configParser) item() (configItem, bool) {
	start, item, ok := p.pos, configItem{}, true
	switch c := p.peek(); {
	case p.pos == len(p.data):
	case c == '#' || c == ';':
		p.restOfLine()
	case c == '[':
		item.header = true
		ok = p.header()
	case isAlpha(c):
		ok = p.variable(&item)
	case bytes.HasPrefix(p.data, []byte("\xef\xbb\xbf")) && p.pos == 0:
		p.pos = 3
	default:
		ok = false
	}
	item.text = string(p.data[start:p.pos])
	return item, ok
}

func isAlpha(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func (p *configParser) restOfLine() {
	n := bytes.IndexByte(p.data[p.pos:], '\n')
	if n < 0 {
		p.pos = len(p.data)
		return
	}
	p.pos += n + 1
}

// header reads `[section]`, `[section "sub"]` or the old `[section.sub]`.
func (p *configParser) header() bool {
	start, quoted := p.pos+1, false
	for p.pos++; p.pos < len(p.data); p.pos++ {
		switch c := p.data[p.pos]; {
		case c == '\n':
			return false
		case c == '\\' && quoted:
			p.pos++
		case c == '"':
			quoted = !quoted
		case c == ']' && !quoted:
			name, _, _ := strings.Cut(string(p.data[start:p.pos]), `"`)
			name, _, _ = strings.Cut(name, ".")
			p.section = strings.ToLower(strings.TrimSpace(name))
			p.pos++
			return true
		}
	}
	return false
}

// variable reads a name and, behind "=", its value with the line end.
func (p *configParser) variable(item *configItem) bool {
	start := p.pos
	for c := p.peek(); isAlpha(c) || c >= '0' && c <= '9' || c == '-'; c = p.peek() {
		p.pos++
	}
	item.key = strings.ToLower(string(p.data[start:p.pos]))
	for p.peek() == ' ' || p.peek() == '\t' || p.peek() == '\r' {
		p.pos++
	}
	switch p.peek() {
	case '=':
		p.pos++
		return p.value(item)
	case '\n':
		p.pos++
		return true
	default:
		return p.pos == len(p.data)
	}
}

// value reads up to the end of the line. A backslash at the end continues it.
func (p *configParser) value(item *configItem) bool {
	var v []byte
	quoted := false
	for ; p.pos < len(p.data); p.pos++ {
		switch c := p.data[p.pos]; {
		case c == '\n':
			p.pos++
			item.value = strings.TrimSpace(string(v))
			return !quoted
		case (c == '#' || c == ';') && !quoted:
			p.restOfLine()
			item.value = strings.TrimSpace(string(v))
			return true
		case c == '"':
			quoted = !quoted
		case c == '\\':
			p.pos++
			if p.peek() == '\r' {
				p.pos++
			}
			if c = p.peek(); c != '\n' {
				v = append(v, c)
			}
		default:
			v = append(v, c)
		}
	}
	p.pos = len(p.data)
	item.value = strings.TrimSpace(string(v))
	return !quoted
}
