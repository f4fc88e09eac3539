package fakellm_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	goopenai "github.com/sashabaranov/go-openai"
	"go.uber.org/goleak"
	"gotest.tools/v3/assert"

	"drydock/internal/fakellm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const hello = `{"model":"m","messages":[{"role":"user","content":"hi"}]}`

func post(t *testing.T, url, body string) (*http.Response, string, error) {
	t.Helper()
	resp, err := http.Post(url+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp, string(text), err
}

func client(srv *fakellm.Server) *goopenai.Client {
	cfg := goopenai.DefaultConfig("sk-test")
	cfg.BaseURL = srv.URL()
	return goopenai.NewClientWithConfig(cfg)
}

func userSays(text string) goopenai.ChatCompletionRequest {
	return goopenai.ChatCompletionRequest{
		Model:    "m",
		Messages: []goopenai.ChatCompletionMessage{{Role: "user", Content: text}},
	}
}

func TestTurnsArePlayedInOrderToARealClient(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t,
		fakellm.TextCalls("let me look",
			fakellm.Call{Name: "bash", Arguments: `{"command":"ls"}`},
			fakellm.Call{ID: "own", Name: "bash", Arguments: `{"command":`},
		).WithUsage(7, 3),
		fakellm.Refusal("no"),
		fakellm.Text("cut").WithFinish("length"),
	)
	c := client(srv)

	first, err := c.CreateChatCompletion(t.Context(), userSays("one"))
	assert.NilError(t, err)
	message := first.Choices[0].Message
	assert.Equal(t, message.Content, "let me look")
	assert.Equal(t, message.ToolCalls[0].ID, "call_1_1")
	assert.Equal(t, message.ToolCalls[1].ID, "own")
	assert.Equal(t, message.ToolCalls[1].Function.Arguments, `{"command":`)
	assert.Equal(t, string(first.Choices[0].FinishReason), "tool_calls")
	assert.Equal(t, first.Usage.TotalTokens, 10)
	assert.Equal(t, first.Model, "m")

	second, err := c.CreateChatCompletion(t.Context(), userSays("two"))
	assert.NilError(t, err)
	assert.Equal(t, second.Choices[0].Message.Refusal, "no")

	third, err := c.CreateChatCompletion(t.Context(), userSays("three"))
	assert.NilError(t, err)
	assert.Equal(t, string(third.Choices[0].FinishReason), "length")

	_, err = c.CreateChatCompletion(t.Context(), userSays("four"))
	assert.ErrorContains(t, err, "no turn left")
	assert.Equal(t, srv.Left(), 0)
	assert.Equal(t, len(srv.Requests()), 4)
	assert.Equal(t, srv.Requests()[1].Chat.Messages[0].Text(), "two")
	srv.AssertKey(t, "sk-test")
	srv.AssertAllValid(t)
}

func TestStreamCarriesTheSameAnswer(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.TextCalls("héllo",
		fakellm.Call{Name: "a", Arguments: `{"x":1}`}, fakellm.Call{Name: "b", Arguments: `{}`}).WithUsage(4, 2))
	req := userSays("hi")
	req.StreamOptions = &goopenai.StreamOptions{IncludeUsage: true}
	stream, err := client(srv).CreateChatCompletionStream(t.Context(), req)
	assert.NilError(t, err)
	defer func() { _ = stream.Close() }()

	var text, finish string
	names := map[int]string{}
	total := 0
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		assert.NilError(t, err)
		if chunk.Usage != nil {
			total = chunk.Usage.TotalTokens
		}
		for _, choice := range chunk.Choices {
			text += choice.Delta.Content
			finish += string(choice.FinishReason)
			for _, call := range choice.Delta.ToolCalls {
				names[*call.Index] = call.Function.Name
			}
		}
	}
	assert.Equal(t, text, "héllo")
	assert.Equal(t, finish, "tool_calls")
	assert.DeepEqual(t, names, map[int]string{0: "a", 1: "b"})
	assert.Equal(t, total, 6)
}

