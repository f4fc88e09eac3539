package runtime

import (
	"fmt"
	"io"
	"sync"
	"time"

	"drydock/internal/jsonline"
)

// Recorder is the one writer of a run's events: it numbers them, writes each as
// a line, and shows them to whoever watches, in the same order. It is safe for
// concurrent use.
type Recorder struct {
	runID string
	watch []func(Event)

	mu    sync.Mutex
	out   io.Writer
	seq   int64
	err   error // the first failure to write
	ended bool
}

// NewRecorder writes a run's events to out and shows them to watchers, which
// must not block for long.
func NewRecorder(runID string, out io.Writer, watch ...func(Event)) *Recorder {
	return &Recorder{runID: runID, out: out, watch: watch}
}

// Emit records an event. After the end of the run nothing more is recorded, so
// the last line is always the end.
func (r *Recorder) Emit(data Payload) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return
	}
	_, r.ended = data.(RunEnded)
	e := Event{Version: SchemaVersion, Seq: r.seq, Time: time.Now().UTC(), RunID: r.runID, Type: data.EventType(), Data: data}
	r.seq++
	line, err := jsonline.Marshal(e)
	if err == nil {
		_, err = r.out.Write(line)
	}
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("write event: %w", err)
	}
	for _, w := range r.watch {
		w(e)
	}
}

// Err is the first failure to write, for example a full disk.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}
