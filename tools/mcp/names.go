package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxName is the longest name of a tool that providers take, in bytes.
const maxName = 64

// prefix sets the servers' tools apart from drydock's own.
const prefix = "mcp_"

// names gives each tool of each server a name of its own, and the same one for
// as long as a run lasts.
type names struct {
	given map[[2]string]string // server and tool: name
	taken map[string]bool
}

func newNames() *names {
	return &names{given: map[[2]string]string{}, taken: map[string]bool{}}
}

func (n *names) of(server, tool string) string {
	key := [2]string{server, tool}
	if name, ok := n.given[key]; ok {
		return name
	}
	name := prefix + plain(server) + "_" + plain(tool)
	if len(name) > maxName || n.taken[name] {
		sum := sha256.Sum256([]byte(server + "\x00" + tool))
		mark := "_" + hex.EncodeToString(sum[:5])
		name = name[:min(len(name), maxName-len(mark))] + mark
	}
	n.given[key], n.taken[name] = name, true
	return name
}

// plain replaces what names of tools must not contain.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, text)
}
