// Package suggest finds the name that somebody meant who mistyped one.
package suggest

import "fmt"

// DidYouMean is the end of an error about an unknown name, "; did you mean X?"
// with the nearest of the candidates, or empty if none is near.
func DidYouMean(name string, candidates []string) string {
	best, distance := "", max(2, len(name)/3)+1
	for _, c := range candidates {
		if d := editDistance(name, c); d < distance {
			best, distance = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", best)
}

// editDistance counts the insertions, deletions and replacements of bytes that
// make b out of a.
func editDistance(a, b string) int {
	above := make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			replace := above[j]
			if a[i] != b[j] {
				replace++
			}
			row[j+1] = min(replace, row[j]+1, above[j+1]+1)
		}
		above = row
	}
	return above[len(b)]
}
