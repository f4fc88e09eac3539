package fakellm

import (
	"fmt"
	"net/http"
)

// Turn is what the server does with one request: an answer, or a fault. Make
// one with a function of this package and refine it with the With methods.
type Turn struct {
	Text    string
	Refusal string
	Calls   []Call
	Finish  string // empty means tool_calls with calls and stop without
	Usage   Usage

	Status int         // empty means 200
	Header http.Header // added to the answer
	Raw    *Raw        // sent as it is instead of an answer
	fault  fault

	streaming streaming
}

// Call is a tool call of an answer. An empty ID becomes call_<turn>_<n>.
type Call struct {
	ID        string
	Name      string
	Arguments string // raw, so that it may be malformed
}

// Usage is what an answer claims to have cost, in tokens.
type Usage struct {
	Prompt, Completion, Cached int
}

// Raw is a body that is not made from a Turn's fields.
type Raw struct {
	ContentType string
	Body        string
}

// fault is what goes wrong below HTTP.
type fault int

const (
	noFault fault = iota
	faultReset
	faultHang
	faultTruncate
)

// Text answers with text and no calls.
func Text(text string) Turn { return Turn{Text: text} }

// Calls answers with tool calls and no text.
func Calls(calls ...Call) Turn { return Turn{Calls: calls} }

// TextCalls answers with both.
func TextCalls(text string, calls ...Call) Turn { return Turn{Text: text, Calls: calls} }

// Refusal answers with a refusal in place of text.
func Refusal(text string) Turn { return Turn{Refusal: text} }

// Status refuses with a status and an error body in OpenAI's form.
func Status(status int, message string) Turn { return ErrorCode(status, "", message) }

// ErrorCode is Status with a code in the body, such as context_length_exceeded.
func ErrorCode(status int, code, message string) Turn {
	return Turn{Status: status, Raw: &Raw{ContentType: jsonType, Body: errorBody(status, code, message)}}
}

// Body answers with a body of one's own.
func Body(status int, contentType, body string) Turn {
	return Turn{Status: status, Raw: &Raw{ContentType: contentType, Body: body}}
}

// HTMLPage answers as a proxy in front of a broken server would.
func HTMLPage(status int) Turn {
	page := fmt.Sprintf("<!DOCTYPE html>\n<html><head><title>%d %s</title></head>\n<body><center><h1>%s</h1></center></body></html>\n",
		status, http.StatusText(status), http.StatusText(status))
	return Body(status, "text/html; charset=utf-8", page)
}

// Garbage answers 200 with something that is not JSON.
func Garbage() Turn { return Body(http.StatusOK, jsonType, `{"id": "x", "choices": [{"mess`) }

// NoChoices answers 200 with an empty list of choices that was billed anyway.
func NoChoices(usage Usage) Turn {
	return Body(http.StatusOK, jsonType, string(marshal(completion{
		ID: "chatcmpl-empty", Object: "chat.completion", Model: ModelName,
		Choices: []choice{}, Usage: usage.wire(),
	})))
}

// Reset reads the request and resets the connection.
func Reset() Turn { return Turn{fault: faultReset} }

// Truncated sends the first half of a text answer and closes the connection.
func Truncated() Turn {
	return Turn{Text: "this answer never arrives as a whole", fault: faultTruncate}
}

// Hang reads the request and stays silent until Release is called, the client
// goes away or the server is closed. Released, it answers with text.
func Hang(text string) Turn { return Turn{Text: text, fault: faultHang} }

// WithHeader adds a header to the answer, such as Retry-After.
func (t Turn) WithHeader(name, value string) Turn {
	header := t.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	header.Add(name, value)
	t.Header = header
	return t
}

// WithUsage sets what the answer claims to have cost.
func (t Turn) WithUsage(prompt, completion int) Turn {
	t.Usage = Usage{Prompt: prompt, Completion: completion, Cached: t.Usage.Cached}
	return t
}

// WithFinish sets the finish reason, which then need not fit the answer.
func (t Turn) WithFinish(reason string) Turn {
	t.Finish = reason
	return t
}
