package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Field is one member of an object of arguments.
type Field struct {
	Name  string
	Value json.RawMessage
}

// Object splits the JSON object that a model wrote into its members, in order.
// The decoder for structs would take other spellings of a name, repeated names,
// and what is no character. The error is a sentence for the model.
func Object(raw []byte) ([]Field, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("the arguments are not valid UTF-8")
	}
	if kind := Kind(raw); kind != "an object" {
		return nil, fmt.Errorf("the arguments must be one JSON object, not %s", kind)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	var fields []Field
	_, err := dec.Token()
	for err == nil && dec.More() {
		var f Field
		if f, err = member(dec); err != nil {
			break
		}
		if slices.ContainsFunc(fields, func(g Field) bool { return g.Name == f.Name }) {
			return nil, fmt.Errorf("%s is given twice", strconv.Quote(f.Name))
		}
		fields = append(fields, f)
	}
	if err == nil {
		_, err = dec.Token()
	}
	if err != nil {
		return nil, Malformed(err)
	}
	if _, err = dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the arguments must be one JSON object with nothing after it")
	}
	return fields, nil
}

func member(dec *json.Decoder) (Field, error) {
	name, err := dec.Token()
	if err != nil {
		return Field{}, err
	}
	var f Field
	f.Name, _ = name.(string)
	return f, dec.Decode(&f.Value)
}

// Malformed says what is wrong with arguments that are not JSON. A model that
// was cut off has to do something else than one that made a mistake.
func Malformed(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || err.Error() == "unexpected end of JSON input" {
		return errors.New("the arguments are cut off: the JSON object has no end")
	}
	return fmt.Errorf("the arguments are not valid JSON: %s", strings.TrimPrefix(err.Error(), "json: "))
}

// Text reads a string argument. The error is a sentence for the model.
func Text(name string, value json.RawMessage) (string, error) {
	if kind := Kind(value); kind != "a string" {
		return "", WrongType(name, "a string", kind)
	}
	if halfSurrogate(value) {
		return "", fmt.Errorf("%s contains half of a surrogate pair (\\ud800 to \\udfff), which is not a character", name)
	}
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return "", fmt.Errorf("%s must be a string", name)
	}
	return text, nil
}

// WrongType says that an argument is not what was expected.
func WrongType(name, expected, kind string) error {
	if kind == "null" {
		return fmt.Errorf("%s must be %s, not null; leave it out where it is not needed", name, expected)
	}
	return fmt.Errorf("%s must be %s, not %s", name, expected, kind)
}

// Kind says what a JSON text begins as.
func Kind(raw []byte) string {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) == 0 {
		return "an empty text"
	}
	switch c := raw[0]; {
	case c == '{':
		return "an object"
	case c == '[':
		return "an array"
	case c == '"':
		return "a string"
	case c == 't' || c == 'f':
		return "a boolean"
	case c == 'n':
		return "null"
	case c == '-' || c >= '0' && c <= '9':
		return "a number"
	}
	return "plain text"
}

// halfSurrogate finds an escape that stands for no character. The JSON package
// would put U+FFFD in its place, and that would end up in a file or a command.
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
