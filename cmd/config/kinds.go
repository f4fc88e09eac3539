package config

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/docker/go-units"

	"drydock/sandbox"
)

// same shows a string as it is.
func same(s string) string { return s }

// text is any one line.
func text(name string) kind[string] {
	return kind[string]{name: name, show: same, parse: func(in input, _ string) (string, error) {
		if strings.ContainsFunc(in.text(), func(r rune) bool { return r < ' ' }) {
			return "", fmt.Errorf("%q contains a line break or control character", in.text())
		}
		return in.text(), nil
	}}
}

// maxSize is more than any machine has, and far from overflowing.
const maxSize = 1 << 50

func size(least int64) kind[int64] {
	shown := regexp.MustCompile(`^[0-9]+(\.[0-9]+)? ?([kmgtKMGT]([iI]?[bB])?|[bB])?$`)
	return kind[int64]{name: "size", numeric: true, show: sizeText, parse: func(in input, _ int64) (int64, error) {
		if !shown.MatchString(in.text()) {
			return 0, fmt.Errorf("%q is not a size; write bytes or a unit, such as 512m, 2g or 2GiB", in.text())
		}
		n, err := units.RAMInBytes(in.text())
		if err != nil || n > maxSize || n < least {
			return 0, fmt.Errorf("%s is out of range; allowed is %s to %s", in.text(), sizeText(least), sizeText(maxSize))
		}
		return n, nil
	}}
}

// sizeText writes bytes with the largest unit that is exact.
func sizeText(n int64) string {
	unit := 0
	for n != 0 && n%1024 == 0 && unit < 4 {
		n, unit = n/1024, unit+1
	}
	return strconv.FormatInt(n, 10) + []string{"", "k", "m", "g", "t"}[unit]
}

func count[T int | int64](least, most T) kind[T] {
	return kind[T]{
		name: "number", numeric: true, show: func(n T) string { return strconv.FormatInt(int64(n), 10) },
		parse: func(in input, _ T) (T, error) {
			n, err := strconv.ParseInt(in.text(), 10, strconv.IntSize)
			if err != nil || T(n) < least || T(n) > most {
				return 0, fmt.Errorf("%q is not allowed; write a whole number, %d to %d", in.text(), least, most)
			}
			return T(n), nil
		},
	}
}

func duration(least time.Duration) kind[time.Duration] {
	seconds := regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)
	return kind[time.Duration]{name: "duration", numeric: true, show: durationText, parse: func(in input, _ time.Duration) (time.Duration, error) {
		spelled := in.text()
		if seconds.MatchString(spelled) {
			spelled += "s"
		}
		d, err := time.ParseDuration(spelled)
		if err != nil {
			return 0, fmt.Errorf("%q is not a duration; write seconds or units, such as 90, 90s, 2m or 1h30m", in.text())
		}
		if d < least {
			return 0, fmt.Errorf("%s is too short; at least %s is needed", in.text(), durationText(least))
		}
		return d, nil
	}}
}

// durationText leaves out the units that are zero.
func durationText(d time.Duration) string {
	if d == 0 {
		return "0"
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// number parses a decimal within bounds; neither infinite nor not-a-number
// ever is.
func number(text string, least, most float64) (float64, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f >= least && f <= most) {
		return 0, fmt.Errorf("%q is not allowed; write a number, %g to %g", text, least, most)
	}
	return f, nil
}

func processors() kind[float64] {
	return kind[float64]{
		name: "number", numeric: true, show: func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) },
		parse: func(in input, _ float64) (float64, error) { return number(in.text(), 0.01, 4096) },
	}
}

// dollars are an amount of money.
func dollars() kind[float64] {
	return kind[float64]{
		name: "dollars", numeric: true, show: func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) },
		parse: func(in input, _ float64) (float64, error) { return number(in.text(), 0, 1e6) },
	}
}

// temperature is a pointer, because 0 is not the same as nothing said.
func temperature() kind[*float64] {
	return kind[*float64]{
		name: "number", numeric: true,
		show: func(f *float64) string {
			if f == nil {
				return ""
			}
			return strconv.FormatFloat(*f, 'g', -1, 64)
		},
		parse: func(in input, _ *float64) (*float64, error) {
			f, err := number(in.text(), 0, 2)
			return &f, err
		},
	}
}

// choice is one of some words.
func choice[T ~string](what string, words ...T) kind[T] {
	var all []string
	for _, w := range words {
		all = append(all, string(w))
	}
	return kind[T]{
		name: "name", choices: all, show: func(w T) string { return string(w) },
		parse: func(in input, _ T) (T, error) {
			if !slices.Contains(all, in.text()) {
				last := len(all) - 1
				return "", fmt.Errorf("%q is not a %s; allowed are %s and %s", in.text(), what, strings.Join(all[:last], ", "), all[last])
			}
			return T(in.text()), nil
		},
	}
}

// maxID is the largest user or group that engines accept.
const maxID = 1<<31 - 1

func user() kind[sandbox.Policy] {
	return kind[sandbox.Policy]{
		name: "uid[:gid]", numeric: true,
		show: func(p sandbox.Policy) string { return fmt.Sprintf("%d:%d", p.UID, p.GID) },
		parse: func(in input, p sandbox.Policy) (sandbox.Policy, error) {
			uid, gid, both := strings.Cut(in.text(), ":")
			if !both {
				gid = uid
			}
			var err error
			if p.UID, err = strconv.Atoi(uid); err == nil {
				p.GID, err = strconv.Atoi(gid)
			}
			if err != nil || min(p.UID, p.GID) < 1 || max(p.UID, p.GID) > maxID {
				return p, fmt.Errorf("%q is not allowed; write UID or UID:GID as numbers, 1 to %d", in.text(), maxID)
			}
			return p, nil
		},
	}
}
