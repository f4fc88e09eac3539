package editor

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"drydock/tools"
)

// Decode reads the arguments that a model wrote. It is strict: the text must
// be one JSON object with known arguments of the right types, each at most
// once, and all that the command needs. The error is an *ArgumentError; beside
// it are the arguments that could be read.
func Decode(raw json.RawMessage) (Args, error) {
	var args Args
	given, err := tools.Object(raw)
	if err != nil {
		return Args{}, argumentError("", "%v.", err)
	}
	for _, field := range given {
		if err := args.set(field.Name, field.Value); err != nil {
			return args, err
		}
	}
	if args.Command == "" && !has(given, "command") {
		return Args{}, argumentError("command", "command is missing: give one of %s.", strings.Join(commands(), ", "))
	}
	if args.Path == "" && !has(given, "path") {
		return args, argumentError("path", "path is missing: give a file or directory, for example src/main.py.")
	}
	return args, args.validate()
}

func has(fields []tools.Field, name string) bool {
	return slices.ContainsFunc(fields, func(f tools.Field) bool { return f.Name == name })
}

func (a *Args) set(name string, value json.RawMessage) error {
	var err error
	switch name {
	case "command":
		a.Command, err = decodeString(name, value)
	case "path":
		a.Path, err = decodeString(name, value)
	case "file_text":
		a.FileText, err = decodeText(name, value)
	case "old_str":
		a.OldStr, err = decodeText(name, value)
	case "new_str":
		a.NewStr, err = decodeText(name, value)
	case "insert_line":
		var line int
		line, err = decodeInt(name, "a whole number such as 12", value)
		a.InsertLine = &line
	case "view_range":
		a.ViewRange, err = decodeRange(name, value)
	default:
		err = argumentError(name, "%s is not an argument of this tool; it takes command, path, file_text, old_str, new_str, insert_line and view_range.", quoteShort(name))
	}
	return err
}

func decodeText(name string, value json.RawMessage) (*string, error) {
	text, err := decodeString(name, value)
	return &text, err
}

func decodeString(name string, value json.RawMessage) (string, error) {
	text, err := tools.Text(name, value)
	if err != nil {
		return "", argumentError(name, "%v.", err)
	}
	return text, nil
}

func decodeInt(name, expected string, value json.RawMessage) (int, error) {
	if kind := tools.Kind(value); kind != "a number" {
		return 0, argumentError(name, "%v.", tools.WrongType(name, expected, kind))
	}
	number, err := strconv.ParseFloat(string(value), 64)
	if err != nil || number != math.Trunc(number) || math.Abs(number) > math.MaxInt32 {
		return 0, argumentError(name, "%s must be %s, not %s.", name, expected, quoteShort(string(value)))
	}
	return int(number), nil
}

func decodeRange(name string, value json.RawMessage) ([]int, error) {
	const expected = "two line numbers such as [10, 25]"
	if kind := tools.Kind(value); kind != "an array" {
		return nil, argumentError(name, "%v.", tools.WrongType(name, expected, kind))
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(value, &parts); err != nil {
		return nil, argumentError(name, "%s must be %s.", name, expected)
	}
	lines := make([]int, 0, 2)
	for _, part := range parts {
		line, err := decodeInt(name, expected, part)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}
