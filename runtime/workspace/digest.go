package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// gitIndex is where a repository has its index.
const gitIndex = ".git/index"

// Digest is a SHA-256 over the names, kinds, permissions and contents of what is
// in the snapshot, in hexadecimal. Times do not matter, and neither do git's
// indexes, which hold times: two copies of a tree have the same digest.
func (s *Snapshot) Digest() string {
	h := sha256.New()
	paths := slices.Clone(s.paths)
	slices.Sort(paths)
	for _, path := range paths {
		if path == gitIndex || strings.HasSuffix(path, "/"+gitIndex) {
			continue
		}
		e := s.entries[path]
		_, _ = fmt.Fprintf(h, "%d %o %x %q %q\n", e.Kind, e.Mode, e.SHA256, e.Target, path)
	}
	return hex.EncodeToString(h.Sum(nil))
}
