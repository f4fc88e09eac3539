package openai

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tmaxmax/go-sse"
)

// A stream has a few hundred bytes around each token, so it may be longer than
// an answer in one piece.
const (
	maxStreamBytes = 256 << 20
	maxEventBytes  = 16 << 20
)

// errCut means that a stream ended before its answer did.
var errCut = fmt.Errorf("read the stream: %w", io.ErrUnexpectedEOF)

// errDone ends the reading of a stream.
var errDone = errors.New("the stream is complete")

// readStream puts the answer together. What comes after its end does not
// matter, so neither does a failure there.
func (x *exchange) readStream(body io.Reader) error {
	limited := &io.LimitedReader{R: x.watch.over(body), N: maxStreamBytes}
	// Some servers leave out the empty line that ends the last event.
	whole := io.MultiReader(limited, strings.NewReader("\n\n"))
	for event, err := range sse.Read(whole, &sse.ReadConfig{MaxEventSize: maxEventBytes}) {
		if err == nil {
			err = x.takeEvent(event.Data)
		}
		switch {
		case errors.Is(err, errDone), err != nil && x.reply.ended:
			return x.complete()
		case errors.Is(err, bufio.ErrTooLong):
			return fmt.Errorf("%w: an event is over %d MiB", errTooLarge, maxEventBytes>>20)
		case errors.Is(err, errBadPiece):
			x.bad = err
			return nil
		case err != nil:
			return fmt.Errorf("read the stream: %w", err)
		}
	}
	if limited.N <= 0 {
		return fmt.Errorf("%w: over %d MiB of stream", errTooLarge, maxStreamBytes>>20)
	}
	if x.bad != nil || x.reply.ended || len(x.reply.problem) > 0 {
		return x.complete()
	}
	return errCut
}

// complete refuses calls that are not whole where the server has not said that
// the answer ended: only its word, or their being whole, shows that they are.
func (x *exchange) complete() error {
	if x.reply.finish == "" && x.reply.hasOpenCall() && len(x.reply.problem) == 0 {
		return errCut
	}
	return nil
}

// takeEvent reads one event, or several that no empty line keeps apart.
func (x *exchange) takeEvent(data string) error {
	if !strings.Contains(data, "\n") || json.Valid([]byte(data)) {
		return x.takePiece(data)
	}
	for line := range strings.Lines(data) {
		if err := x.takePiece(strings.TrimSpace(line)); err != nil {
			return err
		}
	}
	return nil
}

func (x *exchange) takePiece(data string) error {
	switch data {
	case "":
		return nil
	case "[DONE]":
		x.reply.ended = true
		return errDone
	}
	before := len(x.reply.text)
	if err := x.reply.add([]byte(data)); err != nil {
		return err
	}
	if text := string(x.reply.text[before:]); text != "" {
		x.onText(text)
	}
	if x.reply.ended {
		x.watch.ended()
	}
	if len(x.reply.problem) > 0 {
		return errDone
	}
	return nil
}
