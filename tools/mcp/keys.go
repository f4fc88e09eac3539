package mcp

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// keys reads the values of a server's table. Names that other programs use for
// the same are known too.
var keys = map[string]func(*parser, any) error{
	"command": func(p *parser, v any) error { return p.text(v, &p.spec.Command) },
	"args":    func(p *parser, v any) error { return p.texts(v, &p.spec.Args) },
	"env":     func(p *parser, v any) error { return p.table(v, &p.spec.Env, false) },
	"cwd":     func(p *parser, v any) error { return p.text(v, &p.spec.Dir) },

	"url":       (*parser).address,
	"serverUrl": (*parser).address,
	"httpUrl":   (*parser).address,
	"headers":   func(p *parser, v any) error { return p.table(v, &p.spec.Headers, true) },

	"type":      func(p *parser, v any) error { return p.text(v, &p.kind) },
	"transport": func(p *parser, v any) error { return p.text(v, &p.kind) },
	"where":     (*parser).where,

	"start_timeout": func(p *parser, v any) error { return limit(v, &p.spec.Start) },
	"call_timeout":  func(p *parser, v any) error { return limit(v, &p.spec.Call) },
	"tools":         func(p *parser, v any) error { return p.texts(v, &p.spec.Tools) },
	"disabled":      func(p *parser, v any) error { return truth(v, &p.spec.Disabled) },
}

func (p *parser) text(v any, into *string) error {
	text, ok := v.(string)
	if !ok {
		return errors.New("it must be a string")
	}
	out, secrets, err := p.from.expand(text)
	p.spec.keepSecret(secrets...)
	*into = out
	return err
}

func (p *parser) texts(v any, into *[]string) error {
	list, ok := v.([]any)
	if !ok {
		return errors.New("it must be an array of strings")
	}
	for _, item := range list {
		var text string
		if err := p.text(item, &text); err != nil {
			return err
		}
		*into = append(*into, text)
	}
	return nil
}

// table reads names and their values. Numbers and truth values are taken as
// they are written, as other programs do.
func (p *parser) table(v any, into *map[string]string, secret bool) error {
	table, ok := v.(map[string]any)
	if !ok {
		return errors.New("it must be a table of names and strings")
	}
	*into = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		value := table[name]
		switch value.(type) {
		case float64, int64, bool:
			value = fmt.Sprint(value)
		}
		var text string
		if err := p.text(value, &text); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if secret {
			p.spec.keepSecret(text)
		}
		(*into)[name] = text
	}
	return nil
}

func (p *parser) address(v any) error {
	if p.spec.URL != "" {
		return errors.New("another key names an address as well; keep one of them")
	}
	return p.text(v, &p.spec.URL)
}

func (p *parser) where(v any) error {
	var text string
	if err := p.text(v, &text); err != nil {
		return err
	}
	p.spec.Where = Where(text)
	if p.spec.Where != OnHost && p.spec.Where != InSandbox {
		return fmt.Errorf("it must be host or sandbox, not %.40q", text)
	}
	return nil
}

// limit reads a duration such as "30s", or a number of seconds.
func limit(v any, into *time.Duration) error {
	var d time.Duration
	switch v := v.(type) {
	case string:
		var err error
		if d, err = time.ParseDuration(v); err != nil {
			return errors.New(`it must be a time such as "30s"`)
		}
	case float64:
		d = time.Duration(v * float64(time.Second))
	case int64:
		d = time.Duration(v) * time.Second
	}
	if d < time.Millisecond || d > 24*time.Hour {
		return errors.New(`it must be a time such as "30s", of at most a day`)
	}
	*into = d
	return nil
}

func truth(v any, into *bool) error {
	b, ok := v.(bool)
	if !ok {
		return errors.New("it must be true or false")
	}
	*into = b
	return nil
}
