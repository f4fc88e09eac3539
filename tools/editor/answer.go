package editor

import (
	"errors"
	"fmt"
)

// done answers that a call did what it was asked.
func done(format string, args ...any) Answer {
	return Answer{Status: StatusOK, Text: fmt.Sprintf(format, args...)}
}

// toolError answers that a call could not be done.
func toolError(format string, args ...any) Answer {
	return Answer{Status: StatusToolError, Text: fmt.Sprintf(format, args...)}
}

// failed turns an error of Files into an answer, or into an error of the
// harness when no sentence for it exists.
func failed(op, path string, err error) (Answer, error) {
	if errors.Is(err, ErrRefused) {
		return toolError("%s of %s failed: %s", op, showPath(path), quoteShort(err.Error())), nil
	}
	sentence := explain(err)
	if sentence == "" {
		return Answer{}, fmt.Errorf("%s %q: %w", op, path, err)
	}
	return toolError(sentence, showPath(path)), nil
}

// explain returns a format with one verb, the path, or "" for an error that is
// not one of this package.
func explain(err error) string {
	for _, known := range []struct {
		err      error
		sentence string
	}{
		{ErrNotFound, "%s does not exist."},
		{ErrIsDirectory, "%s is a directory; this command works on files."},
		{ErrNotDirectory, "%s does not exist: a part of this path is a file, not a directory."},
		{ErrNotRegular, "%s is a device, a pipe or a socket; the editor works on regular files."},
		{ErrPermission, "Permission denied: the sandbox user has no right to do that with %s."},
		{ErrReadOnly, "%s lies on a read-only file system; nothing was changed."},
		{ErrLoop, "%s leads into a loop of symbolic links."},
		{ErrNameTooLong, "%s is too long: a name can have 255 bytes and a path 4095."},
		{ErrNoSpace, "The sandbox's disk has no space left for %s; nothing was changed."},
		{ErrTooLarge, "%s would be larger than the sandbox allows; nothing was changed."},
		{ErrChanged, "%s is being changed by something else; nothing was written. Look at it again."},
	} {
		if errors.Is(err, known.err) {
			return known.sentence
		}
	}
	return ""
}
