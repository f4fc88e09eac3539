package openai_test

import (
	"net/http"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/internal/fakellm"
	"drydock/runtime/llm"
	"drydock/runtime/llm/openai"
)

const jsonType = "application/json"

// What goes wrong whether or not the answer is streamed.
func TestFaults(t *testing.T) {
	t.Parallel()
	tests := []fault{
		{"no fault", then(), 1, "", 0, ""},

		{"429 passes", then(fakellm.Status(429, "slow down")), 2, "", 0, ""},
		{"429 stays", always(fakellm.Status(429, "slow down")), 8, llm.KindRateLimit, 429, "gave up after 8 attempts: slow down"},
		{"429 with no body", then(fakellm.Body(429, "", "")), 2, "", 0, ""},
		{"500 passes", then(fakellm.Status(500, "oops"), fakellm.Status(503, "busy")), 3, "", 0, ""},
		{"502 page stays", always(fakellm.HTMLPage(502)), 8, llm.KindOverloaded, 502, "an HTML page: 502 Bad Gateway"},
		{"529", then(fakellm.Status(529, "overloaded_error")), 2, "", 0, ""},
		{"408", then(fakellm.Status(408, "too slow")), 2, "", 0, ""},
		{"409", then(fakellm.Status(409, "locked")), 2, "", 0, ""},
		{"425", then(fakellm.Status(425, "early")), 2, "", 0, ""},
		{"504 without text", always(fakellm.Body(504, "", "")), 8, llm.KindOverloaded, 504, "Gateway Timeout"},

		{"reset passes", then(fakellm.Reset(), fakellm.Reset()), 3, "", 0, ""},
		{"reset stays", always(fakellm.Reset()), 8, llm.KindNetwork, 0, "connection reset by peer"},
		{"truncated passes", then(fakellm.Truncated()), 2, "", 0, ""},
		{"truncated stays", always(fakellm.Truncated()), 8, llm.KindNetwork, 0, "cut in the middle of the answer"},

		{"garbage passes", then(fakellm.Garbage()), 2, "", 0, ""},
		{"garbage stays", always(fakellm.Garbage()), 3, llm.KindBadResponse, 200, "not the JSON of a chat answer"},
		{"empty body stays", always(fakellm.Body(200, jsonType, "")), 3, llm.KindBadResponse, 200, "it is empty"},
		{"204", always(fakellm.Body(204, "", "")), 3, llm.KindBadResponse, 204, "it is empty"},
		{"JSON null", always(fakellm.Body(200, jsonType, "null")), 3, llm.KindBadResponse, 200, "no choices"},
		{"JSON list", always(fakellm.Body(200, jsonType, "[]")), 3, llm.KindBadResponse, 200, "not the JSON"},
		{"page with 200", always(fakellm.HTMLPage(200)), 3, llm.KindBadResponse, 200, "an HTML page: 200 OK instead of JSON"},
		{"no choices stays", always(fakellm.NoChoices(fakellm.Usage{})), 3, llm.KindBadResponse, 200, "no choices"},
		{"finish error", then(fakellm.Text("par").WithFinish("error")), 2, "", 0, ""},
		{"error in a 200", then(fakellm.Body(200, jsonType, `{"error":{"message":"upstream busy","code":503}}`)), 2, "", 0, ""},
		{"permanent error in a 200", always(fakellm.Body(200, jsonType, `{"error":{"message":"bad key","code":401}}`)), 1, llm.KindAuth, 401, "bad key"},
		{"odd error in a 200", always(fakellm.Body(200, jsonType, `{"error":"model crashed"}`)), 3, llm.KindBadResponse, 200, "model crashed"},

		{"401", always(fakellm.Status(401, "Incorrect API key")), 1, llm.KindAuth, 401, "check OPENAI_API_KEY: Incorrect API key"},
		{"403", always(fakellm.Status(403, "country not supported")), 1, llm.KindAuth, 403, "country not supported"},
		{"403 page", always(fakellm.HTMLPage(403)), 1, llm.KindAuth, 403, "an HTML page: 403 Forbidden"},
		{"402", always(fakellm.Status(402, "no credits")), 1, llm.KindQuota, 402, "no credits"},
		{"404 model", always(fakellm.ErrorCode(404, "model_not_found", "no such model")), 1, llm.KindNotFound, 404, "model fake-model at http://127.0.0.1"},
		{"404 page", always(fakellm.HTMLPage(404)), 1, llm.KindNotFound, 404, "check OPENAI_MODEL and OPENAI_BASE_URL: an HTML page"},
		{"405", always(fakellm.Body(405, "text/plain", "no")), 1, llm.KindNotFound, 405, "no"},
		{
			"redirect", always(fakellm.Body(302, "", "").WithHeader("Location", "https://example.org/login?next=1")), 1,
			llm.KindNotFound, 302, "redirects to https://example.org/login, check OPENAI_BASE_URL",
		},
		{"400", always(fakellm.Status(400, "unknown parameter: foo")), 1, llm.KindBadRequest, 400, "unknown parameter: foo"},
		{"422", always(fakellm.Body(422, jsonType, `{"detail":[{"loc":["body","tools"],"msg":"field required"}]}`)), 1, llm.KindBadRequest, 422, "field required"},
		{"418", always(fakellm.Body(418, "text/plain", "teapot\nwith\tlines")), 1, llm.KindBadRequest, 418, "teapot with lines"},

		{"quota", always(fakellm.ErrorCode(429, "insufficient_quota", "You exceeded your current quota")), 1, llm.KindQuota, 429, "exceeded your current quota"},
		{"quota words of a rate limit", then(fakellm.ErrorCode(429, "rate_limit", "You exceeded your current quota, retry in 3s")), 2, "", 0, ""},
		{"tokens per minute", then(fakellm.Status(429, "Too many tokens, please wait")), 2, "", 0, ""},
		{"request above the rate limit", always(fakellm.Status(429, "Request too large on tokens per min: Limit 30000")), 1, llm.KindContextOverflow, 429, "Limit 30000"},
		{"refused by a filter", always(fakellm.ErrorCode(400, "content_filter", "not allowed")), 1, llm.KindRefused, 400, "not allowed"},
		{"moderated", always(fakellm.Status(403, "Your input was flagged")), 1, llm.KindRefused, 403, "flagged"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.check(t)
			tt.check(t, func(c *openai.Config) { c.NoStream = true })
		})
	}
}

