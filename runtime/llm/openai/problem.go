package openai

import (
	"bytes"
	"encoding/json"
	"html"
	"net/http"
	"regexp"
	"strings"
)

// problem is what a server says in the body of an error.
type problem struct {
	message string
	code    string // a word, or a number as text
	kind    string // the body's "type"
	param   string // the parameter that is to blame, if it is said
}

// envelope has the keys under which the usual servers put their errors: an
// object or a text under error, a bare message, a framework's detail.
type envelope struct {
	Error    json.RawMessage `json:"error"`
	Errors   json.RawMessage `json:"errors"`
	Detail   json.RawMessage `json:"detail"`
	Message  json.RawMessage `json:"message"`
	Msg      json.RawMessage `json:"msg"`
	Code     json.RawMessage `json:"code"`
	Type     json.RawMessage `json:"type"`
	Param    json.RawMessage `json:"param"`
	Loc      []any           `json:"loc"` // of a framework: the way to the field
	Metadata json.RawMessage `json:"metadata"`
}

// maxNesting bounds how deep an error is looked for in its body.
const maxNesting = 5

func parseProblem(h http.Header, body []byte) problem {
	body = bytes.TrimSpace(body)
	if isHTML(h, body) {
		return problem{message: htmlText(body)}
	}
	var p problem
	if json.Valid(body) {
		p = unwrap(body, maxNesting)
	}
	if p.message == "" && p.code == "" {
		p.message = string(body)
	}
	return p
}

func unwrap(raw json.RawMessage, depth int) problem {
	if len(raw) == 0 || depth == 0 {
		return problem{}
	}
	switch raw[0] {
	case '{':
		return unwrapObject(raw, depth)
	case '[':
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
			return problem{}
		}
		return unwrap(list[0], depth-1)
	case '"':
		var text string
		_ = json.Unmarshal(raw, &text)
		return problem{message: text}
	case 'n':
		return problem{} // null
	default:
		return problem{message: string(raw)}
	}
}

func unwrapObject(raw json.RawMessage, depth int) problem {
	var outer envelope
	if json.Unmarshal(raw, &outer) != nil {
		return problem{}
	}
	var p problem
	for _, inner := range []json.RawMessage{outer.Error, outer.Errors, outer.Detail, outer.Message, outer.Msg} {
		if p = unwrap(inner, depth-1); p.message != "" || p.code != "" {
			break
		}
	}
	if p.code == "" {
		p.code = unwrap(outer.Code, 1).message
	}
	if p.kind == "" {
		p.kind = unwrap(outer.Type, 1).message
	}
	if text := unwrap(outer.Param, 1).message; text != "" {
		p.param = text
	}
	if n := len(outer.Loc); n > 0 && p.param == "" {
		p.param, _ = outer.Loc[n-1].(string)
	}
	// Routers wrap the text of the server behind them.
	var meta struct {
		Raw string `json:"raw"`
	}
	if json.Unmarshal(outer.Metadata, &meta) == nil && meta.Raw != "" {
		p.message += ": " + meta.Raw
	}
	return p
}

// isHTML also catches pages that carry the wrong type, or none.
func isHTML(h http.Header, body []byte) bool {
	return strings.Contains(h.Get("Content-Type"), "text/html") || bytes.HasPrefix(body, []byte("<"))
}

var headings = regexp.MustCompile(`(?is)<(?:title|h1)[^>]*>([^<]+)</`)

// htmlText reduces a page to its title or its first heading.
func htmlText(page []byte) string {
	if found := headings.FindSubmatch(page); found != nil {
		return "an HTML page: " + strings.TrimSpace(html.UnescapeString(string(found[1])))
	}
	return "an HTML page"
}
