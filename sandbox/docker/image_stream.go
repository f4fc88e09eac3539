package docker

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// imageMessage is one entry of the JSON stream that the engine answers with
// while it pulls, builds or imports.
type imageMessage struct {
	Stream   string `json:"stream"` // output of a build
	Status   string `json:"status"`
	ID       string `json:"id"` // the layer that Status is about
	Progress struct {
		Current int64 `json:"current"` // bytes
		Total   int64 `json:"total"`
	} `json:"progressDetail"`
	Error *struct {
		Message string `json:"message"`
	} `json:"errorDetail"`
}

// readMessages hands every message to handle until the stream ends. An error
// that the engine reports inside the stream ends it as streamError.
func readMessages(r io.Reader, handle func(imageMessage)) error {
	dec := json.NewDecoder(r)
	for {
		var msg imageMessage
		switch err := dec.Decode(&msg); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read the engine's progress: %w", err)
		case msg.Error != nil:
			return streamError(msg.Error.Message)
		}
		handle(msg)
	}
}

// streamError is a failure that the engine found after it had begun to answer.
type streamError string

func (e streamError) Error() string { return string(e) }