func TestContextOverflowIsToldFromOtherRefusals(t *testing.T) {
	t.Parallel()
	for _, server := range fakellm.OverflowServers() {
		assertKind(t, fakellm.Overflow(server), llm.KindContextOverflow)
	}
	assertKind(t, fakellm.HTMLPage(413), llm.KindContextOverflow)
	other := []fakellm.Turn{
		fakellm.Status(400, "max_tokens is too large: 100000. This model supports at most 4096 completion tokens"),
		fakellm.Status(400, "Invalid value for tools[0]"),
		fakellm.Status(400, "the context of parameter x is unknown"),
	}
	for _, turn := range other {
		assertKind(t, turn, llm.KindBadRequest)
	}
}

// A model that cannot do what is asked is told from one that is not there.
func TestModelsThatCannot(t *testing.T) {
	t.Parallel()
	tools := []fakellm.Turn{
		fakellm.Body(400, jsonType, `{"error":{"message":"registry.ollama.ai/library/gemma:2b does not support tools","type":"api_error"}}`),
		fakellm.Status(404, "No endpoints found that support tool use. To learn more about provider routing, visit the documentation"),
		fakellm.Status(400, `"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`),
		fakellm.Body(400, jsonType, `{"object":"error","message":"Function calling is not enabled for this model","code":400}`),
		fakellm.Status(400, "`tool calling` is not supported with this model"),
		fakellm.Status(500, "tools param requires --jinja flag"),
		fakellm.Status(400, "This model doesn't support tool use."),
		fakellm.Status(400, "litellm.UnsupportedParamsError: x does not support parameters: ['tools'], for model=y"),
		fakellm.Status(400, "Unsupported parameter: 'tools' is not supported with this model."),
	}
	for _, turn := range tools {
		assertKind(t, turn, llm.KindNoTools)
	}
	images := []fakellm.Turn{
		fakellm.Status(404, "No endpoints found that support image input"),
		fakellm.Status(400, "Invalid content type. image_url is only supported by certain models."),
		fakellm.Status(400, "At most 0 image(s) may be provided in one request."),
		fakellm.Status(500, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"),
		fakellm.Status(400, "Failed to deserialize: messages[1]: unknown variant `image_url`, expected `text`"),
		fakellm.Status(400, "This model does not support images"),
	}
	for _, turn := range images {
		assertKind(t, turn, llm.KindNoImages)
	}
}

func assertKind(t *testing.T, turn fakellm.Turn, want llm.Kind) {
	t.Helper()
	srv := fakellm.New(t, turn)
	model, _ := connect(t, srv)
	_, err := model.Complete(t.Context(), ask("hi"))
	e := typed(t, err)
	assert.Equal(t, e.Kind, want, "%v", err)
	assert.Assert(t, !e.Retryable())
	assert.Equal(t, len(srv.Requests()), 1)
}

func TestErrorBodiesOfManyShapes(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"error":`, 20) + `"x"` + strings.Repeat(`}`, 20)
	tests := map[string]string{
		`{"error":{"message":"as object"}}`:        "as object",
		`{"error":"as text"}`:                      "as text",
		`{"error":{"message":["a list","b"]}}`:     "a list",
		`{"errors":[{"message":"in errors"}]}`:     "in errors",
		`{"detail":"as detail"}`:                   "as detail",
		`{"message":"bare","code":"c"}`:            "bare",
		`{"error":null,"message":"beside null"}`:   "beside null",
		`{"error":{"code":"only_a_code"}}`:         "only_a_code",
		`{"reason":"own form"}`:                    `{"reason":"own form"}`,
		`{"error":{"message":3}}`:                  "3",
		`"just text"`:                              "just text",
		`not json`:                                 "not json",
		`{"error":{"message":"a\u001b[31mred\n"}}`: "a[31mred",
		`[]`:       "[]",
		"":         http.StatusText(400),
		deep:       `{"error"`,
		"\xff\xfe": "\uFFFD",
	}
	for body, want := range tests {
		srv := fakellm.New(t, fakellm.Body(400, "application/json", body))
		model, _ := connect(t, srv)
		_, err := model.Complete(t.Context(), ask("hi"))
		e := typed(t, err)
		assert.Assert(t, strings.HasPrefix(e.Message, want), "%q gives %q", body, e.Message)
		assert.Assert(t, len([]rune(e.Message)) <= 300)
	}
}
