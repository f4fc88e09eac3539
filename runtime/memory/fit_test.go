package memory_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime/llm"
	"drydock/runtime/memory"
)

// step is an answer with one call for each result.
func step(n int, results ...string) []llm.Message {
	answer := llm.Message{Role: llm.RoleAssistant, Text: fmt.Sprintf("thought %d", n)}
	list := make([]llm.Message, 1, 1+len(results))
	for i, text := range results {
		id := fmt.Sprintf("c%d_%d", n, i)
		answer.ToolCalls = append(answer.ToolCalls, llm.ToolCall{ID: id, Name: "bash", Arguments: fmt.Sprintf(`{"command":"step %d"}`, n)})
		list = append(list, llm.Message{Role: llm.RoleTool, ToolCallID: id, Text: text})
	}
	list[0] = answer
	return list
}

func conversation(t *testing.T, o memory.Options, turns ...[]llm.Message) *memory.Memory {
	t.Helper()
	m := memory.New("system", "the task")
	assert.NilError(t, m.Bound(o))
	for _, turn := range turns {
		m.Add(turn...)
	}
	return m
}

func fit(t *testing.T, m *memory.Memory) memory.Trim {
	t.Helper()
	trim, err := m.Fit(t.Context())
	assert.NilError(t, err)
	assert.NilError(t, memory.Validate(m.Messages()))
	assert.Assert(t, !trim.Any() || trim.After == m.Tokens())
	return trim
}

// page is a text of about so many tokens.
func page(tokens int) string { return strings.Repeat("abc def", tokens/2) }

func TestOldLargeObservationsAreShortenedFirst(t *testing.T) {
	t.Parallel()
	m := conversation(t, memory.Options{Window: 8000}, step(1, page(3000)), step(2, page(1000)), step(3, page(1000)), step(4, page(1000)))
	before := m.Messages()
	trim := fit(t, m)
	assert.Equal(t, trim.Shortened, 1)
	assert.Equal(t, trim.Turns, 0)
	after := m.Messages()
	assert.Equal(t, len(after), len(before))
	assert.Assert(t, strings.Contains(after[3].Text, "shortened"))
	assert.DeepEqual(t, after[4:], before[4:])
	assert.Assert(t, !fit(t, m).Any(), "what fits is left alone")
}

func TestOldestTurnsGiveWayToOneSummary(t *testing.T) {
	t.Parallel()
	m := conversation(t, memory.Options{Window: 4000, Summary: says("a is b")})
	m.SetPlan("first look, then act")
	said := 0
	for n := range 200 {
		m.Add(step(n, page(120))...)
		if trim := fit(t, m); trim.Turns > 0 {
			said++
			assert.Equal(t, trim.By, memory.ByModel)
			assert.Equal(t, trim.Usage, llm.Usage{InputTokens: 7, OutputTokens: 3})
			start := m.Messages()[1].Text
			assert.Assert(t, strings.HasPrefix(start, "the task\n\nThe plan:\nfirst look, then act\n\n"), start)
			assert.Equal(t, strings.Count(start, "a is b"), 1)
			assert.Equal(t, m.Messages()[2].Role, llm.RoleAssistant)
		}
	}
	assert.Assert(t, said > 3 && said < 40, "%d summaries", said)
	assert.Equal(t, m.LastText(), "thought 199")
}

func TestWithoutASummaryTheTurnsAreListed(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]memory.Options{
		"no model":      {Window: 4000},
		"a model fails": {Window: 4000, Summary: speaker{err: &llm.Error{Kind: llm.KindOverloaded, Usage: llm.Usage{InputTokens: 9}}}},
		"empty answer":  {Window: 4000, Summary: says(" ")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := conversation(t, o)
			for n := range 100 {
				m.Add(step(n, "it went\nwell "+page(100))...)
				trim := fit(t, m)
				if trim.Turns == 0 {
					continue
				}
				assert.Equal(t, trim.By, memory.ByList)
				assert.Equal(t, trim.Failed != nil, o.Summary != nil)
			}
			start := m.Messages()[1].Text
			assert.Assert(t, strings.Contains(start, `} → it went well abc`), start)
			assert.Assert(t, strings.Contains(start, "earlier steps are left out"), start)
		})
	}
}

func TestAnInterruptedSummaryEndsTheRun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := conversation(t, memory.Options{Window: 4000, Summary: speaker{err: context.Canceled}})
	for n := range 30 {
		m.Add(step(n, page(120))...)
	}
	_, err := m.Fit(ctx)
	assert.ErrorIs(t, err, context.Canceled)
}

