// Package gitindex reads which paths a git index file tracks. It takes any
// bytes: what is not an index, or is one cut short, is an error and never a
// panic or an allocation out of proportion to the input.
package gitindex

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
)

const (
	// MaxPathLen bounds a tracked path, in bytes.
	MaxPathLen = 4096
	// maxNames bounds all paths of one index together, in bytes: version 4
	// compresses paths, so that a small file can hold very many.
	maxNames = 256 << 20

	headerLen    = 12
	statLen      = 40 // times, device, inode, mode, owner and size
	modeOffset   = 24
	flagExtended = 0x4000
	typeMask     = 0o170000
	typeDir      = 0o040000
	typeGitlink  = 0o160000
)

// ErrFormat means that the data is not an index this package can read.
var ErrFormat = errors.New("not a readable git index")

// Index is what an index file says about paths.
type Index struct {
	// Paths are the tracked files and symlinks in the order of the file. A path
	// in conflict occurs once per stage.
	Paths []string
	// Submodules are the paths of nested repositories.
	Submodules []string
	// SparseDirs are tracked directories, with a final slash, whose files are
	// not listed because none of them is checked out.
	SparseDirs []string
	// SharedID names the "sharedindex" file, in hexadecimal, that holds more
	// entries. It is empty unless the index is split.
	SharedID string
}

// Parse reads an index of version 2, 3 or 4. The size of an object name is 20
// bytes, or 32 in a repository that uses SHA-256. The checksum at the end is
// not verified.
func Parse(data []byte, hashSize int) (Index, error) {
	p := parser{data: data, hashSize: hashSize}
	idx, err := p.parse()
	if err != nil {
		return Index{}, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return idx, nil
}

type parser struct {
	data     []byte
	pos      int
	hashSize int
	version  uint32
	name     []byte // of the entry before
	total    int    // bytes of all names
}

func (p *parser) parse() (Index, error) {
	var idx Index
	if len(p.data) < headerLen+p.hashSize || !bytes.HasPrefix(p.data, []byte("DIRC")) {
		return idx, errors.New("no index header")
	}
	p.version = binary.BigEndian.Uint32(p.data[4:])
	if p.version < 2 || p.version > 4 {
		return idx, fmt.Errorf("version %d", p.version)
	}
	n := binary.BigEndian.Uint32(p.data[8:])
	p.data = p.data[:len(p.data)-p.hashSize]
	p.pos = headerLen
	for i := range n {
		mode, err := p.entry()
		if err != nil {
			return idx, fmt.Errorf("entry %d of %d: %w", i, n, err)
		}
		idx.add(mode, string(p.name))
	}
	return idx, p.extensions(&idx)
}

func (idx *Index) add(mode uint32, name string) {
	switch {
	case name == "": // replaces an entry of the shared index, under its name
	case mode&typeMask == typeGitlink:
		idx.Submodules = append(idx.Submodules, name)
	case mode&typeMask == typeDir:
		idx.SparseDirs = append(idx.SparseDirs, name)
	default:
		idx.Paths = append(idx.Paths, name)
	}
}

var errShort = errors.New("cut short")

// entry reads one entry into p.name.
func (p *parser) entry() (mode uint32, err error) {
	start := p.pos
	fixed := statLen + p.hashSize + 2
	if len(p.data)-start < fixed {
		return 0, errShort
	}
	mode = binary.BigEndian.Uint32(p.data[start+modeOffset:])
	flags := binary.BigEndian.Uint16(p.data[start+fixed-2:])
	p.pos += fixed
	if flags&flagExtended != 0 && p.version >= 3 {
		p.pos += 2
	}
	if p.pos > len(p.data) {
		return 0, errShort
	}
	keep := 0
	if p.version == 4 {
		if keep, err = p.prefix(); err != nil {
			return 0, err
		}
	}
	if err := p.suffix(keep); err != nil {
		return 0, err
	}
	if p.version < 4 {
		// One to eight NULs fill the entry up to a multiple of eight.
		p.pos = start + (p.pos-1-start+8)&^7
	}
	return mode, nil
}

// prefix tells how much of the last name the next one begins with.
func (p *parser) prefix() (int, error) {
	drop, err := p.varint()
	if err != nil {
		return 0, err
	}
	if drop > uint64(len(p.name)) {
		return 0, errors.New("path prefix is too long")
	}
	return len(p.name) - int(drop), nil
}

// suffix reads a name up to its NUL and appends it to what is kept of the last.
func (p *parser) suffix(keep int) error {
	n := bytes.IndexByte(p.data[p.pos:], 0)
	if n < 0 {
		return errShort
	}
	if p.total += keep + n; keep+n > MaxPathLen || p.total > maxNames {
		return errors.New("paths are too long")
	}
	p.name = append(p.name[:keep], p.data[p.pos:p.pos+n]...)
	p.pos += n + 1
	return nil
}

// varint reads a number in git's offset encoding: seven bits per byte, most
// significant first, each continuation counting one more.
func (p *parser) varint() (uint64, error) {
	v := uint64(0)
	for i := 0; ; i++ {
		if p.pos >= len(p.data) {
			return 0, errShort
		}
		c := p.data[p.pos]
		p.pos++
		v |= uint64(c & 0x7f)
		if c&0x80 == 0 {
			return v, nil
		}
		if i == 4 {
			return 0, errors.New("number is too long")
		}
		v = (v + 1) << 7
	}
}

// extensions looks for the one extension that matters and refuses those that a
// reader must understand but does not.
func (p *parser) extensions(idx *Index) error {
	const extHeader = 8
	for p.pos < len(p.data) {
		if len(p.data)-p.pos < extHeader {
			return errShort
		}
		name := string(p.data[p.pos : p.pos+4])
		size := int(binary.BigEndian.Uint32(p.data[p.pos+4:]))
		p.pos += extHeader
		if size > len(p.data)-p.pos {
			return fmt.Errorf("extension %q: %w", name, errShort)
		}
		body := p.data[p.pos : p.pos+size]
		p.pos += size
		switch {
		case name == "link":
			if size < p.hashSize {
				return fmt.Errorf("extension %q: %w", name, errShort)
			}
			if id := body[:p.hashSize]; len(bytes.Trim(id, "\x00")) > 0 {
				idx.SharedID = hex.EncodeToString(id)
			}
		case name == "sdir": // announces the sparse directories
		case name[0] < 'A' || name[0] > 'Z':
			return fmt.Errorf("extension %q is not known", name)
		}
	}
	return nil
}
