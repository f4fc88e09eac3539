package sandbox

import "time"

// Hasty is a client that waits for a guest so long and looks at it so often.
func Hasty(hello, beat time.Duration) *Client {
	return &Client{timing: timing{hello: hello, beat: beat}}
}
