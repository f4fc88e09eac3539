package gitdiff

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git's object format, not a security boundary
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
)

// Mode is a file mode as git trees record it.
type Mode uint32

// The modes git gives to files. Of the permission bits only the owner's
// execute bit survives.
const (
	ModeFile    Mode = 0o100644
	ModeExec    Mode = 0o100755
	ModeSymlink Mode = 0o120000
)

const modeKindMask Mode = 0o170000

func (m Mode) sameKind(o Mode) bool { return m&modeKindMask == o&modeKindMask }

func (m Mode) regular() bool { return m&modeKindMask == ModeFile&modeKindMask }

// MaxTextBytes and MaxTextLines bound what is compared line by line. A file
// beyond either is written as a binary patch.
const (
	MaxTextBytes = 64 << 20
	MaxTextLines = 2_000_000
)

// sniffLen is how many leading bytes git looks at for a NUL.
const sniffLen = 8000

// ObjectFormat is the hash a repository names its objects by.
type ObjectFormat int

// The object formats git has.
const (
	SHA1 ObjectFormat = iota
	SHA256
)

func (f ObjectFormat) newHash() hash.Hash {
	if f == SHA256 {
		return sha256.New()
	}
	return sha1.New() //nolint:gosec // see the import
}

// HexLen is the length of an object name in hexadecimal digits.
func (f ObjectFormat) HexLen() int { return 2 * f.newHash().Size() }

// BlobHash gives a hash that, once exactly size bytes of content are written
// to it, sums to the object name of that content as "git hash-object
// --no-filters" prints it.
func (f ObjectFormat) BlobHash(size int64) hash.Hash {
	h := f.newHash()
	_, _ = fmt.Fprintf(h, "blob %d\x00", size)
	return h
}

// Blob is one version of one file. ID is its object name in hexadecimal. Open
// reads the content: the target for a symlink.
type Blob struct {
	Path string
	Mode Mode
	Size int64
	ID   string
	Open func() (io.ReadCloser, error)
}

// NewBlob makes a Blob of content held in memory.
func NewBlob(path string, mode Mode, content []byte, format ObjectFormat) *Blob {
	h := format.BlobHash(int64(len(content)))
	h.Write(content)
	return &Blob{
		Path: path, Mode: mode, Size: int64(len(content)),
		ID:   hex.EncodeToString(h.Sum(nil)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil },
	}
}

// load reads the whole content. It fails when the content is not as long as
// Size says, so a caller's bookkeeping error cannot become a wrong patch.
func (b *Blob) load() ([]byte, error) {
	if b == nil {
		return nil, nil
	}
	r, err := b.Open()
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", b.Path, err)
	}
	defer r.Close()
	data := make([]byte, b.Size)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, fmt.Errorf("read %q: %w", b.Path, err)
	}
	return data, nil
}

// looksBinary is git's test: a NUL among the first bytes.
func looksBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), sniffLen)], 0) >= 0
}

// tooLargeForText says whether comparing data by lines would cost too much.
func tooLargeForText(data []byte) bool {
	return len(data) > MaxTextBytes || bytes.Count(data, []byte{'\n'}) > MaxTextLines
}

func notText(data []byte) bool { return looksBinary(data) || tooLargeForText(data) }
