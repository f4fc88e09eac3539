package agents_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/agents"
	"drydock/runtime"
	"drydock/runtime/workspace"
	"drydock/sandbox"
	"drydock/sandbox/sandboxtest/fake"
	"drydock/sandbox/wire"
	"drydock/tools"
)

var handTools = []string{"bash", "python_execute", "str_replace_editor", "terminal"}

// hold makes hands over an engine in memory, with a workspace of one file.
func hold(t *testing.T, engine *fake.Engine) (*agents.Hands, runtime.RunDir) {
	t.Helper()
	repo := t.TempDir()
	assert.NilError(t, os.WriteFile(filepath.Join(repo, "a.txt"), []byte("one\n"), 0o600))
	dir, err := runtime.CreateRunDir(t.TempDir(), "", runtime.NewRunID(time.Now()))
	assert.NilError(t, err)
	policy := sandbox.DefaultPolicy()
	client := new(sandbox.Client)
	h, err := agents.NewHands(handTools, policy, func(context.Context) (*agents.Session, func(), error) {
		if engine == nil {
			return nil, nil, errors.New("no engine here")
		}
		return &agents.Session{
			Client: client, Engine: engine, Preset: agents.Preset{Name: "mcp", Tools: handTools}, Policy: policy, Repo: repo,
			Limits: workspace.Limits{MaxBytes: 1 << 20, MaxFiles: 100}, Dir: dir, Recorder: runtime.NewRecorder(dir.ID, io.Discard),
			ExitCode: func(context.Context, runtime.Outcome) int { return 0 },
		}, func() {}, nil
	})
	assert.NilError(t, err)
	t.Cleanup(func() {
		_ = h.Close(context.Background())
		assert.Equal(t, client.Open(), 0)
	})
	return h, dir
}

// does runs a call and gives what a client would read.
func does(t *testing.T, h *agents.Hands, name, arguments string) (tools.Result, string) {
	t.Helper()
	res, err := h.Call(t.Context(), name, arguments)
	assert.NilError(t, err)
	return res, tools.Render(res, 0)
}

const edit = `{"command":"create","path":"/workspace/b.txt","file_text":"two\n"}`

func TestHandsShowWhatTheyChanged(t *testing.T) {
	t.Parallel()
	engine := new(fake.Engine)
	h, dir := hold(t, engine)
	before := h.Specs()
	assert.Equal(t, len(before), 6)
	assert.Equal(t, len(engine.Containers()), 0) // nothing is made before it is needed

	_, text := does(t, h, "patch", "{}")
	assert.Equal(t, text, "[nothing has changed]\n")
	assert.DeepEqual(t, h.Specs(), before)
	does(t, h, "str_replace_editor", edit)
	_, text = does(t, h, "patch", "")
	assert.Assert(t, strings.Contains(text, "+++ b/b.txt\n@@ -0,0 +1 @@\n+two\n"), text)
	assert.Assert(t, strings.Contains(text, "drydock apply "+dir.ID), text)
	res, _ := does(t, h, "patch", `{"path":"b.txt"}`)
	assert.Equal(t, res.Status, tools.StatusRejected)

	_, text = does(t, h, "reset", "{}")
	assert.Assert(t, strings.Contains(text, "a new sandbox is ready"), text)
	_, text = does(t, h, "patch", "{}")
	assert.Equal(t, text, "[nothing has changed]\n")
	does(t, h, "str_replace_editor", edit)

	assert.NilError(t, h.Close(t.Context()))
	patch, err := os.ReadFile(dir.File(runtime.PatchFile))
	assert.NilError(t, err)
	assert.Assert(t, strings.Contains(string(patch), "+two\n"))
	record, err := dir.ReadRecord()
	assert.NilError(t, err)
	assert.Equal(t, record.Reason, runtime.ReasonDone)
	_, err = h.Call(t.Context(), "bash", `{"command":"true"}`)
	assert.Assert(t, err != nil)
}

func TestLostSandboxIsToldToTheHandsAndReset(t *testing.T) {
	t.Parallel()
	engine := new(fake.Engine)
	h, _ := hold(t, engine)
	does(t, h, "bash", `{"command":"true"}`)
	engine.Containers()[0].Exit("exited (137), out of memory")
	for range 2 {
		res, text := does(t, h, "bash", `{"command":"true"}`)
		assert.Equal(t, res.Status, tools.StatusLost)
		assert.Assert(t, strings.Contains(text, "The sandbox was lost") && strings.Contains(text, "Call reset for a new one"), text)
	}
	_, text := does(t, h, "patch", "{}")
	assert.Assert(t, strings.Contains(text, "What was in it is gone"), text)
	does(t, h, "reset", "{}")
	res, _ := does(t, h, "str_replace_editor", edit)
	assert.Equal(t, res.Status, tools.StatusOK)
}

func TestHandsSayWhyThereIsNoSandbox(t *testing.T) {
	t.Parallel()
	h, _ := hold(t, nil)
	for range 2 { // it is tried again with each call
		_, err := h.Call(t.Context(), "bash", `{"command":"true"}`)
		assert.ErrorContains(t, err, "no engine here")
	}
}

// The end of a session does not wait for a call that runs.
func TestClosingInterruptsACall(t *testing.T) {
	t.Parallel()
	began := make(chan struct{})
	engine := &fake.Engine{Run: func(ctx context.Context, _ fake.Call) wire.Result {
		close(began)
		<-ctx.Done()
		return wire.Result{}
	}}
	h, _ := hold(t, engine)
	ended := make(chan error, 1)
	go func() {
		_, err := h.Call(t.Context(), "bash", `{"command":"sleep 1000","timeout":500}`)
		ended <- err
	}()
	<-began
	assert.NilError(t, h.Close(t.Context()))
	assert.Assert(t, errors.Is(<-ended, agents.ErrOver))
}
