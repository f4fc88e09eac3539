package workspace

import (
	"context"
	"io"
)

// Source is the workspace of a sandbox once the work there is done. Nothing it
// says is believed: names, sizes and hashes are claims of a side that may be
// hostile.
type Source interface {
	// Walk shows every file, directory, symlink and other entry of the workspace
	// to visit, in any order, and gives back the error that visit gives.
	Walk(ctx context.Context, visit func(Found) error) error
	// Fetch shows the content of the regular files at paths to visit, in any
	// order, and leaves out what is none any more. The reader is good for the
	// call only and need not be read to its end. It gives back the error that
	// visit gives.
	Fetch(ctx context.Context, paths []string, visit func(path string, content io.Reader) error) error
}

// Found is an entry that a [Source] has. Problem tells why the entry, or what is
// below it, could not be read; the patch then leaves it as it was. It is empty
// for an entry without problems.
type Found struct {
	Entry
	Problem string
}
