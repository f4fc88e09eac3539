package mcp

import (
	"strings"

	"drydock/tools"
)

// maxReason bounds what messages cite of a server, in bytes.
const maxReason = 500

// oneLine is a text of a server on one line, cleaned and bounded.
func oneLine(text string, most int) string {
	if len(text) > 4*most {
		text = text[:4*most]
	}
	return cut(strings.Join(strings.Fields(tools.Clean([]byte(text))), " "), most)
}

// cut bounds a text, between characters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
