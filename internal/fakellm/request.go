package fakellm

import (
	"encoding/json"
	"net/http"
)

// Request is one chat request as it came in.
type Request struct {
	Path   string // with the query
	Header http.Header
	Body   []byte
	Chat   Chat
	// Problem says why the conversation was refused, and is empty if it was not.
	Problem string
}

// Chat is the decoded body. Pointers tell an absent field from a zero one.
type Chat struct {
	Model               string          `json:"model"`
	Messages            []Message       `json:"messages"`
	Tools               []Tool          `json:"tools"`
	ToolChoice          json.RawMessage `json:"tool_choice"`
	Temperature         *float64        `json:"temperature"`
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	Stream              bool            `json:"stream"`
	StreamOptions       struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

// Message is one message of a request.
type Message struct {
	Role       string        `json:"role"`
	Content    *Content      `json:"content"`
	ToolCalls  []MessageCall `json:"tool_calls"`
	ToolCallID string        `json:"tool_call_id"`
}

// Text is the message's text, with its parts joined by line ends.
func (m Message) Text() string {
	if m.Content == nil {
		return ""
	}
	return m.Content.Text
}

// MessageCall is a tool call that an assistant message repeats.
type MessageCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string  `json:"name"`
		Arguments *string `json:"arguments"`
	} `json:"function"`
}

// Tool is a tool on offer.
type Tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// Content is a text, or a list of parts.
type Content struct {
	Text   string
	Images []string // the URLs, in order
	Parts  int      // 0 for a plain text
}

// UnmarshalJSON reads both forms.
func (c *Content) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		return json.Unmarshal(raw, &c.Text)
	}
	var parts []part
	if err := json.Unmarshal(raw, &parts); err != nil {
		return err
	}
	c.Parts = len(parts)
	for _, p := range parts {
		if err := c.add(p); err != nil {
			return err
		}
	}
	return nil
}

type part struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	ImageURL *struct {
		URL string `json:"url"`
	} `json:"image_url"`
}
