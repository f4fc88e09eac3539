package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"drydock/sandbox/wire"
)

// Bounds of an answer's JSON text, in bytes, beside what it is about.
const (
	maxSmallAnswer = 64 << 10
	maxListAnswer  = 8 << 20 // wire.MaxListingBytes in base64, and MaxListing entries
)

// maxValues bounds the values in an answer, counted by its commas: a list of
// empty objects takes many times the memory of its text.
const maxValues = 1 << 17

// sizeOf is how long the JSON of an answer may be.
func (s *Sandbox) sizeOf(answer any) int64 {
	switch answer.(type) {
	case *wire.Result:
		raw := s.policy.HeadBytes + s.policy.TailBytes + wire.MaxImages*wire.MaxImage
		return int64(raw)/3*4 + maxSmallAnswer
	case *wire.Listing:
		return maxListAnswer
	case *wire.TerminalAnswer:
		return maxScreenText
	}
	return maxSmallAnswer
}

// decode reads an answer, and believes none that an honest guest would not give.
func (s *Sandbox) decode(body io.Reader, answer any) error {
	most := s.sizeOf(answer)
	raw, err := io.ReadAll(io.LimitReader(body, most+1))
	switch {
	case err != nil:
		return fmt.Errorf("read the guest's answer: %w", err)
	case int64(len(raw)) > most:
		return fmt.Errorf("the guest's answer is over %d bytes", most)
	case bytes.Count(raw, []byte{','}) > maxValues:
		return fmt.Errorf("the guest's answer holds over %d values", maxValues)
	}
	if err := json.Unmarshal(raw, answer); err != nil {
		return tame(fmt.Errorf("read the guest's answer: %w", err))
	}
	return s.verify(answer)
}

// refusal reads why the guest did not do it.
func refusal(resp *http.Response) error {
	status := fmt.Sprintf("the guest answered %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	if resp.StatusCode != http.StatusUnprocessableEntity {
		return errors.New(status)
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxSmallAnswer+1))
	if err != nil {
		return fmt.Errorf("read the guest's answer: %w", err)
	}
	var f wire.Failure
	if err := json.Unmarshal(raw, &f); err != nil {
		return tame(fmt.Errorf("%s without a reason: %w", status, err))
	}
	if err := verifyFailure(f); err != nil {
		return err
	}
	return &CallError{Code: f.Code, Message: oneLine(f.Message, wire.MaxMessage)}
}
