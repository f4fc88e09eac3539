package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"drydock/sandbox/wire"
	"drydock/tools"
)

// maxText is how much of a result a model reads, in bytes: as much as of any
// program's output.
const maxText = 32 << 10

// pictures are the formats that models see.
var pictures = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}

// result is a server's answer as that of any other tool.
func (s *server) result(from *sdk.CallToolResult) tools.Result {
	res := tools.Result{Status: tools.StatusOK}
	var parts []string
	for _, c := range from.Content {
		if part := content(c, &res); part != "" {
			parts = append(parts, strings.TrimSuffix(part, "\n"))
		}
	}
	if len(parts) == 0 && from.StructuredContent != nil {
		if raw, err := json.Marshal(from.StructuredContent); err == nil {
			parts = append(parts, string(raw))
		}
	}
	text := s.spec.redact(strings.Join(parts, "\n"))
	res.Text = tools.CutMiddle(tools.Clean([]byte(text)), maxText)
	switch {
	case from.IsError:
		res.Status = tools.StatusToolError
		res.Text += "\n[the server says that this is an error]\n"
	case res.Text == "" && len(res.Images) == 0:
		res.Text = "[the server gave an empty answer]\n"
	}
	return res
}

// content gives one part of an answer as text; images go to the result.
func content(c sdk.Content, res *tools.Result) string {
	switch c := c.(type) {
	case *sdk.TextContent:
		return c.Text
	case *sdk.ImageContent:
		return picture(c.MIMEType, c.Data, res)
	case *sdk.AudioContent:
		return fmt.Sprintf("[audio, %s, %d bytes: not shown]", oneLine(c.MIMEType, 100), len(c.Data))
	case *sdk.ResourceLink:
		return fmt.Sprintf("[resource %s] %s", oneLine(c.URI, maxReason), oneLine(c.Name+" "+c.Description, maxReason))
	case *sdk.EmbeddedResource:
		return resource(c.Resource, res)
	}
	return "[content of a kind that is not known: not shown]"
}

func resource(r *sdk.ResourceContents, res *tools.Result) string {
	switch {
	case r == nil:
		return ""
	case r.Blob == nil:
		return fmt.Sprintf("[resource %s]\n%s", oneLine(r.URI, maxReason), r.Text)
	case pictures[r.MIMEType]:
		return picture(r.MIMEType, r.Blob, res)
	}
	return fmt.Sprintf("[resource %s, %s, %d bytes: not shown]", oneLine(r.URI, maxReason), oneLine(r.MIMEType, 100), len(r.Blob))
}

// picture adds an image, within the bounds of those that code draws.
func picture(mime string, data []byte, res *tools.Result) string {
	switch {
	case !pictures[mime]:
		return fmt.Sprintf("[image of type %s: not shown]", oneLine(mime, 100))
	case len(data) == 0 || len(data) > wire.MaxImage:
		return fmt.Sprintf("[image of %d bytes: not shown; the limit is %d]", len(data), wire.MaxImage)
	case len(res.Images) >= wire.MaxImages:
		return fmt.Sprintf("[one more image: not shown; the limit is %d]", wire.MaxImages)
	}
	res.Images = append(res.Images, tools.Image{MIME: mime, Data: data})
	return ""
}
