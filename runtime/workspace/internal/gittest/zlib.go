package gittest

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
)

// probeDigest is of the patch that a git with the original zlib prints.
const probeDigest = "3e779f9fcb9eeda5f147b29c3aac76bf94af3f4d09a62ce194db4e23e66a9d84"

// OriginalZlib tells whether the git at hand compresses with the original zlib.
// There are replacements of it, like zlib-ng, whose output is as valid but has
// other bytes.
func OriginalZlib(tb testing.TB) bool {
	tb.Helper()
	var b strings.Builder
	b.WriteByte(0)
	for i := range 20_000 {
		fmt.Fprintf(&b, "%d,", i*i%10_007)
	}
	patch := Diff(tb, Tree{"keep": {}}, Tree{"keep": {}, "probe": {Data: b.String()}})
	return fmt.Sprintf("%x", sha256.Sum256(patch)) == probeDigest
}
