package editor

import (
	"fmt"
	"slices"
	"strings"
)

// The commands of the tool.
const (
	CommandView    = "view"
	CommandCreate  = "create"
	CommandReplace = "str_replace"
	CommandInsert  = "insert"
	CommandUndo    = "undo_edit"
)

func commands() []string {
	return []string{CommandView, CommandCreate, CommandReplace, CommandInsert, CommandUndo}
}

// Args are the arguments of one call. A nil field was not given.
type Args struct {
	Command    string  `json:"command" jsonschema:"What to do."`
	Path       string  `json:"path" jsonschema:"File or directory. A relative path starts at the workspace; ~ is not expanded."`
	FileText   *string `json:"file_text,omitempty" jsonschema:"For create: the whole content of the file, written as it is."`
	OldStr     *string `json:"old_str,omitempty" jsonschema:"For str_replace: the text to replace, exactly as it stands in the file and found there only once."`
	NewStr     *string `json:"new_str,omitempty" jsonschema:"For str_replace: the text to put in its place; without it the text is deleted. For insert: the text to insert."`
	InsertLine *int    `json:"insert_line,omitempty" jsonschema:"For insert: the line after which the text goes; 0 puts it before the first line."`
	ViewRange  []int   `json:"view_range,omitempty" jsonschema:"For view of a file: first and last line, counted from 1, for example [10, 25]; [10, -1] goes to the end."`
}

// ArgumentError means that a call's arguments are wrong. Its text is one
// sentence for the model that names the argument and what is expected.
type ArgumentError struct {
	Argument string // "" when no single argument is to blame
	Reason   string
}

func (e *ArgumentError) Error() string { return e.Reason }

func argumentError(argument, format string, args ...any) error {
	return &ArgumentError{Argument: argument, Reason: fmt.Sprintf(format, args...)}
}

// validate checks what can be known without the file.
func (a Args) validate() error {
	if !slices.Contains(commands(), a.Command) {
		return argumentError("command", "command must be one of %s, not %s.",
			strings.Join(commands(), ", "), quoteShort(a.Command))
	}
	if a.Path == "" {
		return argumentError("path", "path must not be empty; give a file or directory, for example src/main.py.")
	}
	if strings.ContainsRune(a.Path, 0) {
		return argumentError("path", "path must not contain a NUL character.")
	}
	if err := a.checkForeign(); err != nil {
		return err
	}
	switch a.Command {
	case CommandView:
		return a.checkView()
	case CommandCreate:
		if a.FileText == nil {
			return missing("file_text", a.Command, "the whole content of the file as a string, which may be empty")
		}
	case CommandReplace:
		return a.checkReplace()
	case CommandInsert:
		return a.checkInsert()
	}
	return nil
}

func missing(name, command, expected string) error {
	return argumentError(name, "%s is missing: %s needs %s.", name, command, expected)
}

// checkForeign refuses an argument that the command would ignore, because the
// caller expects it to matter. Empty values are what some models fill in for
// all arguments and pass.
func (a Args) checkForeign() error {
	uses := parameters(a.Command)
	for _, given := range []struct {
		name string
		set  bool
	}{
		{"file_text", a.FileText != nil && *a.FileText != ""},
		{"old_str", a.OldStr != nil && *a.OldStr != ""},
		{"new_str", a.NewStr != nil && *a.NewStr != ""},
		{"insert_line", a.InsertLine != nil && *a.InsertLine != 0},
		{"view_range", len(a.ViewRange) > 0},
	} {
		if given.set && !slices.Contains(uses, given.name) {
			return argumentError(given.name, "%s does not belong to %s, which takes %s.",
				given.name, a.Command, strings.Join(uses, ", "))
		}
	}
	return nil
}

// parameters names what a command takes.
func parameters(command string) []string {
	switch command {
	case CommandView:
		return []string{"path", "view_range"}
	case CommandCreate:
		return []string{"path", "file_text"}
	case CommandReplace:
		return []string{"path", "old_str", "new_str"}
	case CommandInsert:
		return []string{"path", "insert_line", "new_str"}
	default:
		return []string{"path"}
	}
}

func (a Args) checkView() error {
	r := a.ViewRange
	if r == nil {
		return nil
	}
	if len(r) != 2 {
		return argumentError("view_range", "view_range must be two line numbers, for example [10, 25], not %d.", len(r))
	}
	if r[0] < 1 {
		return argumentError("view_range", "view_range must begin at line 1 or later, not at %d.", r[0])
	}
	if r[1] < r[0] && r[1] != -1 {
		return argumentError("view_range", "view_range must end at its first line %d or later, or at -1 for the end of the file, not at %d.", r[0], r[1])
	}
	return nil
}

func (a Args) checkReplace() error {
	if a.OldStr == nil {
		return missing("old_str", a.Command, "the text to replace as a string")
	}
	if *a.OldStr == "" {
		return argumentError("old_str", "old_str must not be empty; give the text to replace, or use insert to add text and create to write a whole file.")
	}
	if a.NewStr != nil && *a.NewStr == *a.OldStr {
		return argumentError("new_str", "new_str is the same as old_str, so nothing would change.")
	}
	return nil
}

func (a Args) checkInsert() error {
	if a.InsertLine == nil {
		return missing("insert_line", a.Command, "the number of the line after which the text goes, 0 for the top")
	}
	if *a.InsertLine < 0 {
		return argumentError("insert_line", "insert_line must be 0 or more, not %d.", *a.InsertLine)
	}
	if a.NewStr == nil {
		return missing("new_str", a.Command, "the text to insert as a string")
	}
	return nil
}
