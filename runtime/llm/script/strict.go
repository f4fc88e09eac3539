package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// decodeStrict reads one JSON object into a struct and refuses keys that the
// struct does not have, to the letter: a misspelt key would otherwise be a
// part of the script that silently never plays.
func decodeStrict(raw []byte, what string, into any) error {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil {
		return fmt.Errorf("%s: %w", what, explain(err))
	}
	if keys == nil {
		return fmt.Errorf("%s: a JSON object is needed, not null", what)
	}
	known := jsonKeys(reflect.TypeOf(into).Elem())
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if !slices.Contains(known, key) {
			return fmt.Errorf("%s: unknown key %q; the keys are %s", what, key, strings.Join(known, ", "))
		}
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%s: %w", what, explain(err))
	}
	return nil
}

func jsonKeys(record reflect.Type) []string {
	keys := make([]string, record.NumField())
	for i := range keys {
		keys[i] = record.Field(i).Tag.Get("json")
	}
	return keys
}

// explain puts the decoder's words in terms of the file.
func explain(err error) error {
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("not a JSON object on one line: %s (byte %d)", syntax.Error(), syntax.Offset)
	case errors.As(err, &wrong) && wrong.Field != "":
		return fmt.Errorf("%q has the wrong type: %s", wrong.Field, wrong.Value)
	case errors.As(err, &wrong):
		return fmt.Errorf("a JSON object is needed, not %s", wrong.Value)
	default:
		return err
	}
}
