package docker

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"

	"github.com/docker/docker/api/types/container"

	"drydock/sandbox"
)

// described is a container as the engine would be asked for it.
type described struct {
	Image      string         `json:"image"`
	User       string         `json:"user"`
	Entrypoint []string       `json:"entrypoint"`
	HostConfig map[string]any `json:"host_config"` // what is not zero
}

// Describe gives the container of a policy as JSON, in the engine's own terms
// (HostConfig of its API), without asking an engine. What is only known when a
// run starts is not in it: the image's id, the name, labels, and limits that the
// engine's storage may add.
func Describe(p sandbox.Policy) (json.RawMessage, error) {
	config := containerConfig(sandbox.Spec{Policy: p}, p.Image, "")
	host, err := said(hostConfig(p.Profile()))
	if err != nil {
		return nil, fmt.Errorf("describe the container: %w", err)
	}
	raw, err := json.Marshal(described{p.Image, config.User, config.Entrypoint, host})
	if err != nil {
		return nil, fmt.Errorf("describe the container: %w", err)
	}
	return raw, nil
}

// said leaves out the fields of zero, which are most and say nothing.
func said(host *container.HostConfig) (map[string]any, error) {
	raw, err := json.Marshal(host)
	if err != nil {
		return nil, err
	}
	var all map[string]any
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, err
	}
	maps.DeleteFunc(all, func(_ string, v any) bool {
		value := reflect.ValueOf(v)
		return !value.IsValid() || value.IsZero()
	})
	for _, empty := range []string{"RestartPolicy", "ConsoleSize"} { // structs of zeros
		delete(all, empty)
	}
	return all, nil
}
