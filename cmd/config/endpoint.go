package config

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// scriptPrefix begins the name of a model that plays a file.
const scriptPrefix = "script:"

// model is a model's name. The file of a script is a path like any other.
func model() kind[string] {
	return kind[string]{name: "model", show: same, parse: func(in input, _ string) (string, error) {
		name, script := strings.CutPrefix(in.text(), scriptPrefix)
		switch {
		case name == "":
			return "", fmt.Errorf("%q names no model; write a name such as gpt-4.1, or script:FILE", in.text())
		case script:
			return scriptPrefix + in.path(name), nil
		}
		return text("").parse(in, "")
	}}
}

// address is a server's URL. As URLs may hold a password, no error shows one
// and neither does show.
func address() kind[string] {
	return kind[string]{
		name: "url",
		show: func(s string) string {
			u, err := url.Parse(s)
			if err != nil {
				return "(not a URL)"
			}
			u.User, u.RawQuery, u.Fragment = nil, "", ""
			return u.String()
		},
		parse: func(in input, _ string) (string, error) {
			if in.text() == "" {
				return "", nil
			}
			u, err := url.Parse(in.text())
			if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
				return "", errors.New("the value is not an http or https address such as http://localhost:8000/v1")
			}
			if u.RawQuery != "" || u.Fragment != "" {
				return "", errors.New("the address must end with its path; it must not have a ? or # part")
			}
			return strings.TrimRight(in.text(), "/"), nil
		},
	}
}

func secret() kind[Secret] {
	return kind[Secret]{name: "key", show: Secret.String, parse: func(in input, _ Secret) (Secret, error) {
		return parseKey(in.text())
	}}
}
