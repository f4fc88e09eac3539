package config

import (
	"errors"
	"fmt"
	"strings"
)

// Error is a mistake in the configuration, told in one line.
type Error struct {
	Where  string // file or file:line, variable, or flag; empty if nowhere
	Key    string // section.name, empty if no setting is concerned
	Reason string // what is wrong and what is allowed; never a secret
}

// Error is the line a person reads.
func (e *Error) Error() string {
	switch {
	case e.Where == "":
		return fmt.Sprintf("%s: %s", e.Key, e.Reason)
	case e.Key == "", namesSetting(e.Where):
		return fmt.Sprintf("%s: %s", e.Where, e.Reason)
	}
	return fmt.Sprintf("%s: %s: %s", e.Where, e.Key, e.Reason)
}

// namesSetting says that a place is a flag or a variable, which says enough.
func namesSetting(where string) bool {
	return strings.HasPrefix(where, "--") || isVariable(where)
}

// problems gathers mistakes, so that all can be mended at once.
type problems []error

func (p *problems) add(where, key, format string, args ...any) {
	*p = append(*p, &Error{Where: where, Key: key, Reason: fmt.Sprintf(format, args...)})
}

// err is nil, the one mistake, or all of them joined, one a line.
func (p problems) err() error {
	if len(p) == 1 {
		return p[0]
	}
	return errors.Join(p...)
}
