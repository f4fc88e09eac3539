package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Registry holds the tools of one run in the order they are offered.
type Registry struct {
	order  []Tool
	byName map[string]Tool
	absent map[string]string // tools that are not offered, and why
}

// NewRegistry makes a registry. Two tools of one name are a programming error,
// reported as such.
func NewRegistry(list ...Tool) (*Registry, error) {
	r := &Registry{byName: map[string]Tool{}, absent: map[string]string{}}
	for _, t := range list {
		name := t.Spec().Name
		if _, ok := r.byName[name]; ok {
			return nil, fmt.Errorf("two tools are named %s", name)
		}
		r.byName[name] = t
		r.order = append(r.order, t)
	}
	return r, nil
}

// Withhold notes that a tool is not offered, with the reason a model that calls
// it all the same is given.
func (r *Registry) Withhold(name, reason string) { r.absent[name] = reason }

// Withheld lists the tools that are not offered, and why.
func (r *Registry) Withheld() map[string]string { return r.absent }

// Specs describes the tools to the model.
func (r *Registry) Specs() []Spec {
	out := make([]Spec, 0, len(r.order))
	for _, t := range r.order {
		out = append(out, t.Spec())
	}
	return out
}

// Call runs one call as the model wrote it. Every mistake of the model is a
// result that says what to do; an error ends the run.
func (r *Registry) Call(ctx context.Context, name, arguments string) (Result, error) {
	began := time.Now()
	res, err := r.call(ctx, name, arguments)
	if res.Duration == 0 {
		res.Duration = time.Since(began)
	}
	return res, err
}

func (r *Registry) call(ctx context.Context, name, arguments string) (Result, error) {
	tool, ok := r.byName[name]
	if !ok {
		return Rejected(r.unknown(name)), nil
	}
	raw := json.RawMessage(strings.TrimSpace(arguments))
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil || object == nil {
		return Rejected(notObject(name, raw, err)), nil
	}
	return tool.Run(ctx, raw)
}

func (r *Registry) unknown(name string) string {
	if reason, ok := r.absent[name]; ok {
		return fmt.Sprintf("The tool %s is not available here: %s.", name, reason)
	}
	names := make([]string, 0, len(r.order))
	for _, t := range r.order {
		names = append(names, t.Spec().Name)
	}
	return fmt.Sprintf("There is no tool named %q. The tools are: %s.", name, strings.Join(names, ", "))
}

func notObject(name string, raw json.RawMessage, err error) string {
	if json.Valid(raw) {
		return fmt.Sprintf("The arguments of %s must be one JSON object, such as {\"key\": \"value\"}.", name)
	}
	return fmt.Sprintf("The arguments of %s are not valid JSON (%v). Nothing was run; send the call again with one complete JSON object.", name, err)
}
