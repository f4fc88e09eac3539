package editor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

const (
	viewDepth   = 2
	viewEntries = 1000
)

func (e *Editor) viewDirectory(ctx context.Context, path string, ranged bool) (Answer, error) {
	listing, err := e.files.List(ctx, path, viewDepth, viewEntries)
	if err != nil {
		return failed("list", path, err)
	}
	entries := listing.Entries
	slices.SortFunc(entries, byPath)
	var text strings.Builder
	fmt.Fprintf(&text, "%s (directory, two levels, without hidden entries)\n", showPath(path))
	shown := 0
	for _, entry := range entries {
		line := entryLine(entry)
		if text.Len()+len(line) > e.opts.MaxViewBytes {
			break
		}
		text.WriteString(line)
		shown++
	}
	if len(entries) == 0 {
		text.WriteString("(nothing in it)\n")
	}
	if listing.Truncated || shown < len(entries) {
		fmt.Fprintf(&text, "[There is more; a view holds %d entries. View a directory below, or use ls or find.]\n", shown)
	}
	if ranged {
		text.WriteString("[view_range is for files and was not used.]\n")
	}
	return done("%s", text.String()), nil
}

// byPath sorts a directory before what is in it, and that before its next
// sibling.
func byPath(a, b Entry) int {
	return slices.CompareFunc(strings.Split(a.Path, "/"), strings.Split(b.Path, "/"), cmp.Compare[string])
}

func entryLine(entry Entry) string {
	name := showPath(entry.Path)
	switch {
	case entry.IsLink:
		return name + "  (symbolic link)\n"
	case entry.IsDir:
		return name + "/\n"
	}
	return fmt.Sprintf("%s  %s\n", name, showSize(entry.Size))
}
