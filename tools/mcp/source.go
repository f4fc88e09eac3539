package mcp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Source is where a server's description comes from.
type Source struct {
	File string // for messages
	Dir  string // relative paths start here
	Home string
	// Getenv looks a variable up for ${NAME}.
	Getenv func(string) string
	// Kept are variables that no server gets: those with the model's key.
	Kept []string
	// Trusted says that the person wrote it. One that is not may only name servers
	// in the sandbox, and sees no variable of the host.
	Trusted bool
	// Strict refuses keys that are not known; files of other programs have some of
	// their own.
	Strict bool
}

// reference is ${NAME}, ${NAME:-DEFAULT} or ${KIND:NAME}.
var reference = regexp.MustCompile(`\$\{([^{}]*)\}`)

// expand fills in what a text refers to. secrets are the values of variables.
func (s Source) expand(text string) (out string, secrets []string, err error) {
	out = reference.ReplaceAllStringFunc(text, func(ref string) string {
		value, secret, lookErr := s.lookUp(reference.FindStringSubmatch(ref)[1])
		if lookErr != nil && err == nil {
			err = lookErr
		}
		if secret {
			secrets = append(secrets, value)
		}
		return value
	})
	return out, secrets, err
}

func (s Source) lookUp(ref string) (value string, secret bool, err error) {
	name, fallback, hasFallback := strings.Cut(ref, ":-")
	kind, rest, hasKind := strings.Cut(name, ":")
	switch {
	case ref == "userHome":
		return s.Home, false, s.trust(ref)
	case ref == "workspaceFolder":
		return s.Dir, false, s.trust(ref)
	case ref == "/" || ref == "pathSeparator":
		return "/", false, nil
	case hasKind && kind == "env":
		name = rest
	case hasKind && kind == "input":
		return "", false, fmt.Errorf("${%s} asks a person, which cannot be done here; use a variable, such as ${TOKEN}", ref)
	}
	if !variable.MatchString(name) {
		return "", false, fmt.Errorf("${%s} is not known; write ${NAME} or ${NAME:-DEFAULT} for a variable", ref)
	}
	if err := s.trust(name); err != nil {
		return "", false, err
	}
	if slices.Contains(s.Kept, name) {
		return "", false, fmt.Errorf("%s is the model's key, which no server gets; give the server a key of its own, by another variable", name)
	}
	value = s.Getenv(name)
	switch {
	case value != "":
		return value, !slices.Contains(inherited, name) && !isPlace(value), nil
	case hasFallback:
		return fallback, false, nil
	}
	return "", false, fmt.Errorf("the variable %s is not set; set it, or give a default: ${%s:-DEFAULT}", name, name)
}

// isPlace says whether a value names something on this machine, and so is nothing
// to hide in what a server answers.
func isPlace(value string) bool {
	if !filepath.IsAbs(value) {
		return false
	}
	_, err := os.Lstat(value)
	return err == nil
}

func (s Source) trust(ref string) error {
	if s.Trusted {
		return nil
	}
	return errors.New("a project file may not use ${" + ref + "}: it would take values of this machine into the sandbox")
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
