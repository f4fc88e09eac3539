package editor

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
)

func (e *Editor) create(ctx context.Context, args Args) (Answer, error) {
	path, data := e.absolute(args.Path), []byte(*args.FileText)
	if int64(len(data)) > e.opts.MaxFileBytes {
		return toolError("file_text has %s; the editor writes files of at most %s.",
			showSize(int64(len(data))), showSize(e.opts.MaxFileBytes)), nil
	}
	for attempt := 1; ; attempt++ {
		answer, err := e.createOnce(ctx, path, data)
		if err == nil {
			return answer, nil
		}
		if !errors.Is(err, ErrChanged) || attempt == attempts {
			return failed(args.Command, path, err)
		}
	}
}

func (e *Editor) createOnce(ctx context.Context, path string, data []byte) (Answer, error) {
	file, err := e.files.Read(ctx, path, e.opts.MaxFileBytes)
	if errors.Is(err, ErrNotFound) {
		return e.createNew(ctx, path, data)
	}
	if err != nil {
		return Answer{}, err
	}
	if refusal := e.editable(path, file); refusal != nil {
		return *refusal, nil
	}
	answer, err := e.splice(ctx, CommandCreate, path, file, splice{at: 0, removed: len(file.Data), added: data})
	if err == nil && answer.Status == StatusOK {
		answer.Text = fmt.Sprintf("Replaced the whole content of %s: %s, formerly %s.\n",
			showPath(path), describeContent(data), showSize(file.Size))
	}
	return answer, err
}

func (e *Editor) createNew(ctx context.Context, path string, data []byte) (Answer, error) {
	if namesDirectory(path) {
		return toolError("%s names a directory; give the path of a file.", showPath(path)), nil
	}
	written, err := e.files.Write(ctx, path, data, WriteOptions{New: true, Mode: newFileMode})
	if err != nil {
		return Answer{}, err
	}
	e.see(path, data)
	e.past.push(change{
		path: written.Path, asked: path, command: CommandCreate,
		added: len(data), after: sha256.Sum256(data), created: true, newDirs: written.NewDirs,
	})
	return done("Created %s: %s.\n", showPath(path), describeContent(data)), nil
}

func namesDirectory(path string) bool {
	base := path[strings.LastIndexByte(path, '/')+1:]
	return base == "" || base == "." || base == ".."
}

func describeContent(data []byte) string {
	return plural(countLines(data[bodyStart(data):]), "line") + ", " + showSize(int64(len(data)))
}
