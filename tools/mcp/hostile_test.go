package mcp_test

import (
	"os/exec"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/tools"
)

func TestServersThatDoNotStart(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{
		"hangs":        "it was not ready within 300ms",
		"dies at once": "it ended with exit code 3; it said last: Traceback: no module named fastmcp",
		"only garbage": "what it prints is not the protocol",
		"refuses":      "go away",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			limit := "60s"
			if mode == "hangs" {
				limit = "300ms"
			}
			set, reports := serve(t, own(t, mode, map[string]any{"start_timeout": limit}))
			assert.ErrorContains(t, reports[0].Err, want)
			assert.Assert(t, !strings.ContainsAny(reports[0].Err.Error(), "\x1b\n"), "%q", reports[0].Err)
			assert.Assert(t, strings.Contains(set.Instructions(), "The server srv is not there: "), set.Instructions())
			assert.Equal(t, len(set.Tools()), 0)
		})
	}
}

func TestPrintingBesideTheProtocolIsPutUpWith(t *testing.T) {
	t.Parallel()
	set, reports := serve(t, own(t, "garbage", nil))
	assert.NilError(t, reports[0].Err)
	_, text := call(t, set, "mcp_srv_act", "{}")
	assert.Equal(t, text, "fine")
}

func TestDeadServerIsAnObservationAndStartsAgain(t *testing.T) {
	t.Parallel()
	set, _ := serve(t, own(t, "dies", nil))
	res, text := call(t, set, "mcp_srv_act", "{}")
	assert.Equal(t, res.Status, tools.StatusToolError)
	assert.Assert(t, strings.Contains(text, "The MCP server srv has gone: it ended with exit code 7") &&
		strings.Contains(text, "It was started again") && strings.Contains(text, "call again"), text)
	_, text = call(t, set, "mcp_srv_act", "{}")
	assert.Assert(t, strings.Contains(text, "has gone: it ended with exit code 7"), text)
}

func TestOversizedAnswers(t *testing.T) {
	t.Parallel()
	set, _ := serve(t, own(t, "large", nil))
	_, text := call(t, set, "mcp_srv_act", "{}")
	assert.Assert(t, len(text) < 40_000 && strings.HasPrefix(text, "start yyy") && strings.HasSuffix(text, "yyy end"), "%d bytes", len(text))
	assert.Assert(t, strings.Contains(text, "bytes left out"))

	set, _ = serve(t, own(t, "huge", nil))
	res, text := call(t, set, "mcp_srv_act", "{}")
	assert.Equal(t, res.Status, tools.StatusToolError)
	assert.Assert(t, strings.Contains(text, "it sent a message of more than 16 MiB") && strings.Contains(text, "call again"), text)
}

func TestCallHasATimeLimit(t *testing.T) {
	t.Parallel()
	set, _ := serve(t, own(t, "never answers", map[string]any{"call_timeout": "200ms"}))
	res, text := call(t, set, "mcp_srv_act", "{}")
	assert.Equal(t, res.Status, tools.StatusTimeout)
	assert.Assert(t, strings.Contains(text, "did not answer within 200ms"), text)
}

// A server that takes nothing in must not hold up who writes to it.
func TestServerThatStopsReading(t *testing.T) {
	t.Parallel()
	set, _ := serve(t, own(t, "stops reading", map[string]any{"call_timeout": "300ms"}))
	res, text := call(t, set, "mcp_srv_act", `{"x":"`+strings.Repeat("x", 4<<20)+`"}`)
	assert.Equal(t, res.Status, tools.StatusTimeout, text)
	res, text = call(t, set, "mcp_srv_act", `{}`)
	assert.Assert(t, res.Status != tools.StatusOK && text != "")
}

func TestFloodsFillNothing(t *testing.T) {
	t.Parallel()
	set, _ := serve(t, own(t, "floods", nil))
	_, text := call(t, set, "mcp_srv_act", "{}")
	assert.Equal(t, text, "dry")
	set, _ = serve(t, own(t, "asks without end", nil))
	_, text = call(t, set, "mcp_srv_act", "{}")
	assert.Assert(t, strings.Contains(text, "more than 1000 requests of its own"), text)
}

// What a server asks for besides is refused, and costs the call nothing.
func TestServersGetNoRootsNoModelAndNoPerson(t *testing.T) {
	t.Parallel()
	log := &keep{}
	set := serveLogged(t, log, own(t, "asks", nil))
	_, text := call(t, set, "mcp_srv_act", "{}")
	assert.Equal(t, text, "asked")
	eventually(t, "four answers", func() bool { return strings.Count(log.String(), "answer {") == 4 })
	assert.Equal(t, strings.Count(log.String(), `"error"`), 2, "%s", log)
	assert.Assert(t, strings.Contains(log.String(), `{"roots":[]}`), "%s", log)
}

func TestOddToolsAreOfferedWithinBounds(t *testing.T) {
	t.Parallel()
	set, reports := serve(t, own(t, "odd tools", nil))
	assert.NilError(t, reports[0].Err)
	names := toolNames(set)
	assert.Equal(t, len(names), 5, "%q", names) // not the list, the huge one and the second of a name
	seen := map[string]bool{}
	for i, tool := range set.Tools() {
		spec := tool.Spec()
		assert.Assert(t, len(spec.Name) <= 64 && !seen[spec.Name], spec.Name)
		seen[spec.Name] = true
		assert.Assert(t, len(spec.Description) < 3000)
		if i == 0 {
			assert.Equal(t, spec.Name, "mcp_srv_a_b")
			assert.Equal(t, string(spec.Parameters), `{"properties":{"x":{"description":"hi`+"\uFFFD"+`","type":"string"}},"required":["x"],"type":"object"}`)
			assert.Equal(t, spec.Example, `{"x":"…"}`)
		}
	}
	_, reports = serve(t, own(t, "endless list", nil))
	assert.NilError(t, reports[0].Err)
	assert.Assert(t, len(reports[0].Tools) <= 100)
}

func TestAnswersAreCleaned(t *testing.T) {
	t.Parallel()
	set, _ := serve(t, own(t, "controls", nil))
	_, text := call(t, set, "mcp_srv_act", "{}")
	assert.Equal(t, text, "ab\uFFFDc\n[image of type image/svg+xml: not shown]")
	res, text := call(t, set, "mcp_srv_act", `{"kind":"strange"}`)
	assert.Equal(t, res.Status, tools.StatusToolError, text)
}

// However a server is, nothing of it is left.
func TestNothingIsLeftOfAServer(t *testing.T) {
	t.Parallel()
	set, reports := serve(t, own(t, "stays", nil))
	assert.NilError(t, reports[0].Err)
	set.Close()
	set, reports = serve(t, own(t, "leaves a child", nil))
	assert.NilError(t, reports[0].Err)
	set.Close()
	eventually(t, "a child of a server lives", func() bool {
		out, _ := exec.Command("ps", "-eo", "args").Output()
		return !strings.Contains(string(out), "sleep 97531")
	})
}
