package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// Decode reads a call's arguments into a struct, strictly. The error is a
// sentence for the model.
func Decode(raw json.RawMessage, into any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return refuseNulls(raw)
	case errors.As(err, &wrong):
		return fmt.Errorf("%s must be %s, not %s", wrong.Field, kindName(wrong.Type), wrong.Value)
	case strings.HasPrefix(err.Error(), "json: unknown field "):
		name := strings.TrimPrefix(err.Error(), "json: unknown field ")
		return fmt.Errorf("there is no argument named %s; the arguments are %s", name, strings.Join(fieldNames(into), ", "))
	}
	return fmt.Errorf("the arguments could not be read: %w", err)
}

// refuseNulls catches what Go's decoder takes for "left out".
func refuseNulls(raw json.RawMessage) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return fmt.Errorf("the arguments could not be read: %w", err)
	}
	for name, value := range fields {
		if string(bytes.TrimSpace(value)) == "null" {
			return fmt.Errorf("%s must not be null; leave it out instead", name)
		}
	}
	return nil
}

func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64, reflect.Int, reflect.Int64:
		return "a number"
	case reflect.Slice:
		return "a list"
	}
	return "a " + t.String()
}

func fieldNames(v any) []string {
	t := reflect.TypeOf(v).Elem()
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
