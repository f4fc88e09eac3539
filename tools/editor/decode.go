package editor

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Decode reads the arguments that a model wrote. It is strict: the text must
// be one JSON object with known arguments of the right types, each at most
// once, and all that the command needs. The error is an *ArgumentError.
func Decode(raw json.RawMessage) (Args, error) {
	var args Args
	given, err := object(raw)
	if err != nil {
		return Args{}, err
	}
	for _, field := range given {
		if err := args.set(field.name, field.value); err != nil {
			return Args{}, err
		}
	}
	if args.Command == "" && !has(given, "command") {
		return Args{}, argumentError("command", "command is missing: give one of %s.", strings.Join(commands(), ", "))
	}
	if args.Path == "" && !has(given, "path") {
		return Args{}, argumentError("path", "path is missing: give a file or directory, for example src/main.py.")
	}
	return args, args.validate()
}

type field struct {
	name  string
	value json.RawMessage
}

func has(fields []field, name string) bool {
	for _, f := range fields {
		if f.name == name {
			return true
		}
	}
	return false
}

// object splits a JSON object into its members. The decoder for structs would
// accept other spellings of a name and repeated names.
func object(raw []byte) ([]field, error) {
	if !utf8.Valid(raw) {
		return nil, argumentError("", "The arguments are not valid UTF-8.")
	}
	if kind := jsonKind(raw); kind != "an object" {
		return nil, argumentError("", `The arguments must be a JSON object such as {"command": "view", "path": "src/main.py"}, not %s.`, kind)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	var fields []field
	_, err := dec.Token()
	for err == nil && dec.More() {
		var name json.Token
		var value json.RawMessage
		if name, err = dec.Token(); err != nil {
			break
		}
		if err = dec.Decode(&value); err != nil {
			break
		}
		key, _ := name.(string)
		if has(fields, key) {
			return nil, argumentError(key, "%s is given twice.", quoteShort(key))
		}
		fields = append(fields, field{key, value})
	}
	if err == nil {
		_, err = dec.Token()
	}
	return fields, objectError(dec, err)
}

func objectError(dec *json.Decoder, err error) error {
	if err == nil {
		_, err = dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		return argumentError("", "The arguments must be one JSON object with nothing after it.")
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return argumentError("", "The arguments are cut off: the JSON object has no end.")
	}
	return argumentError("", "The arguments are not valid JSON: %s.", quoteShort(err.Error()))
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
	if kind := jsonKind(value); kind != "a string" {
		return "", wrongType(name, "a string", kind)
	}
	if halfSurrogate(value) {
		return "", argumentError(name, "%s contains half of a surrogate pair (\\ud800 to \\udfff), which is not a character.", name)
	}
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return "", argumentError(name, "%s must be a string.", name)
	}
	return text, nil
}

func decodeInt(name, expected string, value json.RawMessage) (int, error) {
	if kind := jsonKind(value); kind != "a number" {
		return 0, wrongType(name, expected, kind)
	}
	number, err := strconv.ParseFloat(string(value), 64)
	if err != nil || number != math.Trunc(number) || math.Abs(number) > math.MaxInt32 {
		return 0, argumentError(name, "%s must be %s, not %s.", name, expected, quoteShort(string(value)))
	}
	return int(number), nil
}

func decodeRange(name string, value json.RawMessage) ([]int, error) {
	const expected = "two line numbers such as [10, 25]"
	if kind := jsonKind(value); kind != "an array" {
		return nil, wrongType(name, expected, kind)
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

func wrongType(name, expected, kind string) error {
	if kind == "null" {
		return argumentError(name, "%s must be %s, not null; leave it out where it is not needed.", name, expected)
	}
	return argumentError(name, "%s must be %s, not %s.", name, expected, kind)
}

// jsonKind says what a JSON text begins as.
func jsonKind(raw []byte) string {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) == 0 {
		return "an empty text"
	}
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return "a number"
	}
	return "plain text"
}

// halfSurrogate finds an escape that stands for no character. The JSON package
// would put U+FFFD in its place, and that would end up in a file.
func halfSurrogate(literal []byte) bool {
	for i := 0; i+1 < len(literal); i++ {
		if literal[i] != '\\' {
			continue
		}
		i++
		unit, ok := hexUnit(literal, i)
		if !ok || unit < 0xD800 || unit > 0xDFFF {
			continue
		}
		low, ok := uint64(0), i+5 < len(literal) && literal[i+5] == '\\'
		if ok {
			low, ok = hexUnit(literal, i+6)
		}
		if unit > 0xDBFF || !ok || low < 0xDC00 || low > 0xDFFF {
			return true
		}
		i += 10
	}
	return false
}

// hexUnit reads the escape whose "u" is at literal[i].
func hexUnit(literal []byte, i int) (uint64, bool) {
	if i+5 > len(literal) || literal[i] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(literal[i+1:i+5]), 16, 32)
	return unit, err == nil
}
