package openai

import (
	"context"
	"errors"
	"io"
	"time"
)

// errIdle is the cause of an attempt that ended because nothing came.
var errIdle = errors.New("the server was silent for too long")

// graceAfterEnd is how long a server that has said how its answer ended may
// take for the rest: the usage, and the end of the stream.
const graceAfterEnd = 10 * time.Second

// watch limits one attempt: in all, and of a stream each silence.
type watch struct {
	cause  func() error // why the attempt's context ended
	cancel context.CancelCauseFunc
	stop   context.CancelFunc // of the limit in all
	idle   time.Duration
	timer  *time.Timer // nil where silence is not limited
}

func (m *Model) watch(ctx context.Context, stream bool) (context.Context, *watch) {
	w := &watch{idle: m.cfg.IdleTimeout}
	ctx, w.stop = context.WithTimeout(ctx, m.cfg.Timeout)
	ctx, w.cancel = context.WithCancelCause(ctx)
	w.cause = func() error { return context.Cause(ctx) }
	if stream {
		w.timer = time.AfterFunc(w.idle, func() { w.cancel(errIdle) })
	}
	return ctx, w
}

func (w *watch) end() {
	if w.timer != nil {
		w.timer.Stop()
	}
	w.cancel(nil)
	w.stop()
}

// idled says that the attempt ended for silence.
func (w *watch) idled() bool { return errors.Is(w.cause(), errIdle) }

// ended shortens the patience with a server that has said all that is needed.
func (w *watch) ended() { w.idle = min(w.idle, graceAfterEnd) }

// over is a body of which each piece is a sign of life.
func (w *watch) over(body io.Reader) io.Reader { return watchedBody{body, w} }

type watchedBody struct {
	body  io.Reader
	watch *watch
}

func (b watchedBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	if n > 0 && b.watch.timer != nil {
		b.watch.timer.Reset(b.watch.idle)
	}
	return n, err
}
