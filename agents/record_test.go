package agents_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/agents"
	"drydock/internal/fakellm"
	"drydock/runtime"
	"drydock/runtime/llm/openai"
	"drydock/tools"
	"drydock/tools/terminate"
)

// printer is a tool whose program prints what was put into it.
type printer struct{ head, tail []byte }

func (printer) Spec() tools.Spec {
	return tools.Spec{Name: "print", Description: "prints", Parameters: json.RawMessage(`{"type":"object"}`), Example: "{}"}
}

func (p printer) Run(context.Context, json.RawMessage) (tools.Result, error) {
	program := &tools.Program{Head: p.head, Tail: p.tail, Total: int64(len(p.head) + len(p.tail))}
	if p.tail != nil {
		program.Total, program.Dropped = program.Total+1000, 1000
	}
	return tools.Result{Status: tools.StatusOK, Program: program}, nil
}

// record runs one call of a tool and returns its event and the run's directory.
func record(t *testing.T, tool tools.Tool, arguments string) (runtime.ToolCompleted, runtime.RunDir) {
	t.Helper()
	server := fakellm.New(t, fakellm.Calls(call("print", arguments)), finish)
	model, err := openai.New(openai.Config{APIKey: "key", BaseURL: server.URL(), Model: fakellm.ModelName, MaxAttempts: 1})
	assert.NilError(t, err)
	registry, err := tools.NewRegistry(tool, terminate.Tool{})
	assert.NilError(t, err)
	dir, err := runtime.CreateRunDir(t.TempDir(), "", runtime.NewRunID(time.Now()))
	assert.NilError(t, err)
	var done []runtime.ToolCompleted
	agent, err := agents.NewAgent(model, registry, agents.Preset{Name: "test", System: "x", ObservationLimit: 100}, agents.PromptData{}, "task",
		func(p runtime.Payload) {
			if c, ok := p.(runtime.ToolCompleted); ok {
				done = append(done, c)
			}
		})
	assert.NilError(t, err)
	agent.KeepOutputs(runtime.NewOutputs(dir))
	loop := runtime.Loop{Budget: runtime.Budget{Steps: 5}}
	_, err = loop.Run(t.Context(), agent)
	assert.NilError(t, err)
	return done[0], dir
}

// What an event cannot show byte by byte is in a file of the run.
func TestRawOutputIsKept(t *testing.T) {
	long := bytes.Repeat([]byte("long "), 100)
	for _, p := range []printer{
		{head: []byte("\x1b[31mred\x1b[0m\r\n")},
		{head: []byte("\xff\x00")},
		{head: long},
		{head: []byte("start"), tail: []byte("end")},
		{head: []byte("\u202e")},
	} {
		done, dir := record(t, p, "{}")
		assert.Assert(t, done.Raw != nil, "%q", p.head)
		raw, err := os.ReadFile(dir.File(done.Raw.File))
		assert.NilError(t, err)
		assert.Equal(t, string(raw[:done.Raw.Head]), string(p.head))
		assert.Equal(t, string(raw[done.Raw.Head:]), string(p.tail))
		assert.Equal(t, done.Raw.Tail, len(p.tail))
		assert.Assert(t, !strings.ContainsAny(done.Output, "\x1b\x00\r"))
	}
}

func TestPlainOutputNeedsNoFile(t *testing.T) {
	for _, p := range []printer{{head: []byte("plain\n\ttext é\n")}, {}} {
		done, dir := record(t, p, "{}")
		assert.Assert(t, done.Raw == nil)
		_, err := os.Stat(dir.File(runtime.OutputsDir))
		assert.Assert(t, os.IsNotExist(err))
	}
}

func TestEventSaysThatArgumentsWereRepaired(t *testing.T) {
	done, _ := record(t, printer{head: []byte("x\n")}, `{'a': 'b',}`)
	assert.Equal(t, done.Status, "ok")
	assert.Equal(t, done.Repaired, "single quotes, a comma before a closing bracket")
	assert.Assert(t, strings.Contains(done.Output, "not valid JSON (single quotes"))
	done, _ = record(t, printer{head: []byte("x\n")}, `{"a": "b"}`)
	assert.Equal(t, done.Repaired, "")
}