// What one step brings can be more than the window holds.
func TestAStepLargerThanTheWindow(t *testing.T) {
	t.Parallel()
	hundred := make([]string, 100)
	for i := range hundred {
		hundred[i] = page(800)
	}
	picture := llm.Image{MIME: "image/png", Data: []byte("unreadable")}
	images := make([]llm.Image, 30)
	for i := range images {
		images[i] = picture
	}
	arguments := step(1, "")
	arguments[0].ToolCalls[0].Arguments = fmt.Sprintf("{%q:%q}", "file_text", page(40_000))
	for name, turn := range map[string][]llm.Message{
		"one observation":    step(1, page(100_000)),
		"of other languages": step(1, strings.Repeat("漢字\n", 100_000)),
		"no UTF-8":           step(1, strings.Repeat("\xff\xfe", 100_000)),
		"a hundred calls":    step(1, hundred...),
		"images only":        append(step(1, ""), llm.Message{Role: llm.RoleUser, Text: "images", Images: images}),
		"arguments":          arguments,
		"a long answer":      {{Role: llm.RoleAssistant, Text: page(40_000)}, {Role: llm.RoleUser, Text: "go on"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := conversation(t, memory.Options{Window: 16_000}, step(0, page(500)), turn)
			trim := fit(t, m)
			assert.Assert(t, trim.Any())
			assert.Assert(t, m.Tokens() <= 12_000, "%d tokens", m.Tokens())
			assert.Assert(t, len(m.Messages()) >= len(turn), "the last turn stays")
		})
	}
}

// A plan is pinned, but must not crowd out the work.
func TestAPlanThatIsTooLongIsCut(t *testing.T) {
	t.Parallel()
	m := conversation(t, memory.Options{Window: 8000})
	m.SetPlan("begin " + page(20_000) + " end")
	for n := range 100 {
		m.Add(step(n, page(200))...)
		fit(t, m)
	}
	start := m.Messages()[1].Text
	assert.Assert(t, strings.Contains(start, "The plan:\nbegin ") && strings.Contains(start, " end\n"))
	assert.Assert(t, len(start) < 8000, "%d bytes", len(start))
}

func TestAMessageIsNeverChangedInTheHandsOfOthers(t *testing.T) {
	t.Parallel()
	turn := step(1, "")
	turn[0].ToolCalls[0].Arguments = fmt.Sprintf("{%q:%q}", "file_text", page(40_000))
	long := turn[0].ToolCalls[0].Arguments
	m := conversation(t, memory.Options{Window: 8000}, turn)
	fit(t, m)
	assert.Equal(t, turn[0].ToolCalls[0].Arguments, long)
}

func TestMoreCallsThanAnyWindowHolds(t *testing.T) {
	t.Parallel()
	m := conversation(t, memory.Options{Window: 1000}, step(1, make([]string, 1000)...))
	_, err := m.Fit(t.Context())
	assert.ErrorIs(t, err, memory.ErrFull)
}

func TestNothingAtAllFitsEverywhere(t *testing.T) {
	t.Parallel()
	m := memory.New("", "")
	assert.NilError(t, m.Bound(memory.Options{Window: 100}))
	assert.Assert(t, !fit(t, m).Any())
	m.Add(llm.Message{Role: llm.RoleAssistant}, llm.Message{Role: llm.RoleUser})
	assert.Assert(t, !fit(t, m).Any())
}

func TestAWindowThatIsTooSmallToBegin(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]memory.Options{
		"system prompt": {Window: 500},
		"answer":        {Window: 4000, Reserve: 4000},
		"tools":         {Window: 4000, Tools: []llm.ToolSpec{{Name: "x", Description: page(4000)}}},
		"suffix":        {Window: 4000, Suffix: page(4000)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var size *memory.SizeError
			err := memory.New(page(600), "task").Bound(o)
			assert.Assert(t, errors.As(err, &size), "%v", err)
			assert.Assert(t, size.Start > 0 && size.Window == o.Window)
		})
	}
}

func TestCompactingGoesBelowWhatWasRefused(t *testing.T) {
	t.Parallel()
	m := conversation(t, memory.Options{}) // nothing is known of the window
	for n := range 40 {
		m.Add(step(n, page(200))...)
		assert.Assert(t, !fit(t, m).Any())
	}
	refused := m.Tokens()
	trim, err := m.Compact(t.Context())
	assert.NilError(t, err)
	assert.Assert(t, trim.After <= refused*4/10, "%d of %d", trim.After, refused)
	for n := range 100 {
		m.Add(step(n, page(200))...)
		fit(t, m)
		assert.Assert(t, m.Tokens() < refused)
	}
}
