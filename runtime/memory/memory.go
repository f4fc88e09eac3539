// Package memory keeps a conversation within a model's window.
//
// A conversation is a start that is always there (the system prompt, the task
// and the plan) and whole turns: an answer of the model, the results of its
// calls, and what was said after them. What no longer fits gives way in rare,
// large steps, so that a provider's cache can reuse the beginning of a request
// in between: old large observations are shortened, old images taken out, and
// then the oldest turns are replaced by a summary, always whole.
package memory

import (
	"slices"
	"strings"

	"drydock/runtime/llm"
)

// Options say what a conversation has to fit into.
type Options struct {
	// Window is how many tokens the model reads and writes in all. Where it is
	// 0, only a server that refuses a request tells that it is full.
	Window int
	// Reserve is how many tokens of the window are kept for an answer; 0 is a
	// quarter of the window.
	Reserve int
	// Tools are offered with each request, and count.
	Tools []llm.ToolSpec
	// Suffix is said by the user at the end of each request, and not kept.
	Suffix string
	// Summary is the model that sums up turns which give way. Without one they
	// are listed instead, a line each.
	Summary llm.Model
}

// Memory is one conversation. It is not safe for concurrent use.
type Memory struct {
	opts   Options
	system string
	task   string
	plan   string
	past   past // what has given way

	start turn
	turns []turn // the oldest first
	flat  []llm.Message
	said  string // the model's newest text

	fixed    int     // estimate of what is the same in all requests: tools and suffix
	size     int     // estimate of the whole request
	pictures int     // bytes of images
	scale    float64 // what the server counts for each estimated token
	ceiling  int     // tokens that are known to be too many for the server, 0 for none
}

// entry is a message with its estimated tokens, so that each is counted once.
type entry struct {
	llm.Message
	size int
}

type turn []entry

func (t turn) size() int {
	n := 0
	for _, e := range t {
		n += e.size
	}
	return n
}

// New begins a conversation. It fits anything until Bound says otherwise.
func New(system, task string) *Memory {
	m := &Memory{system: system, task: task, scale: 1}
	m.rebuild()
	return m
}

// Bound says what the conversation has to fit into. A start that leaves no room
// to work in is a *SizeError.
func (m *Memory) Bound(o Options) error {
	m.opts, m.fixed = o, toolTokens(o.Tools)
	if o.Suffix != "" {
		m.fixed += messageTokens(m.suffix())
	}
	m.rebuild()
	if o.Window == 0 {
		return nil
	}
	start := m.fixed + m.start.size()
	if room := m.limit() - start; room < m.limit()/roomToWork {
		return &SizeError{Window: o.Window, Start: start, Answer: m.reserve()}
	}
	return nil
}

// SetPlan pins a plan, in place of an older one. The start of the conversation
// holds it from the next time on that something gives way: until then the turn
// that told of it does, and the start stays as the server's cache knows it.
func (m *Memory) SetPlan(text string) { m.plan = text }

// Add takes up messages: an answer of the model begins a turn, all else belongs
// to the last one.
func (m *Memory) Add(messages ...llm.Message) {
	for _, msg := range messages {
		e := entry{msg, messageTokens(msg)}
		if msg.Role == llm.RoleAssistant || len(m.turns) == 0 {
			m.turns = append(m.turns, nil)
		}
		if msg.Role == llm.RoleAssistant && strings.TrimSpace(msg.Text) != "" {
			m.said = msg.Text
		}
		last := &m.turns[len(m.turns)-1]
		*last = append(*last, e)
		m.flat = append(m.flat, msg)
		m.size += e.size
		m.pictures += pictureBytes(msg)
	}
}

// Messages are the next request's. They must not be changed.
func (m *Memory) Messages() []llm.Message {
	if m.opts.Suffix == "" {
		return m.flat
	}
	return append(slices.Clip(m.flat), m.suffix())
}

// Tokens is about how many tokens the next request has.
func (m *Memory) Tokens() int { return int(float64(m.size) * m.scale) }

// LastText is the newest text of the model that is not blank, also when its turn
// has given way.
func (m *Memory) LastText() string { return m.said }

func (m *Memory) suffix() llm.Message { return llm.Message{Role: llm.RoleUser, Text: m.opts.Suffix} }

// rebuild makes the messages anew after something other than their end changed.
func (m *Memory) rebuild() {
	m.start = m.beginning()
	m.flat, m.size, m.pictures = nil, m.fixed, 0
	for _, part := range append([]turn{m.start}, m.turns...) {
		for _, e := range part {
			m.flat = append(m.flat, e.Message)
			m.size += e.size
			m.pictures += pictureBytes(e.Message)
		}
	}
}

// beginning is what every request starts with. Task, plan and summary are one
// message, because some servers want user and assistant to take turns.
func (m *Memory) beginning() turn {
	var list turn
	if m.system != "" {
		list = append(list, sized(llm.Message{Role: llm.RoleSystem, Text: m.system}))
	}
	text := m.task
	if m.plan != "" {
		text += "\n\nThe plan:\n" + m.shownPlan()
	}
	if past := m.past.text(); past != "" {
		text += "\n\n" + past
	}
	return append(list, sized(llm.Message{Role: llm.RoleUser, Text: text}))
}

// shownPlan is the plan, cut where it would take the room that work needs.
func (m *Memory) shownPlan() string {
	if limit := m.limit(); limit > 0 {
		return cutTokens(m.plan, m.estimated(limit/roomToWork))
	}
	return m.plan
}

func sized(msg llm.Message) entry { return entry{msg, messageTokens(msg)} }

func pictureBytes(msg llm.Message) int {
	n := 0
	for _, img := range msg.Images {
		n += len(img.Data)
	}
	return n
}
