package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"gotest.tools/v3/assert"

	"drydock/runtime"
)

// A client that has nothing to do with drydock uses a sandbox, and leaves a patch.
func TestForeignClientUsesASandbox(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	repo := filepath.Join(dir, "repo")
	assert.NilError(t, os.Mkdir(repo, 0o700))
	assert.NilError(t, os.WriteFile(filepath.Join(repo, "a.txt"), []byte("one\n"), 0o600))
	var server *exec.Cmd
	how := transport.NewStdioWithOptions("drydock", nil, []string{"mcp", "serve", "--repo", repo, "--runs-dir", filepath.Join(dir, "runs")},
		transport.WithCommandFunc(func(_ context.Context, command string, _, args []string) (*exec.Cmd, error) {
			self, err := os.Executable()
			server = &exec.Cmd{Path: self, Args: append([]string{command}, args...), Dir: dir, Env: append(isolated(dir), "PATH="+os.Getenv("PATH"))}
			return server, err
		}))
	c := client.NewClient(how)
	assert.NilError(t, c.Start(t.Context()))
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "foreign", Version: "9"}
	_, err := c.Initialize(t.Context(), hello)
	assert.NilError(t, err)
	say := func(tool string, arguments map[string]any) string {
		var r mcp.CallToolRequest
		r.Params.Name, r.Params.Arguments = tool, arguments
		res, err := c.CallTool(t.Context(), r)
		assert.NilError(t, err)
		assert.Assert(t, !res.IsError, "%v", res.Content)
		return res.Content[0].(mcp.TextContent).Text
	}
	assert.Equal(t, say("bash", map[string]any{"command": "cd /tmp; X=1; id -u"}), "1000\n")
	assert.Equal(t, say("bash", map[string]any{"command": "pwd; echo $X; echo two >> /workspace/a.txt"}), "/tmp\n1\n")
	assert.Equal(t, say("python_execute", map[string]any{"code": "open('/workspace/a.txt').read()"}), "'one\\ntwo\\n'\n")
	patch := say("patch", nil)
	assert.Assert(t, strings.Contains(patch, "@@ -1 +1,2 @@\n one\n+two\n"), patch)
	assert.NilError(t, c.Close())
	_ = server.Wait() // the client may have waited already

	runs, err := os.ReadDir(filepath.Join(dir, "runs"))
	assert.NilError(t, err)
	assert.Equal(t, len(runs), 1)
	run, err := runtime.FindRunDir(filepath.Join(dir, "runs"), runs[0].Name())
	assert.NilError(t, err)
	record, err := run.ReadRecord()
	assert.NilError(t, err)
	assert.Equal(t, record.Task, "MCP session of foreign 9")
	kept, err := os.ReadFile(run.File(runtime.PatchFile))
	assert.NilError(t, err)
	assert.Assert(t, strings.HasPrefix(patch, string(kept)), "%s", kept)
	assert.NilError(t, exec.Command("git", "-C", repo, "apply", "--check", run.File(runtime.PatchFile)).Run())
	content, err := os.ReadFile(filepath.Join(repo, "a.txt"))
	assert.NilError(t, err)
	assert.Equal(t, string(content), "one\n") // the directory itself is as it was
}
