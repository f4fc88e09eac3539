package main

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Streams are the program's standard streams, as values so that tests can read
// what a person would see.
type Streams struct {
	In  io.Reader
	Out io.Writer // the answer, and nothing else
	Err io.Writer // progress, warnings, errors
}

// colour says whether stderr wants colour: a terminal, and nobody against it.
func (s Streams) colour(getenv func(string) string) bool {
	if getenv("NO_COLOR") != "" || getenv("TERM") == "dumb" {
		return false
	}
	if getenv("FORCE_COLOR") != "" || getenv("CLICOLOR_FORCE") != "" {
		return true
	}
	return isTerminal(s.Err)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// width is the number of columns of stderr, 0 where it is no terminal.
func (s Streams) width() int {
	f, ok := s.Err.(*os.File)
	if !ok {
		return 0
	}
	w, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return w
}
