package editor

import "unicode"

// lookAlike returns the plain character that another one is easily taken for.
// All quotes are one, since callers swap them too.
func lookAlike(r rune) rune {
	switch r {
	case '"', '`', '´', '‘', '’', '‚', '‛', '“', '”', '„', '‟', '′', '″', 'ʼ', '«', '»':
		return '\''
	case '‐', '‑', '‒', '–', '—', '―', '−', '﹣':
		return '-'
	case '⁄', '∕':
		return '/'
	case '×':
		return 'x'
	case '·', '•', '∙':
		return '*'
	}
	switch {
	case r >= 0x0400 && r <= 0x04ff:
		return latin(r)
	case r > 0xff00 && r < 0xff5f: // full-width forms of ASCII
		return lookAlike(r - 0xfee0)
	}
	return r
}

// latin returns the Latin letter that looks like a Cyrillic one.
func latin(r rune) rune {
	const cyrillic, letters = "аеорсухіјѕАВЕКМНОРСТХІЈЅ", "aeopcyxijsABEKMHOPCTXIJS"
	i := 0
	for _, c := range cyrillic {
		if c == r {
			return rune(letters[i])
		}
		i++
	}
	return r
}

// unaccented returns the letter below an accent, and -1 for an accent that is a
// character of its own: the composed and the decomposed form become one.
func unaccented(r rune) rune {
	const (
		latin1   = "AAAAAA.CEEEEIIII.NOOOOO..UUUUY..aaaaaa.ceeeeiiii.nooooo..uuuuy.y" // from U+00C0
		extended = "AaAaAaCcCcCcCcDd..EeEeEeEeEeGgGgGgGgHh..IiIiIiIiI...JjKk.LlLlLl." +
			"...NnNnNn...OoOoOo..RrRrRrSsSsSsSsTtTt..UuUuUuUuUuUuWwYyYZzZzZz." // from U+0100
		additional = "AaBbBbBbCcDdDdDdDdDdEeEeEeEeEeFfGgHhHhHhHhHhIiIiKkKkKkLlLlLlLlMm" +
			"MmMmNnNnNnNnOoOoOoOoPpPpRrRrRrRrSsSsSsSsSsTtTtTtTtUuUuUuUuUuVvVv" +
			"WwWwWwWwWwXxXxYyZzZzZzhtwy......AaAaAaAaAaAaAaAaAaAaAaAaEeEeEeEe" +
			"EeEeEeEeIiIiOoOoOoOoOoOoOoOoOoOoOoOoUuUuUuUuUuUuUuYyYyYyYy......" // from U+1E00
	)
	base := byte('.')
	switch {
	case unicode.Is(unicode.Mn, r):
		return -1
	case r >= 0xc0 && r < 0x100:
		base = latin1[r-0xc0]
	case r >= 0x100 && r < 0x180:
		base = extended[r-0x100]
	case r >= 0x1e00 && r < 0x1f00:
		base = additional[r-0x1e00]
	}
	if base == '.' {
		return r
	}
	return rune(base)
}
