// Package editor is the str_replace_editor tool: view, create, str_replace,
// insert and undo_edit on exact bytes.
//
// An edit touches the bytes it names and no others: tabs, encodings, byte
// order marks, line endings and a missing final newline stay as they are. Text
// is matched exactly, with one allowance: a "\n" in old_str also matches the
// "\r\n" of a file, and new text takes the line ending of the place it goes to.
package editor

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
)

// Status says how a call ended.
type Status string

// The statuses of an Answer.
const (
	StatusOK        Status = "ok"
	StatusRejected  Status = "rejected"   // the arguments are wrong; nothing was looked at
	StatusToolError Status = "tool_error" // it could not be done; nothing was changed
)

// Answer is what the model gets to see.
type Answer struct {
	Status Status
	// Text holds no control characters but tabs and newlines, and is valid
	// UTF-8. Its size is bounded by Options.MaxViewBytes and a few lines more.
	Text   string
	Images []Image
}

// Image is a picture that was viewed.
type Image struct {
	MIME string // image/png, image/jpeg, image/gif or image/webp
	Data []byte // the file's own bytes
}

// Options bound an Editor. A zero field means the default.
type Options struct {
	// Workdir is where relative paths start. Default "/workspace".
	Workdir string
	// MaxFileBytes is the largest file that is edited, before and after the
	// edit; of a larger one the start can be viewed. Default 32 MiB.
	MaxFileBytes int64
	// MaxViewBytes bounds the text of a view. Default 30000.
	MaxViewBytes int
	// MaxImageBytes is the largest image that is shown. Default 5 MiB.
	MaxImageBytes int64
	// MaxUndo is the number of edits that can be undone, over all files; older
	// ones are forgotten. Default 200.
	MaxUndo int
	// MaxUndoBytes bounds the replaced text that is kept for undo_edit. It is
	// never less than MaxFileBytes. Default 64 MiB.
	MaxUndoBytes int64
}

// Editor edits the files of one sandbox and remembers its edits. It may be
// used by several goroutines; edits wait for each other, views do not.
type Editor struct {
	files Files
	opts  Options

	last atomic.Pointer[seen]

	mu   sync.Mutex // held for the whole of an edit
	past history
}

// New returns an Editor without history.
func New(files Files, opts Options) *Editor {
	if opts.Workdir == "" {
		opts.Workdir = "/workspace"
	}
	setDefault(&opts.MaxFileBytes, 32<<20)
	setDefault(&opts.MaxViewBytes, 30000)
	setDefault(&opts.MaxImageBytes, 5<<20)
	setDefault(&opts.MaxUndo, 200)
	setDefault(&opts.MaxUndoBytes, 64<<20)
	opts.MaxUndoBytes = max(opts.MaxUndoBytes, opts.MaxFileBytes)
	return &Editor{
		files: files,
		opts:  opts,
		past:  history{maxChanges: opts.MaxUndo, maxBytes: opts.MaxUndoBytes},
	}
}

func setDefault[T int | int64](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// Run does one call. The error is the sandbox's: whatever the model can mend,
// or should know, is in the Answer.
func (e *Editor) Run(ctx context.Context, args Args) (Answer, error) {
	if err := args.validate(); err != nil {
		return Answer{Status: StatusRejected, Text: err.Error()}, nil
	}
	if args.Command == CommandView {
		return e.view(ctx, args)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch args.Command {
	case CommandCreate:
		return e.create(ctx, args)
	case CommandReplace:
		return e.replace(ctx, args)
	case CommandInsert:
		return e.insert(ctx, args)
	default:
		return e.undo(ctx, args)
	}
}

// absolute starts a relative path at the working directory. A tilde is an
// ordinary character.
func (e *Editor) absolute(path string) string {
	if strings.HasPrefix(path, "/") {
		return path
	}
	return strings.TrimSuffix(e.opts.Workdir, "/") + "/" + path
}
