package agents_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/agents"
	"drydock/internal/fakellm"
	"drydock/runtime"
	"drydock/runtime/llm"
	"drydock/runtime/llm/openai"
	"drydock/tools"
	"drydock/tools/terminate"
)

// note is a tool that answers with its text, shows a picture when asked to, or
// fails as a sandbox does.
type note struct{ lost error }

func (note) Spec() tools.Spec {
	return tools.Spec{Name: "note", Description: "takes a note", Parameters: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`)}
}

func (n note) Run(_ context.Context, raw json.RawMessage) (tools.Result, error) {
	var args struct {
		Text string `json:"text"`
	}
	if err := tools.Decode(raw, &args); err != nil {
		return tools.Rejected(err.Error(), "{}"), nil
	}
	if n.lost != nil {
		return tools.Result{}, n.lost
	}
	res := tools.Result{Status: tools.StatusOK, Text: "noted " + args.Text}
	if args.Text == "replaced" {
		res.Status = tools.StatusLost
	}
	if args.Text == "picture" {
		res.Images = []tools.Image{{MIME: "image/png", Data: []byte("png")}}
	}
	return res, nil
}

type harness struct {
	server  *fakellm.Server
	outcome runtime.Outcome
	events  []runtime.Payload
}

// play runs an agent against a server over HTTP.
func play(t *testing.T, tool tools.Tool, turns ...fakellm.Turn) harness {
	t.Helper()
	h := harness{server: fakellm.New(t, turns...)}
	model, err := openai.New(openai.Config{APIKey: "key", BaseURL: h.server.URL(), Model: fakellm.ModelName, MaxAttempts: 1})
	assert.NilError(t, err)
	registry, err := tools.NewRegistry(tool, terminate.Tool{})
	assert.NilError(t, err)
	preset := agents.Preset{Name: "test", System: "Work in {{.Workdir}}.", ObservationLimit: 2000}
	agent, err := agents.NewAgent(model, registry, preset, agents.PromptData{Workdir: "/workspace"}, "the task", func(p runtime.Payload) { h.events = append(h.events, p) })
	assert.NilError(t, err)
	loop := runtime.Loop{Budget: runtime.Budget{Steps: 20}}
	h.outcome, err = loop.Run(t.Context(), agent)
	assert.NilError(t, err)
	return h
}

// observations are the tool results of the last request.
func (h harness) observations() []string {
	requests := h.server.Requests()
	var out []string
	for _, m := range requests[len(requests)-1].Chat.Messages {
		if m.Role == "tool" {
			out = append(out, m.Text())
		}
	}
	return out
}

func call(name, arguments string) fakellm.Call {
	return fakellm.Call{Name: name, Arguments: arguments}
}

var finish = fakellm.Calls(call("terminate", `{"status":"success","answer":"fine"}`))

func TestMistakesOfTheModelAreObservations(t *testing.T) {
	h := play(t, note{},
		fakellm.Calls(call("note", `{"text":"a"}`), call("note", `{"text":`), call("nosuch", `{}`), call("note", `{"txet":"a"}`), call("note", `[]`)),
		finish)
	assert.Equal(t, h.outcome.Reason, runtime.ReasonDone)
	assert.Equal(t, h.outcome.Answer, "fine")
	seen := h.observations()
	assert.Equal(t, len(seen), 5)
	assert.Assert(t, strings.Contains(seen[0], "noted a"))
	assert.Assert(t, strings.Contains(seen[1], "JSON"), seen[1])
	assert.Assert(t, strings.Contains(seen[2], "nosuch") && strings.Contains(seen[2], "note"), seen[2])
	assert.Assert(t, strings.Contains(seen[3], "txet"), seen[3])
	assert.Assert(t, seen[4] != "", "an array is no object")
}

func TestAnswerWithoutACallEndsTheRun(t *testing.T) {
	h := play(t, note{}, fakellm.Text("it is 42"))
	assert.Equal(t, h.outcome.Reason, runtime.ReasonDone)
	assert.Equal(t, h.outcome.Answer, "it is 42")
}

func TestTextBesideTheEndIsTheAnswer(t *testing.T) {
	h := play(t, note{}, fakellm.TextCalls("it is 42", call("terminate", `{"status":"success"}`)))
	assert.Equal(t, h.outcome.Answer, "it is 42")
	h = play(t, note{}, fakellm.TextCalls("it is 43", call("note", `{"text":"a"}`)), fakellm.Calls(call("terminate", `{"status":"success"}`)))
	assert.Equal(t, h.outcome.Answer, "it is 43")
}

func TestFailureIsNotSuccess(t *testing.T) {
	h := play(t, note{}, fakellm.Calls(call("terminate", `{"status":"failure","answer":"cannot"}`)))
	assert.Equal(t, h.outcome.Reason, runtime.ReasonGaveUp)
	h = play(t, note{}, fakellm.Refusal("I will not."))
	assert.Equal(t, h.outcome.Reason, runtime.ReasonGaveUp)
}

func TestEmptyAnswersEndInAnError(t *testing.T) {
	h := play(t, note{}, fakellm.Text(""), fakellm.Text(""), fakellm.Text(""), finish)
	assert.Equal(t, h.outcome.Reason, runtime.ReasonError)
	h = play(t, note{}, fakellm.Text(""), fakellm.Calls(call("note", `{"text":"a"}`)), fakellm.Text(""), finish)
	assert.Equal(t, h.outcome.Reason, runtime.ReasonDone)
}

func TestCallsAfterTheEndAreAnsweredAndNotRun(t *testing.T) {
	h := play(t, note{}, fakellm.Calls(call("terminate", `{"status":"success","answer":"x"}`), call("note", `{"text":"late"}`)))
	assert.Equal(t, h.outcome.Reason, runtime.ReasonDone)
	assert.Equal(t, h.outcome.ToolCalls, 1)
}

func TestCallsOfACutOffAnswerAreNotRun(t *testing.T) {
	h := play(t, note{}, fakellm.Calls(call("note", `{"text":"half"}`)).WithFinish("length"), finish)
	assert.Equal(t, h.outcome.Reason, runtime.ReasonDone)
	assert.Assert(t, strings.Contains(h.observations()[0], "Not run"), h.observations()[0])
}

func TestPicturesComeAfterAllResults(t *testing.T) {
	h := play(t, note{}, fakellm.Calls(call("note", `{"text":"picture"}`), call("note", `{"text":"b"}`)), finish)
	var roles []string
	for _, m := range h.server.Requests()[1].Chat.Messages {
		roles = append(roles, m.Role)
	}
	assert.DeepEqual(t, roles, []string{"system", "user", "assistant", "tool", "tool", "user"})
}

func TestALostSandboxEndsTheRun(t *testing.T) {
	h := play(t, note{lost: context.DeadlineExceeded}, fakellm.Calls(call("note", `{"text":"a"}`), call("note", `{"text":"b"}`)), finish)
	assert.Equal(t, h.outcome.Reason, runtime.ReasonError)
	assert.ErrorIs(t, h.outcome.Err, context.DeadlineExceeded)
	assert.Equal(t, h.server.Left(), 1)
}

// What a model asks for before it knows of a new sandbox is not run in it.
func TestCallsAfterAReplacementAreNotRun(t *testing.T) {
	h := play(t, note{}, fakellm.Calls(call("note", `{"text":"replaced"}`), call("note", `{"text":"b"}`)), finish)
	assert.Equal(t, h.outcome.Reason, runtime.ReasonDone)
	seen := h.observations()
	assert.Equal(t, seen[0], "noted replaced")
	assert.Assert(t, strings.Contains(seen[1], "Not run"), seen[1])
}

func TestRefusedKeyEndsTheRun(t *testing.T) {
	h := play(t, note{}, fakellm.Status(401, "bad key"))
	var failed *llm.Error
	assert.Assert(t, h.outcome.Reason == runtime.ReasonError)
	assert.Assert(t, errors.As(h.outcome.Err, &failed) && failed.Kind == llm.KindAuth)
}

func TestTooLongAConversationIsShortenedOnce(t *testing.T) {
	long := strings.Repeat("x", 1500)
	var turns []fakellm.Turn
	for i := range 6 { // not alike, or the run would end for repeating itself
		turns = append(turns, fakellm.Calls(call("note", fmt.Sprintf(`{"text":"%d%s"}`, i, long))))
	}
	turns = append(turns, fakellm.ErrorCode(400, "context_length_exceeded", "too long"), finish)
	h := play(t, note{}, turns...)
	assert.Equal(t, h.outcome.Reason, runtime.ReasonDone)
	seen := h.observations()
	assert.Assert(t, strings.Contains(seen[0], "shortened"))
	assert.Assert(t, !strings.Contains(seen[len(seen)-1], "shortened"))
}

func TestEveryPresetLoads(t *testing.T) {
	names := agents.PresetNames()
	assert.Assert(t, len(names) >= 2)
	for _, name := range names {
		p, err := agents.LoadPreset(name)
		assert.NilError(t, err)
		assert.Equal(t, p.Name, name)
		assert.Assert(t, p.Image != "" && p.Description != "")
	}
	_, err := agents.LoadPreset("nosuch")
	assert.ErrorContains(t, err, "swe")
	_, err = agents.LoadPreset("../presets/swe")
	assert.Assert(t, err != nil)
}
