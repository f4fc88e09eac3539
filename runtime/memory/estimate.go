package memory

import (
	"unicode/utf8"

	"drydock/runtime/llm"
)

// What a request costs beside its texts, in tokens, as chat formats have it.
const (
	perMessage = 4
	perCall    = 8
	perTool    = 12
)

// textTokens estimates the tokens of a text: two for seven bytes of ASCII, which
// is between prose and code, and one for any other character. The server's own
// counts correct it.
func textTokens(s string) int {
	ascii, other := 0, 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			ascii, i = ascii+1, i+1
			continue
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		other, i = other+1, i+n
	}
	return (2*ascii+6)/7 + other
}

// messageTokens estimates a message with its calls and images.
func messageTokens(m llm.Message) int {
	n := perMessage + textTokens(m.Text) + textTokens(m.ToolCallID)
	for _, c := range m.ToolCalls {
		n += perCall + textTokens(c.ID) + textTokens(c.Name) + textTokens(c.Arguments)
	}
	for _, img := range m.Images {
		n += pictureTokens(img)
	}
	return n
}

func toolTokens(specs []llm.ToolSpec) int {
	n := 0
	for _, s := range specs {
		n += perTool + textTokens(s.Name) + textTokens(s.Description) + textTokens(string(s.Parameters))
	}
	return n
}

// The corrections that are believed. A text of only spaces or only rare signs
// comes near these; a count beyond is a mistake of the server.
const (
	leastScale = 0.5
	mostScale  = 4
)

// Measure corrects the estimate by what a server counted for the last request,
// before its answer is added. Counts that cannot be right change nothing.
func (m *Memory) Measure(u llm.Usage) {
	if u.InputTokens <= 0 || m.size == 0 {
		return
	}
	if scale := float64(u.InputTokens) / float64(m.size); scale <= mostScale {
		m.scale = max(scale, leastScale)
	}
}

// Estimate is the usage of an answer as far as it can be told without the
// server, before the answer is added.
func (m *Memory) Estimate(answer llm.Message) llm.Usage {
	return llm.Usage{InputTokens: m.Tokens(), OutputTokens: messageTokens(answer)}
}
