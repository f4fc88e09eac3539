package mcp

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// serverName is what a server may be called.
var serverName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.@/ -]{0,63}$`)

// Parse reads one server's table, of JSON or TOML. notes are the keys it left out.
// Errors name the file, the server and the key, and no value.
func Parse(name string, table map[string]any, from Source) (spec Spec, notes []string, err error) {
	p := parser{from: from, spec: Spec{Name: name, Origin: from.File, Start: usualStart, Call: usualCall}}
	if !serverName.MatchString(name) {
		return Spec{}, nil, fmt.Errorf("%s: a server is named %.70q; a name has up to 64 letters, digits and _ . - @ /, and begins with a letter or digit", from.File, name)
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		read, ok := keys[key]
		if !ok && from.Strict {
			return Spec{}, nil, fmt.Errorf("%s: server %s: there is no key %q; the keys are %s", from.File, name, key, strings.Join(slices.Sorted(maps.Keys(keys)), ", "))
		}
		if !ok {
			notes = append(notes, key)
			continue
		}
		if err := read(&p, table[key]); err != nil {
			return Spec{}, nil, fmt.Errorf("%s: server %s: %s: %w", from.File, name, key, err)
		}
	}
	if err := p.finish(); err != nil {
		return Spec{}, nil, fmt.Errorf("%s: server %s: %w", from.File, name, err)
	}
	return p.spec, notes, nil
}

type parser struct {
	from Source
	spec Spec
	kind string // type or transport, as it was written
}

// finish fills in what follows from the rest, and looks at the whole.
func (p *parser) finish() error {
	s := &p.spec
	if s.Command != "" && s.URL != "" {
		return errors.New("it has a command and a url; keep one of them")
	}
	if s.Command == "" && s.URL == "" {
		return errors.New("it has neither a command to run nor a url")
	}
	if err := p.transport(); err != nil {
		return err
	}
	s.Where = cmp.Or(s.Where, OnHost)
	if s.Where == InSandbox && s.URL != "" {
		return errors.New("a server in the sandbox needs a command: the sandbox has no network")
	}
	if !p.from.Trusted && s.Where != InSandbox {
		return errors.New(`a project file may only name servers with where = "sandbox"; put this one into your own configuration or name its file with --mcp-config`)
	}
	return p.place()
}

func (p *parser) transport() error {
	s := &p.spec
	allowed := map[string]Transport{"": Stdio, "stdio": Stdio}
	if s.URL != "" {
		allowed = map[string]Transport{"": AnyHTTP, "http": HTTP, "streamable-http": HTTP, "streamablehttp": HTTP, "streamable_http": HTTP, "sse": SSE}
		u, err := url.Parse(s.URL)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return errors.New("url is no address such as https://example.com/mcp")
		}
	}
	t, ok := allowed[strings.ToLower(p.kind)]
	if !ok {
		return fmt.Errorf("type is %.40q; it is stdio for a command, and http or sse for a url", p.kind)
	}
	s.Transport = t
	return nil
}

// place makes paths absolute.
func (p *parser) place() error {
	s := &p.spec
	if s.Where == InSandbox || s.URL != "" {
		return nil
	}
	if rest, ok := strings.CutPrefix(s.Dir, "~"); ok && (rest == "" || rest[0] == '/') {
		s.Dir = p.from.Home + rest
	}
	if s.Dir != "" && !filepath.IsAbs(s.Dir) {
		s.Dir = filepath.Join(p.from.Dir, s.Dir)
	}
	s.Dir = cmp.Or(s.Dir, p.from.Home)
	if strings.ContainsRune(s.Command, '/') && !filepath.IsAbs(s.Command) {
		s.Command = filepath.Join(p.from.Dir, s.Command)
	}
	return nil
}
