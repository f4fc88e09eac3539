package runtime_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"unicode"

	"gotest.tools/v3/assert"

	"drydock/runtime"
)

func TestEventsAreNumberedAndTheEndIsTheLast(t *testing.T) {
	var log bytes.Buffer
	seen := 0
	r := runtime.NewRecorder("id", &log, func(runtime.Event) { seen++ })
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { r.Emit(runtime.Warning{Text: "w"}) })
	}
	all.Wait()
	r.Emit(runtime.RunEnded{Reason: runtime.ReasonDone, OK: true})
	r.Emit(runtime.Warning{Text: "too late"})

	lines := strings.Split(strings.TrimSuffix(log.String(), "\n"), "\n")
	assert.Equal(t, len(lines), 21)
	assert.Equal(t, seen, 21)
	for i, line := range lines {
		var e struct {
			V     int    `json:"v"`
			Seq   int    `json:"seq"`
			RunID string `json:"run_id"`
			Type  string `json:"type"`
		}
		assert.NilError(t, json.Unmarshal([]byte(line), &e))
		assert.Equal(t, e.Seq, i)
		assert.Equal(t, e.V, runtime.SchemaVersion)
		assert.Equal(t, e.RunID, "id")
		if i == 20 {
			assert.Equal(t, e.Type, "run.completed")
		}
	}
	assert.NilError(t, r.Err())
}

// A line can be shown on a terminal, and says the same as before.
func TestLinesHoldNothingThatSteersATerminal(t *testing.T) {
	const text = "a\x1b[2J\x7f\u009b5A\u202e\u200f\U000e0041é€😀\u2028"
	var log bytes.Buffer
	runtime.NewRecorder("id", &log).Emit(runtime.Warning{Text: text})
	for _, r := range strings.TrimSuffix(log.String(), "\n") {
		assert.Assert(t, !unicode.IsControl(r) && !unicode.Is(unicode.Cf, r), "%U in %q", r, log.String())
	}
	var e struct{ Text string }
	assert.NilError(t, json.Unmarshal(log.Bytes(), &e))
	assert.Equal(t, e.Text, text)
	assert.Assert(t, strings.Contains(log.String(), "é€😀"))
}

type fullDisk struct{}

var errFull = errors.New("no space left on device")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestRecorderRemembersThatTheDiskWasFull(t *testing.T) {
	r := runtime.NewRecorder("id", fullDisk{})
	r.Emit(runtime.Warning{Text: "w"})
	assert.ErrorIs(t, r.Err(), errFull)
}
