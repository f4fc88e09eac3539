package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"

	"github.com/BurntSushi/toml"
)

// maxFileBytes is far more than any configuration needs; whoever wrote the
// repository decides how large its project file really is.
const maxFileBytes = 1 << 20

// readFile reads a file into its tables. A file that need not be there gives
// none.
func readFile(name string, optional bool) (map[string]any, error) {
	info, err := os.Stat(name)
	if optional && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(name, err)
	}
	if !info.Mode().IsRegular() {
		return nil, &Error{Where: name, Reason: "it is not a regular file"}
	}
	if info.Size() > maxFileBytes {
		return nil, &Error{Where: name, Reason: "it is larger than " + sizeText(maxFileBytes)}
	}
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil, unreadable(name, err)
	}
	top := map[string]any{}
	if err := toml.Unmarshal(raw, &top); err != nil {
		return nil, syntaxError(name, err)
	}
	return top, nil
}

func unreadable(name string, err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return &Error{Where: name, Reason: "read configuration: " + err.Error()}
}

// repeated is what the parser's messages repeat of the file.
var repeated = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[0-9]{2,}`)

// syntaxError leaves out the text of the line, and all words of it: a key that
// lacks its quotes is a syntax error.
func syntaxError(name string, err error) error {
	var parse toml.ParseError
	if !errors.As(err, &parse) {
		return &Error{Where: name, Reason: "it is not TOML"}
	}
	return &Error{
		Where:  fmt.Sprintf("%s:%d", name, parse.Position.Line),
		Reason: "it is not TOML: " + repeated.ReplaceAllString(parse.Message, "…"),
	}
}

// words turns a TOML value into what a flag would be given.
func (s *Setting) words(value any) ([]string, error) {
	switch s.shape {
	case list:
		return listWords(value)
	case table:
		return s.tableWords(value)
	}
	if word, ok := value.(string); ok {
		return []string{word}, nil
	}
	if word, ok := numberWord(value); ok && s.numeric {
		return []string{word}, nil
	}
	if b, ok := value.(bool); ok && s.logical {
		return []string{strconv.FormatBool(b)}, nil
	}
	return nil, fmt.Errorf("it must be a %s, not %s", s.tomlType(), typeName(value))
}

// Words turns a TOML value into what a flag that is no setting would be given:
// an array into several words.
func Words(value any) ([]string, error) {
	switch v := value.(type) {
	case string:
		return []string{v}, nil
	case bool:
		return []string{strconv.FormatBool(v)}, nil
	case []any:
		return listWords(v)
	}
	if word, ok := numberWord(value); ok {
		return []string{word}, nil
	}
	return nil, fmt.Errorf("it must be a string, a number, a boolean or an array of strings, not %s", typeName(value))
}

func (s *Setting) tomlType() string {
	switch {
	case s.numeric:
		return "number or string"
	case s.logical:
		return "boolean"
	}
	return "string"
}

func numberWord(value any) (string, bool) {
	switch n := value.(type) {
	case int64:
		return strconv.FormatInt(n, 10), true
	case float64:
		return strconv.FormatFloat(n, 'f', -1, 64), true
	}
	return "", false
}

func listWords(value any) ([]string, error) {
	items, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf("it must be an array of strings, not %s", typeName(value))
	}
	words := make([]string, 0, len(items))
	for _, item := range items {
		word, ok := item.(string)
		if !ok {
			return nil, fmt.Errorf("it must be an array of strings; there is %s in it", typeName(item))
		}
		words = append(words, word)
	}
	return words, nil
}

func (s *Setting) tableWords(value any) ([]string, error) {
	items, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("it must be a table of strings, not %s", typeName(value))
	}
	words := make([]string, 0, len(items))
	for _, name := range slices.Sorted(maps.Keys(items)) {
		word, ok := items[name].(string)
		if number, isNumber := numberWord(items[name]); isNumber && s.numeric {
			word, ok = number, true
		}
		if !ok {
			return nil, fmt.Errorf("%s in it must be a string, not %s", name, typeName(items[name]))
		}
		words = append(words, name+"="+word)
	}
	return words, nil
}

// typeName is TOML's name for a value's type.
func typeName(value any) string {
	switch value.(type) {
	case string:
		return "a string"
	case int64, float64:
		return "a number"
	case bool:
		return "a boolean"
	case []any, []map[string]any:
		return "an array"
	case map[string]any:
		return "a table"
	}
	return "a date or time"
}
