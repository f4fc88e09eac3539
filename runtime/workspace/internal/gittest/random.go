package gittest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Random makes trees and edits; the same seed makes the same ones.
type Random struct {
	*rand.Rand
	// Terminated makes every text end with a newline.
	Terminated bool
	n          int
}

// NewRandom starts from seed.
func NewRandom(seed uint64) *Random {
	return &Random{Rand: rand.New(rand.NewPCG(seed, 0x6472796f))}
}

func (r *Random) chance(percent int) bool { return r.IntN(100) < percent }

func pick[T any](r *Random, from ...T) T { return from[r.IntN(len(from))] }

// Tree makes up to files files of all kinds.
func (r *Random) Tree(files int) Tree {
	t := Tree{}
	for range 1 + r.IntN(files) {
		r.add(t, r.path(), r.file())
	}
	return t
}

// add puts f at p unless that clashes with what is there.
func (r *Random) add(t Tree, p string, f File) {
	for q := range t {
		if q == p || strings.HasPrefix(q, p+"/") || strings.HasPrefix(p, q+"/") {
			return
		}
	}
	t[p] = f
}

var words = []string{
	"a", "b", "main", "x y", "tab\there", "new\nline", `q"uote`, `back\slash`, "-dash", "ünï", "日本",
	"\xff\xfe", "a'b", "$HOME", " lead", "trail ", "a.txt", "a-b", "a0", "~", "#hash", "%s", "a=b", "\x7f", "\x01",
}

func (r *Random) path() string {
	parts := make([]string, 1+r.IntN(3))
	for i := range parts {
		parts[i] = pick(r, words...)
		if r.chance(40) {
			r.n++
			parts[i] += fmt.Sprint(r.n)
		}
	}
	return strings.Join(parts, "/")
}

func (r *Random) file() File {
	f := File{Exec: r.chance(15)}
	switch n := r.IntN(100); {
	case n < 8:
		return File{Link: true, Data: pick(r, "a", "../b", "/etc/passwd", "x y", "no\nwhere", strings.Repeat("long/", 40))}
	case n < 12: // empty
	case n < 25:
		f.Data = r.binary()
	default:
		f.Data = r.Text(pick(r, 1, 5, 30, 200))
	}
	return f
}

func (r *Random) binary() string {
	b := make([]byte, r.IntN(pick(r, 20, 3000, 90000)))
	span := pick(r, 2, 20, 256)
	for i := range b {
		b[i] = byte(r.IntN(span))
	}
	if at := r.IntN(len(b) + 1); at < len(b) && at < 8000 {
		b[at] = 0
	}
	return string(b)
}

// Text makes up to lines lines that look like source code and repeat often.
func (r *Random) Text(lines int) string {
	var b strings.Builder
	end, distinct := pick(r, "\n", "\n", "\n", "\r\n"), pick(r, 2, 10, 1000)
	for range 1 + r.IntN(lines) {
		b.WriteString(r.line(distinct) + end)
	}
	return r.finish(b.String())
}

func (r *Random) finish(text string) string {
	if !r.Terminated && r.chance(20) {
		return strings.TrimSuffix(text, "\n")
	}
	return text
}

func (r *Random) line(distinct int) string {
	switch n := r.IntN(100); {
	case n < 15:
		return pick(r, "", "", "  ", "\t")
	case n < 30:
		return strings.Repeat("\t", r.IntN(3)) + pick(r, "}", "return", "else {", "end")
	case n < 40:
		return fmt.Sprintf("%sfunc f%d(%s) {", pick(r, "", "_", "$", "日"), r.IntN(distinct), strings.Repeat("arg ", r.IntN(30)))
	default:
		return strings.Repeat(" ", 4*r.IntN(4)) + fmt.Sprintf("x%d = y%d", r.IntN(distinct), r.IntN(3))
	}
}
