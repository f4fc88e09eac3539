package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
)

// maxFile is far more than a list of servers needs, in bytes.
const maxFile = 1 << 20

// sections are the members that hold the servers: Claude, Cursor and most others
// have the first, VS Code the second.
var sections = []string{"mcpServers", "servers"}

// ReadFile reads a file as other programs write it (mcp.json). notes name the
// keys that were left out.
func ReadFile(name string, from Source) (specs []Spec, notes []string, err error) {
	from.File = name
	raw, err := readWhole(name)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", name, err)
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(raw, &top); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, syntax(raw, err))
	}
	found := false
	for _, section := range sections {
		if top[section] == nil {
			continue
		}
		found = true
		var servers map[string]map[string]any
		if json.Unmarshal(top[section], &servers) != nil {
			return nil, nil, fmt.Errorf("%s: %s must be an object of servers by their names", name, section)
		}
		for _, server := range slices.Sorted(maps.Keys(servers)) {
			spec, left, err := Parse(server, servers[server], from)
			if err != nil {
				return nil, nil, err
			}
			if len(left) > 0 {
				notes = append(notes, fmt.Sprintf("%s: server %s: left out: %s", name, server, fmt.Sprintf("%.200q", left)))
			}
			specs = append(specs, spec)
		}
	}
	if !found {
		return nil, nil, fmt.Errorf(`%s: there is no "mcpServers" (or "servers") in it`, name)
	}
	return specs, notes, nil
}

func readWhole(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, cause(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > maxFile:
		return nil, errors.New("it is larger than 1 MiB")
	}
	raw, err := os.ReadFile(name)
	return raw, cause(err)
}

// cause leaves out the path, which the message around it names.
func cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// syntax says where the mistake is and nothing of the text: it may hold a key.
func syntax(raw []byte, err error) error {
	var bad *json.SyntaxError
	if !errors.As(err, &bad) {
		return errors.New("it is not a JSON object")
	}
	line := 1 + bytes.Count(raw[:min(bad.Offset, int64(len(raw)))], []byte("\n"))
	return fmt.Errorf("line %d is not JSON", line)
}
