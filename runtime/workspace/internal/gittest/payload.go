package gittest

import "bytes"

// WithoutPayload cuts the two compressed parts out of binary patches.
func WithoutPayload(patch []byte) []byte {
	var out bytes.Buffer
	skip := 0
	for line := range bytes.Lines(patch) {
		switch {
		case bytes.Equal(line, []byte("GIT binary patch\n")):
			skip = 2
			out.Write(line)
		case skip == 0:
			out.Write(line)
		case len(line) == 1:
			skip--
		}
	}
	return out.Bytes()
}
