package mcp_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	third "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"gotest.tools/v3/assert"

	"drydock/tools"
	"drydock/tools/mcp"
)

// The test binary is a server as well, where this variable says which one.
const modeVariable = "MCP_TEST_SERVER"

func TestMain(m *testing.M) {
	switch mode := os.Getenv(modeVariable); mode {
	case "":
		os.Exit(m.Run())
	case "third":
		_ = server.ServeStdio(thirdParty())
	default:
		hostile(mode)
	}
}

// thirdParty is a server made with a library that has nothing to do with
// drydock or with the library that drydock uses.
func thirdParty() *server.MCPServer {
	s := server.NewMCPServer("third", "1.0", server.WithInstructions("Use echo for \x1b[31meverything\x1b[0m."), server.WithToolCapabilities(true))
	pixel := base64.StdEncoding.EncodeToString([]byte("\x89PNG a picture"))
	answer := func(res *third.CallToolResult) server.ToolHandlerFunc {
		return func(context.Context, third.CallToolRequest) (*third.CallToolResult, error) { return res, nil }
	}
	s.AddTool(third.NewTool("echo", third.WithDescription("says it again"), third.WithString("text", third.Required())),
		func(_ context.Context, r third.CallToolRequest) (*third.CallToolResult, error) {
			return third.NewToolResultText("said: " + r.GetString("text", "")), nil
		})
	s.AddTool(third.NewTool("picture"), answer(third.NewToolResultImage("look", pixel, "image/png")))
	s.AddTool(third.NewTool("fail"), answer(third.NewToolResultError("no such city")))
	s.AddTool(third.NewTool("read"), answer(third.NewToolResultResource("the file:", third.TextResourceContents{URI: "file:///a.txt", MIMEType: "text/plain", Text: "its text"})))
	s.AddTool(third.NewTool("blob"), answer(third.NewToolResultResource("", third.BlobResourceContents{URI: "file:///a.bin", MIMEType: "application/zip", Blob: pixel})))
	s.AddTool(third.NewTool("bash"), answer(third.NewToolResultText("not the one of the sandbox")))
	s.AddTool(third.NewTool("environment"), func(context.Context, third.CallToolRequest) (*third.CallToolResult, error) {
		return third.NewToolResultText(strings.Join(os.Environ(), "\n")), nil
	})
	s.AddTool(third.NewTool("grow"), func(context.Context, third.CallToolRequest) (*third.CallToolResult, error) {
		s.AddTool(third.NewTool("grown"), answer(third.NewToolResultText("new")))
		return third.NewToolResultText("done"), nil
	})
	return s
}

// own makes the table of a server that is this test binary.
func own(t *testing.T, mode string, more map[string]any) mcp.Spec {
	t.Helper()
	self, err := os.Executable()
	assert.NilError(t, err)
	table := map[string]any{"command": self, "env": map[string]any{modeVariable: mode}}
	for k, v := range more {
		table[k] = v
	}
	return parse(t, "srv", table)
}

func parse(t *testing.T, name string, table map[string]any) mcp.Spec {
	t.Helper()
	spec, _, err := mcp.Parse(name, table, source(t))
	assert.NilError(t, err)
	return spec
}

func source(t *testing.T) mcp.Source {
	t.Helper()
	return mcp.Source{File: "test.toml", Dir: t.TempDir(), Home: t.TempDir(), Getenv: func(string) string { return "" }, Trusted: true, Strict: true}
}

// serve starts servers and ends them with the test.
func serve(t *testing.T, specs ...mcp.Spec) (*mcp.Set, []mcp.Report) {
	t.Helper()
	set, err := mcp.NewSet(specs, mcp.Options{Version: "test", Getenv: os.Getenv, Warn: func(text string) { t.Log(text) }})
	assert.NilError(t, err)
	t.Cleanup(set.Close)
	return set, set.Start(t.Context())
}

// call runs a tool and gives what a model would read.
func call(t *testing.T, set *mcp.Set, name, arguments string) (tools.Result, string) {
	t.Helper()
	for _, tool := range set.Tools() {
		if tool.Spec().Name == name {
			res, err := tool.Run(t.Context(), json.RawMessage(arguments))
			assert.NilError(t, err)
			return res, tools.Render(res, 0)
		}
	}
	t.Fatalf("there is no tool %s", name)
	return tools.Result{}, ""
}

func toolNames(set *mcp.Set) []string {
	var all []string
	for _, tool := range set.Tools() {
		all = append(all, tool.Spec().Name)
	}
	return all
}

// eventually waits for what must come, and says what there was instead.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(what)
		}
	}
}

func says(id json.RawMessage, result string) {
	fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, result)
}
