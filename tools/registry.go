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

// Offers says whether there is a tool of that name.
func (r *Registry) Offers(name string) bool {
	_, ok := r.byName[name]
	return ok
}

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
		return Result{Status: StatusRejected, Text: r.unknown(name)}, nil
	}
	raw, repaired, err := read(arguments)
	if err != nil {
		return Rejected(fmt.Sprintf("%s: %v.", name, err), tool.Spec().Example), nil
	}
	res, err := tool.Run(ctx, raw)
	res.Repaired = repaired
	return res, err
}

// read makes an object of arguments as the model wrote them, repaired where
// that can be done in one way only.
func read(arguments string) (raw json.RawMessage, repaired string, err error) {
	raw = json.RawMessage(strings.TrimSpace(arguments))
	if len(raw) == 0 {
		return json.RawMessage("{}"), "", nil
	}
	var v any
	wrong := json.Unmarshal(raw, &v)
	if _, ok := v.(map[string]any); ok && wrong == nil {
		return raw, "", nil
	}
	if fixed, how, err := Repair(raw); err == nil {
		return fixed, how, nil
	}
	if wrong != nil {
		return nil, "", Malformed(wrong)
	}
	return nil, "", fmt.Errorf("the arguments must be one JSON object, not %s", Kind(raw))
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
