// Drydock runs code-writing agents against code nobody has to trust, inside
// containers made for one run each.
package main

import (
	"os"
)

func main() {
	os.Exit(Main(os.Args[1:], Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
