package ignore

import "strings"

// compileClass reads a bracket expression; i is behind its "[". One that does
// not end, or names an unknown class, makes the whole pattern match nothing.
func compileClass(pattern string, i int) (step, int) {
	p := classParser{pattern: pattern, i: i}
	if p.peek(0) == '!' || p.peek(0) == '^' {
		p.negated = true
		p.i++
	}
	// A "]" right at the start is a member.
	for first := true; first || p.peek(0) != ']'; first = false {
		if !p.member() {
			return step{kind: never}, len(pattern)
		}
	}
	if p.negated {
		for c := range p.set {
			p.set[c] = !p.set[c]
		}
	}
	return step{kind: class, set: &p.set}, p.i + 1
}

type classParser struct {
	pattern string
	i       int
	set     byteSet
	negated bool
	last    byte // the member before, which a range may begin with; 0 if none can
}

// peek gives the byte n places on, 0 at the end.
func (p *classParser) peek(n int) byte {
	if p.i+n < len(p.pattern) {
		return p.pattern[p.i+n]
	}
	return 0
}

// member reads one byte, range or named class, and says whether it is sound.
func (p *classParser) member() bool {
	switch c := p.peek(0); {
	case c == 0:
		return false
	case c == '-' && p.last != 0 && p.peek(1) != 0 && p.peek(1) != ']':
		p.i++
		return p.rangeTo()
	case c == '[' && p.peek(1) == ':':
		if name, ok := p.className(); ok {
			p.i += len("[:") + len(name) + len(":]")
			p.last = 0
			return p.addNamed(name)
		}
	}
	c, ok := p.literal()
	p.set[c] = true
	p.last = c
	return ok
}

// literal reads a byte that may be escaped.
func (p *classParser) literal() (byte, bool) {
	c := p.peek(0)
	if c == '\\' {
		p.i++
		c = p.peek(0)
	}
	p.i++
	return c, c != 0
}

func (p *classParser) rangeTo() bool {
	end, ok := p.literal()
	for c := int(p.last); c <= int(end); c++ {
		p.set[c] = true
	}
	p.last = 0
	return ok
}

// className gives the name in "[:name:]", where the next "]" ends one.
func (p *classParser) className() (string, bool) {
	rest := p.pattern[p.i+len("[:"):]
	end := strings.IndexByte(rest, ']')
	if end < 1 || rest[end-1] != ':' {
		// Without any "]" the expression does not end; member finds that out.
		return "", false
	}
	return rest[:end-1], true
}

func (p *classParser) addNamed(name string) bool {
	has := namedClass(name)
	if has == nil {
		return false
	}
	for c := range 128 {
		if has(byte(c)) {
			p.set[c] = true
		}
	}
	return true
}

// namedClass gives the test for a POSIX class, of ASCII only. As in git, white
// space is without the vertical tab and the form feed.
func namedClass(name string) func(byte) bool {
	lower := func(c byte) bool { return c >= 'a' && c <= 'z' }
	upper := func(c byte) bool { return c >= 'A' && c <= 'Z' }
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	alnum := func(c byte) bool { return lower(c) || upper(c) || digit(c) }
	graph := func(c byte) bool { return c > ' ' && c < 0x7f }
	switch name {
	case "alnum":
		return alnum
	case "alpha":
		return func(c byte) bool { return lower(c) || upper(c) }
	case "blank":
		return func(c byte) bool { return c == ' ' || c == '\t' }
	case "cntrl":
		return func(c byte) bool { return c < ' ' || c == 0x7f }
	case "digit":
		return digit
	case "graph":
		return graph
	case "lower":
		return lower
	case "print":
		return func(c byte) bool { return graph(c) || c == ' ' }
	case "punct":
		return func(c byte) bool { return graph(c) && !alnum(c) }
	case "space":
		return func(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
	case "upper":
		return upper
	case "xdigit":
		return func(c byte) bool { return digit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
	default:
		return nil
	}
}
