package serve

import (
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"drydock/tools"
)

// answer is a result as clients get it: the text that drydock's own agent would
// read, and the images.
func answer(res tools.Result, err error) *sdk.CallToolResult {
	if err != nil {
		return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: "The sandbox is not there: " + tools.Clean([]byte(err.Error()))}}}
	}
	out := &sdk.CallToolResult{IsError: failed(res.Status), Content: []sdk.Content{&sdk.TextContent{Text: tools.Render(res, 0)}}}
	for _, img := range res.Images {
		out.Content = append(out.Content, &sdk.ImageContent{MIMEType: img.MIME, Data: img.Data})
	}
	return out
}

// failed says which ends of a call are errors to a client. An exit code other
// than 0 is an answer: that of a grep without a match is 1.
func failed(s tools.Status) bool { return s != tools.StatusOK && s != tools.StatusExitNonzero }
