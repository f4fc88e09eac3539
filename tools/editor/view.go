package editor

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"
)

func (e *Editor) view(ctx context.Context, args Args) (Answer, error) {
	path := e.absolute(args.Path)
	file, err := e.files.Read(ctx, path, e.opts.MaxFileBytes)
	if err != nil {
		return failed("view", path, err)
	}
	if file.IsDir {
		return e.viewDirectory(ctx, path, args.ViewRange != nil)
	}
	if mime := imageType(file.Data); mime != "" {
		return e.viewImage(path, file, mime), nil
	}
	if kind := binaryKind(file.Data); kind != "" && args.ViewRange == nil {
		return done("%s is a binary file (%s, %s), not shown. A view_range shows its lines as text all the same.",
			showPath(path), kind, showSize(file.Size)), nil
	}
	if !file.Truncated {
		e.see(path, file.Data)
	}
	return done("%s", e.viewText(path, file, args.ViewRange)), nil
}

func (e *Editor) viewImage(path string, file File, mime string) Answer {
	if file.Truncated || file.Size > e.opts.MaxImageBytes {
		return done("%s is an image (%s, %s), too large to be shown: the limit is %s. Scale it down first.",
			showPath(path), mime, showSize(file.Size), showSize(e.opts.MaxImageBytes))
	}
	answer := done("%s is an image (%s, %s).", showPath(path), mime, showSize(file.Size))
	answer.Images = []Image{{MIME: mime, Data: file.Data}}
	return answer
}

func (e *Editor) viewText(path string, file File, lines []int) string {
	body := file.Data[bodyStart(file.Data):]
	total := countLines(body)
	if total == 0 {
		return fmt.Sprintf("%s is empty (%s).", showPath(path), showSize(file.Size))
	}
	first, last, note := clampRange(lines, total)
	from := lineStart(body, first)
	to := from + lineStart(body[from:], last-first+2)
	page := numbered{limit: e.opts.MaxViewBytes, width: e.opts.MaxViewBytes, next: first}
	complete := page.add(body[from:to])

	var text strings.Builder
	text.WriteString(viewHeader(path, file, total))
	text.Write(page.out)
	writeNote(&text, note)
	if first <= total && page.next > total && !file.Truncated && body[len(body)-1] != '\n' {
		writeNote(&text, "The last line has no newline at its end.")
	}
	if !complete && last == total {
		last = -1
	}
	e.noteLimits(&text, file, page, complete, last)
	return text.String()
}

// noteLimits says what was left out, and how to see it.
func (e *Editor) noteLimits(text *strings.Builder, file File, page numbered, complete bool, last int) {
	if page.cut != 0 {
		writeNote(text, fmt.Sprintf("Line %d is longer than a view can hold (%d bytes); only its start is shown.", page.cut, e.opts.MaxViewBytes))
	}
	if !complete {
		writeNote(text, fmt.Sprintf("A view holds %d bytes; view_range [%d, %d] goes on from here.", e.opts.MaxViewBytes, page.next, last))
	}
	if file.Truncated {
		writeNote(text, fmt.Sprintf("The file has %s; only its first %s can be viewed. Use sed -n or tail for the rest.",
			showSize(file.Size), showSize(int64(len(file.Data)))))
	}
}

func viewHeader(path string, file File, total int) string {
	facts := []string{plural(total, "line"), showSize(file.Size)}
	if file.Truncated {
		facts[0] = fmt.Sprintf("more than %d lines", total)
	}
	if endings := describeEndings(file.Data); endings != "" {
		facts = append(facts, endings)
	}
	if bodyStart(file.Data) > 0 {
		facts = append(facts, "byte order mark")
	}
	if !file.Truncated && !utf8.Valid(file.Data) {
		facts = append(facts, "not UTF-8: other bytes show as \uFFFD")
	}
	return fmt.Sprintf("%s (%s)\n", showPath(path), strings.Join(facts, ", "))
}

// describeEndings is silent about the usual: only LF, or no newline at all.
func describeEndings(data []byte) string {
	all := bytes.Count(data, []byte("\n"))
	crlf := bytes.Count(data, []byte("\r\n"))
	switch crlf {
	case 0:
		return ""
	case all:
		return "CRLF line endings"
	}
	return fmt.Sprintf("mixed line endings: %d CRLF, %d LF", crlf, all-crlf)
}

// clampRange fits a range to the lines there are and says when it had to.
func clampRange(lines []int, total int) (first, last int, note string) {
	if lines == nil {
		return 1, total, ""
	}
	first, last = lines[0], lines[1]
	if last > total || first > total {
		note = fmt.Sprintf("The file ends at line %d.", total)
	}
	if last == -1 || last > total {
		last = total
	}
	return first, last, note
}

func writeNote(text *strings.Builder, note string) {
	if note != "" {
		text.WriteString("[" + note + "]\n")
	}
}
