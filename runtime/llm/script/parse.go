package script

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"
)

// maxLineBytes bounds one turn.
const maxLineBytes = 16 << 20

var byteOrderMark = []byte("\xef\xbb\xbf")

// Load reads a script file. Its errors name the file, and the line if one is
// to blame.
func Load(path string) (*Model, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read script: %w", err)
	}
	defer file.Close()
	return Parse(file, path)
}

// Parse reads a script: one JSON object a line, at most 16 MiB each. Blank
// lines and lines that begin with # are skipped. The name stands for the
// script in errors.
func Parse(r io.Reader, name string) (*Model, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLineBytes)
	m := &Model{name: name}
	number := 0
	for lines.Scan() {
		number++
		line := lines.Bytes()
		if number == 1 {
			line = bytes.TrimPrefix(line, byteOrderMark)
		}
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		t, err := parseTurn(line, len(m.turns)+1)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		t.line = number
		m.turns = append(m.turns, t)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("%s:%d: the line is longer than %d MiB", name, number+1, maxLineBytes>>20)
	} else if err != nil {
		return nil, fmt.Errorf("read script %s: %w", name, err)
	}
	if len(m.turns) == 0 {
		return nil, fmt.Errorf("%s: the script has no turns", name)
	}
	return m, nil
}

func parseTurn(line []byte, number int) (turn, error) {
	if !utf8.Valid(line) {
		return turn{}, errors.New("the line is not valid UTF-8")
	}
	var record turnRecord
	if err := decodeStrict(line, "turn", &record); err != nil {
		return turn{}, err
	}
	return record.turn(number)
}
