package editor

import (
	"path"
	"slices"
)

// change is one edit that was done, with what is needed to take it back. Only
// the bytes that the edit replaced are kept, not the file.
type change struct {
	path    string // the file, with symlinks resolved
	asked   string // the path as the caller gave it, made absolute
	command string
	at      int    // where the edit begins in the file
	removed []byte // what stood there before
	added   int    // how many bytes stand there now
	after   Sum    // of the whole file after the edit
	created bool   // there was no file before
	newDirs int    // parent directories made for it
}

// history is the edits that can be taken back, oldest first.
type history struct {
	changes    []change
	bytes      int64 // of all removed text
	maxChanges int
	maxBytes   int64
}

// push adds a change and forgets the oldest ones beyond the bounds.
func (h *history) push(c change) {
	h.changes = append(h.changes, c)
	h.bytes += int64(len(c.removed))
	for len(h.changes) > h.maxChanges || h.bytes > h.maxBytes {
		h.drop(0)
	}
}

func (h *history) drop(i int) {
	h.bytes -= int64(len(h.changes[i].removed))
	h.changes = slices.Delete(h.changes, i, i+1)
}

// last returns the index of the newest change of a file, or -1.
func (h *history) last(file string) int {
	return h.lastWhere(func(c change) bool { return c.path == file })
}

// lastAsked is last for a file that is gone, so that its path cannot be
// resolved any more.
func (h *history) lastAsked(asked string) int {
	asked = path.Clean(asked)
	return h.lastWhere(func(c change) bool { return path.Clean(c.asked) == asked || c.path == asked })
}

func (h *history) lastWhere(match func(change) bool) int {
	for i := len(h.changes) - 1; i >= 0; i-- {
		if match(h.changes[i]) {
			return i
		}
	}
	return -1
}

// count is the number of changes of a file.
func (h *history) count(file string) int {
	n := 0
	for _, c := range h.changes {
		if c.path == file {
			n++
		}
	}
	return n
}
