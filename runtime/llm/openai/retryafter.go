package openai

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// retryAfter reads how long the server asks to wait: retry-after-ms, then
// Retry-After in seconds or as a date. Anything unreadable or in the past is 0.
func retryAfter(h http.Header) time.Duration {
	if d, ok := parseWait(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d
	}
	value := h.Get("Retry-After")
	if d, ok := parseWait(value, time.Second); ok {
		return d
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return max(0, until.Sub(serverNow(h)))
}

func parseWait(value string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || math.IsNaN(n) {
		return 0, false
	}
	wait := n * float64(unit)
	if wait > float64(math.MaxInt64/2) {
		return math.MaxInt64 / 2, true
	}
	return max(0, time.Duration(wait)), true
}

// serverNow prefers the server's clock, so that a wrong clock here does not
// turn a date into a long wait or none.
func serverNow(h http.Header) time.Time {
	if now, err := http.ParseTime(h.Get("Date")); err == nil {
		return now
	}
	return time.Now()
}