func TestFaultsBelowAndAboveHTTP(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t,
		fakellm.Reset(),
		fakellm.Truncated(),
		fakellm.Status(429, "slow down").WithHeader("Retry-After", "7"),
		fakellm.HTMLPage(502),
		fakellm.Garbage(),
		fakellm.NoChoices(fakellm.Usage{Prompt: 3}),
	)
	_, _, err := post(t, srv.URL(), hello)
	assert.ErrorIs(t, err, syscall.ECONNRESET)

	_, _, err = post(t, srv.URL(), hello)
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)

	resp, body, err := post(t, srv.URL(), hello)
	assert.NilError(t, err)
	assert.Equal(t, resp.StatusCode, 429)
	assert.Equal(t, resp.Header.Get("Retry-After"), "7")
	assert.Assert(t, strings.Contains(body, `"message":"slow down"`))

	resp, body, err = post(t, srv.URL(), hello)
	assert.NilError(t, err)
	assert.Equal(t, resp.StatusCode, 502)
	assert.Assert(t, strings.Contains(body, "<title>502 Bad Gateway</title>"))

	resp, _, err = post(t, srv.URL(), hello)
	assert.NilError(t, err)
	assert.Equal(t, resp.StatusCode, 200)

	_, body, err = post(t, srv.URL(), hello)
	assert.NilError(t, err)
	assert.Assert(t, strings.Contains(body, `"choices":[]`) && strings.Contains(body, `"prompt_tokens":3`))
}

func TestHangingAnswers(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Hang("at last"), fakellm.Hang("never"), fakellm.Hang("never"))

	var group sync.WaitGroup
	group.Go(func() {
		_, body, err := post(t, srv.URL(), hello)
		assert.Check(t, err == nil && strings.Contains(body, "at last"), "%v", err)
	})
	assert.NilError(t, srv.Await(t.Context(), 1))
	srv.Release()
	group.Wait()

	ctx, cancel := context.WithCancel(t.Context())
	group.Go(func() {
		_, err := client(srv).CreateChatCompletion(ctx, userSays("hi"))
		assert.Check(t, errors.Is(err, context.Canceled), "%v", err)
	})
	assert.NilError(t, srv.Await(t.Context(), 2))
	cancel()
	group.Wait()

	group.Go(func() {
		_, _, err := post(t, srv.URL(), hello)
		assert.Check(t, err != nil)
	})
	assert.NilError(t, srv.Await(t.Context(), 3))
	srv.Close() // must not wait for the hanging answer
	group.Wait()
}

func TestAwaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	assert.ErrorIs(t, fakellm.NewHandler().Await(ctx, 1), context.DeadlineExceeded)
}

func TestStandaloneHandlerListsItsModel(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/models", "/v1/models"} {
		rec := httptest.NewRecorder()
		fakellm.NewHandler().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, nil))
		assert.Equal(t, rec.Code, 200)
		assert.Assert(t, strings.Contains(rec.Body.String(), fakellm.ModelName))
	}
	rec := httptest.NewRecorder()
	fakellm.NewHandler().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/v1/chat/completions", nil))
	assert.Equal(t, rec.Code, 404)
}

// recorder stands in for a test that is expected to fail.
type recorder struct{ failures []string }

func (*recorder) Helper()          {}
func (*recorder) Cleanup(f func()) {}
func (r *recorder) Errorf(format string, _ ...any) {
	r.failures = append(r.failures, format)
}

func TestAssertionsFailWhenTheyShould(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Text("ok"))
	rec := &recorder{}
	srv.AssertKey(rec, "")
	assert.Equal(t, len(rec.failures), 1, "no request at all")

	_, _, err := post(t, srv.URL(), hello)
	assert.NilError(t, err)
	srv.AssertKey(rec, "sk-other")
	assert.Equal(t, len(rec.failures), 2)
	srv.AssertKey(t, "")

	_, _, err = post(t, srv.URL(), `{"model":"m","messages":[]}`)
	assert.NilError(t, err)
	srv.AssertAllValid(rec)
	assert.Equal(t, len(rec.failures), 3)
}

func TestConcurrentRequestsEachGetOneTurn(t *testing.T) {
	t.Parallel()
	const n = 20
	turns := make([]fakellm.Turn, n)
	for i := range turns {
		turns[i] = fakellm.Text(string(rune('a' + i)))
	}
	srv := fakellm.New(t, turns[:n/2]...)
	srv.Add(turns[n/2:]...)
	var mu sync.Mutex
	var all bytes.Buffer
	var group sync.WaitGroup
	for range n {
		group.Go(func() {
			resp, err := client(srv).CreateChatCompletion(t.Context(), userSays("hi"))
			if !assert.Check(t, err == nil, "%v", err) {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			all.WriteString(resp.Choices[0].Message.Content)
		})
	}
	group.Wait()
	for i := range turns {
		assert.Equal(t, strings.Count(all.String(), turns[i].Text), 1)
	}
}
