// Drydock runs code-writing agents against code nobody has to trust, inside
// containers made for one run each.
package main

import (
	"io"
	"log"
	"os"
)

func main() {
	// The HTTP client logs what a server says unasked; a sandbox must not get at
	// the terminal that way.
	log.SetOutput(io.Discard)
	os.Exit(Main(os.Args[1:], Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
