package editor

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
)

// newFileMode may be narrowed by the sandbox's umask.
const newFileMode = 0o644

// attempts is how often an edit is tried on a file that something else keeps
// changing.
const attempts = 3

// splice replaces a part of a file by other bytes.
type splice struct {
	at      int
	removed int
	added   []byte
}

func (s splice) apply(data []byte) []byte {
	return slices.Concat(data[:s.at], s.added, data[s.at+s.removed:])
}

// planner decides what to do with the content of a file. A non-nil Answer is a
// refusal.
type planner func(data []byte) (splice, *Answer)

// edit reads a file, changes it as planned and remembers the change. The plan
// is made anew when something else has changed the file in between.
func (e *Editor) edit(ctx context.Context, args Args, plan planner) (Answer, error) {
	path := e.absolute(args.Path)
	if answer, ok := e.editSeen(ctx, args.Command, path, plan); ok {
		return answer, nil
	}
	for attempt := 1; ; attempt++ {
		file, err := e.files.Read(ctx, path, e.opts.MaxFileBytes)
		if err != nil {
			return failed(args.Command, path, err)
		}
		if refusal := e.editable(path, file); refusal != nil {
			return *refusal, nil
		}
		s, refusal := plan(file.Data)
		if refusal != nil {
			return *refusal, nil
		}
		answer, err := e.splice(ctx, args.Command, path, file, s)
		if err == nil {
			return answer, nil
		}
		if !errors.Is(err, ErrChanged) || attempt == attempts {
			return failed(args.Command, path, err)
		}
	}
}

// editable refuses what cannot be held whole, since an edit writes the whole.
func (e *Editor) editable(path string, file File) *Answer {
	var answer Answer
	switch {
	case file.IsDir:
		answer = toolError("%s is a directory; this command works on files.", showPath(path))
	case file.Truncated:
		answer = toolError("%s has %s; the editor changes files of at most %s. Use a program such as sed or python.",
			showPath(path), showSize(file.Size), showSize(e.opts.MaxFileBytes))
	default:
		return nil
	}
	return &answer
}

// splice writes the changed file, only if it still is what was read.
func (e *Editor) splice(ctx context.Context, command, path string, file File, s splice) (Answer, error) {
	data := s.apply(file.Data)
	if int64(len(data)) > e.opts.MaxFileBytes {
		return toolError("%s would have %s; the editor writes files of at most %s. Nothing was changed.",
			showPath(path), showSize(int64(len(data))), showSize(e.opts.MaxFileBytes)), nil
	}
	before := sha256.Sum256(file.Data)
	written, err := e.files.Write(ctx, path, data, WriteOptions{Expect: &before, Mode: newFileMode})
	if err != nil {
		return Answer{}, err
	}
	e.see(path, data)
	e.past.push(change{
		path: written.Path, asked: path, command: command,
		at: s.at, removed: bytes.Clone(file.Data[s.at : s.at+s.removed]), added: len(s.added),
		after: sha256.Sum256(data),
	})
	return done("Changed %s.\n%s", showPath(path), snippet(data, s.at, len(s.added))), nil
}

const (
	contextLines = 4
	snippetBytes = 6000
	snippetWidth = 400
)

// snippet shows a changed part of a file with a few lines around it.
func snippet(data []byte, at, length int) string {
	start := bodyStart(data)
	body := data[start:]
	if len(body) == 0 {
		return "It is empty now.\n"
	}
	at = max(at-start, 0)
	end := min(at+length, len(body))
	if length > 0 && body[end-1] == '\n' {
		end--
	}
	first := max(lineAt(body, at)-contextLines, 1)
	last := lineAt(body, end) + contextLines
	from := lineStart(body, first)
	to := from + lineStart(body[from:], last-first+2)
	lines := numbered{limit: snippetBytes, width: snippetWidth, next: first}
	if !lines.add(body[from:to]) {
		lines.out = fmt.Appendf(lines.out, "[%s more not shown.]\n", plural(min(last, countLines(body))-lines.next+1, "line"))
	}
	return string(lines.out)
}
