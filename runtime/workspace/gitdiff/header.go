package gitdiff

import (
	"fmt"
	"strings"
)

const shortIDLen = 7

// header prints the lines that say which files a change is about and how their
// names and modes change.
func (p *printer) header(c Change, binary bool) {
	a, b := c.names()
	if c.headerOnly(binary) && strings.Contains(c.path(), " /") {
		a, b = forceQuote(a), forceQuote(b)
	}
	_, _ = fmt.Fprintf(p.w, "diff --git %s %s\n", a, b)
	switch {
	case c.Old == nil:
		fmt.Fprintf(p.w, "new file mode %06o\n", c.New.Mode)
	case c.New == nil:
		fmt.Fprintf(p.w, "deleted file mode %06o\n", c.Old.Mode)
	case c.Old.Mode != c.New.Mode:
		fmt.Fprintf(p.w, "old mode %06o\nnew mode %06o\n", c.Old.Mode, c.New.Mode)
	}
	if c.Old != nil && c.New != nil && c.Old.Path != c.New.Path {
		fmt.Fprintf(p.w, "similarity index %d%%\nrename from %s\nrename to %s\n",
			c.score*100/maxScore, quotePath(c.Old.Path), quotePath(c.New.Path))
	}
	if !c.sameContent() {
		p.index(c, binary)
	}
}

// headerOnly says whether the first line is the only one to name the file. Git
// then cannot read back a bare name with a directory that ends in a space, so
// such a name is quoted although git itself prints it bare.
func (c Change) headerOnly(binary bool) bool {
	switch {
	case c.Old == nil:
		return binary || c.New.Size == 0
	case c.New == nil:
		return binary || c.Old.Size == 0
	default:
		return c.Old.Path == c.New.Path && (binary || c.sameContent())
	}
}

func forceQuote(name string) string {
	if strings.HasPrefix(name, `"`) {
		return name
	}
	return `"` + name + `"`
}

// index prints the object names, in full for a binary change, which git checks
// the old content against.
func (p *printer) index(c Change, binary bool) {
	n := shortIDLen
	if binary {
		n = p.format.HexLen()
	}
	fmt.Fprintf(p.w, "index %.*s..%.*s", n, p.id(c.Old), n, p.id(c.New))
	if c.Old != nil && c.New != nil && c.Old.Mode == c.New.Mode {
		fmt.Fprintf(p.w, " %06o", c.New.Mode)
	}
	p.w.WriteByte('\n')
}

func (p *printer) id(b *Blob) string {
	if b == nil {
		return strings.Repeat("0", p.format.HexLen())
	}
	return b.ID
}

// labels prints the two lines that open the hunks of a text.
func (p *printer) labels(c Change) {
	a, b := c.names()
	if c.Old == nil {
		a = "/dev/null"
	}
	if c.New == nil {
		b = "/dev/null"
	}
	fmt.Fprintf(p.w, "--- %s%s\n+++ %s%s\n", a, labelEnd(a), b, labelEnd(b))
}

// labelEnd keeps programs that read a time after the name from taking part of a
// name with spaces for it.
func labelEnd(label string) string {
	if strings.Contains(label, " ") {
		return "\t"
	}
	return ""
}

// names gives the old and the new name with their prefixes; the file that does
// not exist goes by the name of the other.
func (c Change) names() (a, b string) {
	oldPath, newPath := c.path(), c.path()
	if c.Old != nil {
		oldPath = c.Old.Path
	}
	return quotePath("a/" + oldPath), quotePath("b/" + newPath)
}
