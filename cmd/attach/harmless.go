package attach

import (
	"bytes"
	"slices"
)

// harmlessEscape judges a sequence that is no control sequence, by what follows
// its ESC.
func harmlessEscape(seq []byte) bool {
	if len(seq) == 1 {
		return bytes.IndexByte([]byte("78DEMHc=>no|}~"), seq[0]) >= 0
	}
	// The character sets of lines and of plain text, and the test pictures.
	return len(seq) == 2 && (bytes.IndexByte([]byte("()*+"), seq[0]) >= 0 && bytes.IndexByte([]byte("0AB"), seq[1]) >= 0 ||
		seq[0] == '#' && bytes.IndexByte([]byte("34568"), seq[1]) >= 0)
}

// maxDigits is as long as a number that means anything can be.
const maxDigits = 5

// harmlessControl judges a control sequence by its parameters and its last byte.
func harmlessControl(params []byte, final byte) bool {
	if longNumber(params) {
		return false
	}
	plain := bytes.Trim(params, "0123456789;:")
	switch {
	case len(plain) == 0 && (final == 'h' || final == 'l'):
		// Inserting and line feeds; others lock the keyboard, for example.
		return slices.Contains([]string{"4", "20"}, string(params))
	case len(plain) == 0:
		return bytes.IndexByte([]byte("@ABCDEFGHIJKLMPSTXZ`abdefgmrsu"), final) >= 0
	case string(plain) == "?" && params[0] == '?':
		return bytes.IndexByte([]byte("hlJK"), final) >= 0
	case string(plain) == " " && params[len(params)-1] == ' ':
		return final == 'q' // the cursor's shape
	}
	return string(params) == "!" && final == 'p' // a soft reset
}

func longNumber(params []byte) bool {
	digits := 0
	for _, b := range params {
		if b < '0' || b > '9' {
			digits = 0
		} else if digits++; digits > maxDigits {
			return true
		}
	}
	return false
}
