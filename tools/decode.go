package tools

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// Decode reads a call's arguments into a struct of strings, numbers, booleans
// and lists of strings, strictly: exact names, each at most once, of the right types. The
// error is a sentence for the model.
func Decode(raw json.RawMessage, into any) error {
	given, err := Object(raw)
	if err != nil {
		return err
	}
	target := reflect.ValueOf(into).Elem()
	names := fieldNames(target.Type())
	for _, f := range given {
		i, ok := names[f.Name]
		if !ok {
			return fmt.Errorf("there is no argument named %q; the arguments are %s", shorten(f.Name), strings.Join(inOrder(target.Type()), ", "))
		}
		if err := set(target.Field(i), f); err != nil {
			return err
		}
	}
	return nil
}

const arrayForm = `an array of texts such as ["Enter"]`

func set(field reflect.Value, f Field) error {
	kind := Kind(f.Value)
	switch field.Kind() {
	case reflect.String:
		text, err := Text(f.Name, f.Value)
		field.SetString(text)
		return err
	case reflect.Bool:
		if kind != "a boolean" {
			return WrongType(f.Name, "true or false, without quotes", kind)
		}
	case reflect.Float64:
		if kind != "a number" {
			return WrongType(f.Name, "a number such as 30, without quotes", kind)
		}
	case reflect.Int:
		if kind != "a number" {
			return WrongType(f.Name, "a whole number such as 30, without quotes", kind)
		}
	case reflect.Slice:
		if kind != "an array" {
			return WrongType(f.Name, arrayForm, kind)
		}
	default:
		panic("argument " + f.Name + " has a type that Decode does not know") // seen by any test
	}
	if err := json.Unmarshal(f.Value, field.Addr().Interface()); err != nil {
		if field.Kind() == reflect.Slice {
			return WrongType(f.Name, arrayForm, "an array with something else in it")
		}
		return fmt.Errorf("%s is out of range: %s", f.Name, shorten(string(f.Value)))
	}
	return nil
}

// shorten keeps what a model wrote from filling the answer.
func shorten(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	return firstBytes(text, most) + "…"
}

func fieldNames(t reflect.Type) map[string]int {
	names := map[string]int{}
	for i, name := range inOrder(t) {
		names[name] = i
	}
	return names
}

func inOrder(t reflect.Type) []string {
	var out []string
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		out = append(out, name)
	}
	return out
}

// Schema derives the JSON schema of a struct of arguments. Fields without
// omitempty are required; a jsonschema tag describes a field.
func Schema[T any]() json.RawMessage {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		panic(fmt.Sprintf("arguments of a built-in tool have no schema: %v", err)) // a constant type: seen by any test
	}
	raw, err := json.Marshal(schema)
	if err != nil {
		panic(fmt.Sprintf("schema of a built-in tool cannot be encoded: %v", err))
	}
	return raw
}

// Seconds turns a timeout argument into a duration. What is absurdly long is
// cut to a day here and to the sandbox's maximum there, instead of overflowing;
// zero means the default. Less than that is an error.
func Seconds(s float64) (time.Duration, error) {
	const day = 24 * time.Hour
	switch {
	case s < 0:
		return 0, fmt.Errorf("timeout is %g; give the seconds the call may take, more than 0", s)
	case s >= day.Seconds():
		return day, nil
	}
	return time.Duration(s * float64(time.Second)), nil
}
