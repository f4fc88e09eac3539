package editor

import (
	"bytes"
	"context"
	"strings"
)

func (e *Editor) insert(ctx context.Context, args Args) (Answer, error) {
	return e.edit(ctx, args, func(data []byte) (splice, *Answer) {
		start := bodyStart(data)
		body := data[start:]
		line, total := *args.InsertLine, countLines(body)
		if line > total {
			refusal := toolError("insert_line %d is past the end: %s has %s, so it can be 0 to %d.",
				line, showPath(e.absolute(args.Path)), plural(total, "line"), total)
			return splice{}, &refusal
		}
		at := lineStart(body, line+1)
		return splice{at: start + at, added: ownLines(body, at, *args.NewStr)}, nil
	})
}

// ownLines makes text into whole lines at an offset where a line begins, or at
// the end of a last line that has no newline; that newline is then the only
// thing missing, and the file goes on having none at its end.
func ownLines(body []byte, at int, text string) []byte {
	ending := endingBefore(body, at)
	added := []byte(convertEndings(text, ending))
	if at > 0 && body[at-1] != '\n' {
		return append([]byte(ending), added...)
	}
	if !bytes.HasSuffix(added, []byte("\n")) {
		added = append(added, ending...)
	}
	return added
}

// convertEndings spells each bare "\n" as ending. A "\r\n" of the caller is
// meant as it is.
func convertEndings(text, ending string) string {
	if ending == "\n" {
		return text
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.ReplaceAll(text, "\n", ending)
}
