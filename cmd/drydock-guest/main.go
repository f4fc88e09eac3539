// Drydock-guest is the process that is PID 1 in every sandbox. People do not
// run it; drydock carries it and brings it into the container.
package main

import (
	"fmt"
	"os"

	"drydock/sandbox/guest"
)

func main() {
	if err := guest.Main(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "drydock-guest:", err)
		os.Exit(1)
	}
}
