package script

import (
	"bufio"
	"bytes"
	"encoding/json"
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
	unended := false // the line is the last one and has no line break
	lines.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		unended = atEOF && !bytes.ContainsRune(data, '\n')
		return bufio.ScanLines(data, atEOF)
	})
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
		if err != nil && unended && isCut(line) {
			err = fmt.Errorf("the last line is not complete, as after a kill or on a full disk; take it out to play the turns before it (%w)", err)
		}
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

// isCut says whether a line is the beginning of a JSON text.
func isCut(line []byte) bool {
	var value json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(line)).Decode(&value), io.ErrUnexpectedEOF)
}
