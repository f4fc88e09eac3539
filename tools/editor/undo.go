package editor

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
)

// undo takes back the newest edit of a file, and only that: a mode that was
// changed since stays changed.
func (e *Editor) undo(ctx context.Context, args Args) (Answer, error) {
	path := e.absolute(args.Path)
	file, err := e.files.Read(ctx, path, e.opts.MaxFileBytes)
	if errors.Is(err, ErrNotFound) {
		if e.past.lastAsked(path) >= 0 {
			return toolError("%s was removed by something else since it was edited, so the edit cannot be undone.", showPath(path)), nil
		}
		return nothingToUndo(path), nil
	}
	if err != nil {
		return failed(args.Command, path, err)
	}
	i := e.past.last(file.Path)
	if i < 0 {
		return nothingToUndo(path), nil
	}
	last := e.past.changes[i]
	if file.Truncated || sha256.Sum256(file.Data) != last.after {
		return changedSince(path, last), nil
	}
	answer, err := e.takeBack(ctx, path, file, last)
	if errors.Is(err, ErrChanged) || errors.Is(err, ErrNotFound) {
		return changedSince(path, last), nil
	}
	if err != nil {
		return failed(args.Command, path, err)
	}
	e.past.drop(i)
	if n := e.past.count(last.path); n > 0 && !last.created {
		answer.Text += fmt.Sprintf("[%s of this file can still be undone.]\n", plural(n, "earlier edit"))
	}
	return answer, nil
}

func nothingToUndo(path string) Answer {
	return toolError("There is no edit of %s to undo.", showPath(path))
}

func changedSince(path string, last change) Answer {
	return toolError("The last edit of %s (%s) was not undone: something other than this tool has changed the file since, and that would be lost. Change it with another edit instead.",
		showPath(path), last.command)
}

func (e *Editor) takeBack(ctx context.Context, path string, file File, last change) (Answer, error) {
	if last.created {
		return e.takeBackCreate(ctx, path, last)
	}
	data := splice{at: last.at, removed: last.added, added: last.removed}.apply(file.Data)
	if _, err := e.files.Write(ctx, path, data, WriteOptions{Expect: &last.after, Mode: newFileMode}); err != nil {
		return Answer{}, err
	}
	return done("Undid the last edit of %s (%s).\n%s", showPath(path), last.command, snippet(data, last.at, len(last.removed))), nil
}

// takeBackCreate removes the file, and the directories that were made for it
// as far as they are empty. A directory that cannot be removed is no failure.
func (e *Editor) takeBackCreate(ctx context.Context, path string, last change) (Answer, error) {
	if err := e.files.Remove(ctx, last.path, &last.after); err != nil {
		return Answer{}, err
	}
	dir := last.path
	for range last.newDirs {
		dir = dir[:strings.LastIndexByte(dir, '/')]
		if err := e.files.Remove(ctx, dir, nil); err != nil {
			break
		}
	}
	return done("Undid the creation of %s: the file is gone again.\n", showPath(path)), nil
}
