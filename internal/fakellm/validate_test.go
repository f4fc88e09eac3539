package fakellm_test

import (
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/internal/fakellm"
)

const (
	user   = `{"role":"user","content":"hi"}`
	system = `{"role":"system","content":"be good"}`
	reply  = `{"role":"assistant","content":"yes"}`
	png    = `data:image/png;base64,iVBORw0KGgo=`
)

func calls(ids ...string) string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = call(id, "bash", `{}`)
	}
	return assistant(strings.Join(list, ","))
}

func call(id, name, arguments string) string {
	return fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":%q,"arguments":%q}}`, id, name, arguments)
}

func assistant(calls string) string {
	return `{"role":"assistant","tool_calls":[` + calls + `]}`
}

func result(id string) string {
	return fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":"done"}`, id)
}

func image(role, url string) string {
	return fmt.Sprintf(`{"role":%q,"tool_call_id":"a","content":[{"type":"image_url","image_url":{"url":%q}}]}`, role, url)
}

func list(messages ...string) string { return strings.Join(messages, ",") }

func TestValidConversationsPass(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"user":                    list(user),
		"system first":            list(system, user),
		"two system messages":     list(system, system, user),
		"call and result":         list(system, user, calls("a"), result("a")),
		"results in other order":  list(user, calls("a", "b"), result("b"), result("a"), user),
		"same id in a later turn": list(user, calls("a"), result("a"), calls("a"), result("a")),
		"empty result":            list(user, calls("a"), `{"role":"tool","tool_call_id":"a","content":""}`),
		"image":                   list(image("user", png)),
		"text after text":         list(user, reply, user),
	}
	for name, messages := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assertAnswer(t, `{"model":"m","messages":[`+messages+`]}`, 200, "fine")
		})
	}
}

func TestInvalidConversationsAreRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ messages, problem string }{
		"none":                      {"", "must be a user message"},
		"system only":               {list(system), "must be a user message"},
		"late system":               {list(user, reply, system, user), "messages[2]: a system message must come first"},
		"assistant first":           {list(reply, user), "messages[0]: the first message"},
		"assistant last":            {list(user, reply), "last one must be from the user or a tool"},
		"unknown role":              {`{"role":"robot","content":"x"}`, "unknown role"},
		"empty user":                {`{"role":"user","content":""}`, "content must not be empty"},
		"no content":                {`{"role":"user"}`, "content must not be empty"},
		"null content":              {`{"role":"user","content":null}`, "content must not be empty"},
		"empty assistant":           {list(user, `{"role":"assistant","content":""}`, user), "messages[1]: content must not"},
		"orphan result":             {list(result("a")), "messages[0]: a tool message must answer"},
		"result of another call":    {list(user, calls("a"), result("b")), "none has the id \\\"b\\\""},
		"result twice":              {list(user, calls("a"), result("a"), result("a")), "messages[3]: a tool message must answer"},
		"result of an earlier turn": {list(user, calls("a"), result("a"), user, result("a")), "messages[4]"},
		"unanswered at the end":     {list(user, calls("a", "b"), result("a")), "the calls b have no tool message"},
		"unanswered before user":    {list(user, calls("a", "b"), result("b"), user), "unanswered: a"},
		"unanswered before reply":   {list(user, calls("a"), reply, user), "unanswered: a"},
		"result without content":    {list(user, calls("a"), `{"role":"tool","tool_call_id":"a"}`), "content is missing"},
		"duplicate ids":             {list(user, calls("a", "a"), result("a")), "not unique"},
		"no id":                     {list(user, calls(""), result("")), "id is missing"},
		"bad name":                  {list(user, assistant(call("a", "b c", "{}")), result("a")), "does not match"},
		"broken arguments":          {list(user, assistant(call("a", "b", "{")), result("a")), "not a JSON object"},
		"arguments are a list":      {list(user, assistant(call("a", "b", "[]")), result("a")), "not a JSON object"},
		"arguments are null":        {list(user, assistant(call("a", "b", "null")), result("a")), "not a JSON object"},
		"no arguments":              {list(user, assistant(`{"id":"a","type":"function","function":{"name":"b"}}`), result("a")), "arguments is missing"},
		"no call type":              {list(user, assistant(`{"id":"a","function":{"name":"b","arguments":"{}"}}`), result("a")), "type must be function"},
		"image in a result":         {list(user, calls("a"), image("tool", png)), "images are not allowed"},
		"image mislabelled":         {list(image("user", "data:image/jpeg;base64,iVBORw0KGgo=")), "labelled image/jpeg but is image/png"},
		"image type not read":       {list(image("user", "data:image/tiff;base64,AAAA")), "image/tiff"},
		"image is a path":           {list(image("user", "/tmp/x.png")), "neither"},
		"unknown part":              {`{"role":"user","content":[{"type":"audio"}]}`, "unknown content part"},
		"content is a number":       {`{"role":"user","content":3}`, "not a chat request"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assertAnswer(t, `{"model":"m","messages":[`+tt.messages+`]}`, 400, tt.problem)
		})
	}
}

func TestInvalidParametersAreRefused(t *testing.T) {
	t.Parallel()
	tool := `{"type":"function","function":{"name":"a","parameters":{"type":"object"}}}`
	tests := map[string]struct{ fields, problem string }{
		"no model":               {`"model":""`, "model parameter"},
		"choice without tools":   {`"model":"m","tool_choice":"auto"`, "only allowed when tools"},
		"unknown choice":         {`"model":"m","tool_choice":"maybe","tools":[` + tool + `]`, "unknown"},
		"same tool twice":        {`"model":"m","tools":[` + tool + `,` + tool + `]`, "not unique"},
		"no schema":              {`"model":"m","tools":[{"type":"function","function":{"name":"a","parameters":null}}]`, "type object"},
		"bad tool name":          {`"model":"m","tools":[{"type":"function","function":{"name":"a.b","parameters":{"type":"object"}}}]`, "does not match"},
		"no tool type":           {`"model":"m","tools":[{"function":{"name":"a","parameters":{"type":"object"}}}]`, "type must be function"},
		"zero max tokens":        {`"model":"m","max_tokens":0`, "at least 1"},
		"both limits":            {`"model":"m","max_tokens":1,"max_completion_tokens":1`, "exclude each other"},
		"hot":                    {`"model":"m","temperature":2.1`, "from 0 to 2"},
		"reasoning, max_tokens":  {`"model":"o3-mini","max_tokens":5`, "use max_completion_tokens"},
		"reasoning, temperature": {`"model":"gpt-5","temperature":0`, "default temperature"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assertAnswer(t, `{"messages":[`+user+`],`+tt.fields+`}`, 400, tt.problem)
		})
	}
	t.Run("not JSON", func(t *testing.T) {
		t.Parallel()
		assertAnswer(t, `{"messages":`, 400, "not a chat request")
	})
}

// assertAnswer also sees to it that a refused request uses up no turn.
func assertAnswer(t *testing.T, body string, status int, contains string) {
	t.Helper()
	srv := fakellm.New(t, fakellm.Text("fine"))
	resp, text, err := post(t, srv.URL(), body)
	assert.NilError(t, err)
	assert.Equal(t, resp.StatusCode, status, "%s", text)
	assert.Assert(t, strings.Contains(text, contains), "%s", text)
	if status != 200 {
		assert.Equal(t, srv.Left(), 1)
		assert.Assert(t, strings.Contains(text, `"type":"invalid_request_error"`), "%s", text)
		assert.Assert(t, srv.Requests()[0].Problem != "")
	}
}
