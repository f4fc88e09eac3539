package workspace

import "crypto/sha256"

// Kind says what an [Entry] is.
type Kind uint8

// The kinds of entry. Other stands for sockets, FIFOs and devices, which go
// neither way.
const (
	Other Kind = iota
	File
	Dir
	Symlink
)

// Entry describes one file of a tree. Path is relative to the root of the
// workspace and slash-separated; its bytes are those of the file system. Mode
// holds the permission bits. Size and SHA256 are of a file's content, Target is
// of a symlink.
type Entry struct {
	Path   string
	Kind   Kind
	Mode   uint32
	Size   int64
	SHA256 [sha256.Size]byte
	Target string
}

// executable is the one permission that git records.
func (e *Entry) executable() bool { return e.Mode&0o100 != 0 }

// same says whether git sees no difference between two entries of one path.
func (e *Entry) same(o *Entry) bool {
	if e.Kind != o.Kind {
		return false
	}
	switch e.Kind {
	case File:
		return e.SHA256 == o.SHA256 && e.executable() == o.executable()
	case Symlink:
		return e.Target == o.Target
	default:
		return true
	}
}
