package gittest

import (
	"fmt"
	"strings"
)

// Edit changes a copy of t in up to edits places.
func (r *Random) Edit(t Tree, edits int) Tree {
	t = t.Clone()
	for range r.IntN(edits + 1) {
		r.edit(t)
	}
	return t
}

func (r *Random) edit(t Tree) {
	paths := t.Paths()
	if len(paths) == 0 || r.chance(15) {
		r.add(t, r.path(), r.file())
		return
	}
	p := pick(r, paths...)
	f := t[p]
	switch n := r.IntN(100); {
	case n < 12:
		delete(t, p)
	case n < 20 && !f.Link:
		f.Exec = !f.Exec
		t[p] = f
	case n < 26: // another kind of file, or another file altogether
		t[p] = r.file()
	case n < 31: // a directory in its place
		delete(t, p)
		r.add(t, p+"/"+pick(r, words...), f)
	case n < 55:
		r.rename(t, p)
	default:
		t[p] = r.touch(f)
	}
}

// rename moves p, mostly with an edit, sometimes leaving copies.
func (r *Random) rename(t Tree, p string) {
	f := t[p]
	delete(t, p)
	for range pick(r, 1, 1, 1, 2) {
		to := r.path()
		if r.chance(40) {
			to = fmt.Sprintf("moved%d/%s", r.IntN(3), p[strings.LastIndex(p, "/")+1:])
		}
		if r.chance(70) {
			f = r.touch(f)
		}
		r.add(t, to, f)
	}
}

func (r *Random) touch(f File) File {
	switch {
	case f.Link:
		f.Data += pick(r, "x", "/y")
	case strings.Contains(f.Data, "\x00"):
		f.Data = r.touchBytes(f.Data)
	default:
		f.Data = r.EditText(f.Data, pick(r, 1, 3, 20))
	}
	return f
}

func (r *Random) touchBytes(s string) string {
	at := r.IntN(len(s) + 1)
	return s[:at] + pick(r, "", "\x00", "new bytes", strings.Repeat("ab\x00", 100)) + s[min(len(s), at+r.IntN(40)):]
}

// EditText changes a text in up to edits places: lines go, come, move, are
// doubled, or change their indentation or their ending.
func (r *Random) EditText(s string, edits int) string {
	lines := strings.SplitAfter(s, "\n")
	for range 1 + r.IntN(edits) {
		at := r.IntN(len(lines))
		to := min(len(lines), at+1+r.IntN(4))
		block := append([]string(nil), lines[at:to]...)
		switch r.IntN(7) {
		case 0:
			block = nil
		case 1:
			block = append(block, block...)
		case 2:
			block = append(block, r.line(5)+"\n")
		case 3:
			block[0] = "    " + block[0]
		case 4:
			block = append([]string{"\n"}, block...)
		case 5:
			block[0] = r.line(1000) + "\n"
		case 6:
			block[0] = strings.Replace(block[0], "\n", pick(r, "\r\n", "\n", ""), 1)
		}
		lines = append(append(append([]string(nil), lines[:at]...), block...), lines[to:]...)
		if len(lines) == 0 {
			lines = []string{""}
		}
	}
	return r.finish(strings.Join(lines, ""))
}
