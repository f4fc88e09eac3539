package memory

import (
	"context"
	"math"
	"slices"

	"drydock/runtime/llm"
)

// Trim is what was done to make a conversation fit.
type Trim struct {
	Before, After int // tokens of a request, estimated

	Shortened int       // texts that were cut
	Images    int       // images that were taken out
	Turns     int       // turns that gave way
	By        string    // what stands for these: ByModel or ByList
	Usage     llm.Usage // billed for a summary
	Failed    error     // why the model that was asked gave none
}

// What stands for turns that gave way.
const (
	ByModel = "summary" // a text of the model
	ByList  = "list"    // a line for each step
)

// Any says whether anything was done.
func (t Trim) Any() bool { return t.Shortened+t.Images+t.Turns > 0 }

// How much of what a request may hold is left in it when something gives way.
// Such steps are large, so that they are rare: each costs the server's cache.
const (
	keepPercent       = 60
	keepPercentHarder = 40
)

// mostSummary is how many tokens a summary takes at most, and so many a list, in
// whatever window.
const mostSummary = 2000

// MaxPictures bounds the images of a conversation, in bytes, because each request
// holds them all. Those of the last turn, which the model has not seen, stay.
const MaxPictures = 32 << 20

// Fit makes the next request fit. An error is ErrFull, or the context's.
func (m *Memory) Fit(ctx context.Context) (Trim, error) {
	limit := m.limit()
	if m.pictures <= MaxPictures && (limit == 0 || m.Tokens() <= limit) {
		return Trim{}, nil
	}
	return m.trim(ctx, limit, limit*keepPercent/100)
}

// Compact makes the next request much smaller, because the server refused this
// one as too long. From then on less than it is taken for the limit.
func (m *Memory) Compact(ctx context.Context) (Trim, error) {
	m.ceiling = max(1, m.Tokens()*9/10)
	limit := m.limit()
	return m.trim(ctx, limit, limit*keepPercentHarder/100)
}

// trim lets go of the oldest and largest first, until no more than target tokens
// are left. Above the limit only ErrFull is left.
func (m *Memory) trim(ctx context.Context, limit, target int) (Trim, error) {
	t := Trim{Before: m.Tokens()}
	if limit == 0 { // only the images are too many
		limit, target = math.MaxInt, math.MaxInt
	}
	m.dropPictures(&t)
	old := m.turns[:m.newest(target/2)]
	m.shorten(old, target, &t)
	m.forgetPictures(old, target, &t)
	err := m.condense(ctx, target, &t)
	if m.rebuild(); m.Tokens() > limit {
		m.squeeze(limit, &t)
		m.rebuild()
	}
	t.After = m.Tokens()
	if err == nil && t.After > limit {
		err = ErrFull
	}
	return t, err
}

// newest is the index of the first of the turns that are left as they are: the
// last, and those before it that take no more than some tokens together.
func (m *Memory) newest(tokens int) int {
	sum := 0.0
	for i := len(m.turns) - 1; i >= 0; i-- {
		sum += float64(m.turns[i].size()) * m.scale
		if sum > float64(tokens) {
			return max(0, min(i+1, len(m.turns)-1))
		}
	}
	return 0
}

// condense lets the oldest turns give way until a request has no more than target
// tokens. The last turn stays: the model has not seen its results.
func (m *Memory) condense(ctx context.Context, target int, t *Trim) error {
	if m.Tokens() <= target {
		return nil
	}
	room := min(target/16, mostSummary)
	// A summary and a list, each with that room, stand in the place of older ones.
	left := m.Tokens() + 2*room - int(float64(textTokens(m.past.text()))*m.scale)
	n := 0
	for ; n < len(m.turns)-1 && left > target; n++ {
		left -= int(float64(m.turns[n].size()) * m.scale)
	}
	if n == 0 {
		return nil
	}
	gone := m.turns[:n]
	t.Turns, t.By = n, ByList
	var err error
	if m.opts.Summary != nil {
		err = m.summarise(ctx, gone, room, t)
	}
	if t.By == ByList {
		m.past.list(gone, m.estimated(room))
	}
	m.past.turns += n
	m.turns = slices.Clone(m.turns[n:])
	return err
}

// estimated turns tokens as the server counts them into estimated ones.
func (m *Memory) estimated(tokens int) int { return int(float64(tokens) / m.scale) }
