package editor

import (
	"context"
	"crypto/sha256"
	"errors"
)

// Files is what the editor needs of a sandbox. Paths are absolute and
// slash-separated; they are not cleaned, so that ".." behind a symlink means
// what it means to the kernel. The work is done inside the sandbox with the
// rights of the user whose commands run there, and symlinks are followed there.
//
// A failure that the model should hear of wraps one of the Err values of this
// package; any other error means that the sandbox itself failed.
type Files interface {
	// Read returns the first limit bytes of a regular file, or the facts of a
	// directory. It never waits on a pipe or a device: those are ErrNotRegular.
	Read(ctx context.Context, path string, limit int64) (File, error)
	// Write replaces the content of a file in one step: whoever reads the file
	// sees the old bytes or the new ones, and a failed write leaves the old
	// ones and no temporary file. An existing file keeps its mode and owner, a
	// symlink keeps pointing at it, missing parent directories are made. The
	// result describes the file written; its Data is empty.
	Write(ctx context.Context, path string, data []byte, opts WriteOptions) (File, error)
	// Remove deletes a file whose content has the given sum, else it is
	// ErrChanged. Without a sum it deletes an empty directory.
	Remove(ctx context.Context, path string, expect *Sum) error
	// List names what lies below a directory, down to depth levels. Entries
	// whose name begins with a dot are left out with all that is below them,
	// symlinks among the entries are named and not followed. When there are
	// more than limit entries, those nearest to the directory are kept.
	List(ctx context.Context, path string, depth, limit int) (Listing, error)
}

// Sum is the SHA-256 of a file's content.
type Sum = [sha256.Size]byte

// File is a file as it was when it was read or written.
type File struct {
	Path      string // absolute, with every symlink resolved
	Data      []byte // the content, from the start
	Mode      uint32 // permission bits
	Size      int64  // bytes in the file; Data may hold fewer
	Truncated bool   // the file is larger than the limit of the read
	IsDir     bool   // Data, Size and Truncated are then empty
	NewDirs   int    // parent directories that the write made, 0 if unknown
}

// WriteOptions say what must hold for a file to be written; where it does not,
// the write is ErrChanged.
type WriteOptions struct {
	Expect *Sum   // the file must hold the content with this sum
	New    bool   // the file must not exist yet
	Mode   uint32 // permission bits of a new file, before the umask
}

// Listing is what lies below a directory, in any order.
type Listing struct {
	Entries   []Entry
	Truncated bool // there are more entries than the limit of the call
}

// Entry is one entry of a listing.
type Entry struct {
	Path   string // relative to the directory listed; any bytes
	IsDir  bool
	IsLink bool
	Size   int64 // bytes, of a regular file
}

// The failures that the editor explains to the model.
var (
	ErrNotFound     = errors.New("file does not exist")
	ErrIsDirectory  = errors.New("is a directory")
	ErrNotDirectory = errors.New("part of the path is not a directory")
	ErrNotRegular   = errors.New("is not a regular file")
	ErrPermission   = errors.New("permission denied")
	ErrReadOnly     = errors.New("file system is read-only")
	ErrLoop         = errors.New("too many symbolic links")
	ErrNameTooLong  = errors.New("name is too long")
	ErrNoSpace      = errors.New("no space left")
	ErrTooLarge     = errors.New("file is too large")
	ErrChanged      = errors.New("file changed meanwhile")
	ErrRefused      = errors.New("the sandbox refused") // for any other reason, which the error before it says
)
