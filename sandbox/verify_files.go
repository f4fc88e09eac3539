package sandbox

import (
	"crypto/sha256"
	"strings"

	"drydock/sandbox/wire"
)

func verifyFileInfo(f wire.FileInfo) error {
	c := claim{about: "a file"}
	c.location("path", string(f.Path))
	c.perm(f.Mode)
	c.size(f.Size)
	return c.err
}

// verifyContent checks a file's content against what was asked for and what is
// said of it.
func verifyContent(f wire.FileInfo, length, limit int64) error {
	if err := verifyFileInfo(f); err != nil {
		return err
	}
	c := claim{about: "a file"}
	c.holds(length <= limit, "of more than the %d bytes that were asked for", limit)
	c.holds(!f.Truncated || length == min(limit, wire.MaxFile), "cut at %d bytes", length)
	c.holds(!f.IsDir, "that is a directory")
	return c.err
}

func verifyListing(l wire.Listing) error {
	c := claim{about: "a listing"}
	c.holds(len(l.Entries) <= wire.MaxListing, "of %d entries", len(l.Entries))
	total := 0
	for _, e := range l.Entries {
		c.below(e.Path, wire.MaxPath)
		c.size(e.Size)
		c.holds(!e.IsDir || !e.IsLink, "with a directory that is a link")
		total += len(e.Path)
	}
	c.holds(total <= wire.MaxListingBytes, "with %d bytes of names", total)
	return c.err
}

func verifyWalkEntry(e wire.WalkEntry) error {
	c := claim{about: "an entry"}
	c.below(e.Path, wire.MaxWalkPath)
	c.perm(e.Mode)
	c.size(e.Size)
	c.holds(e.Kind == "f" || e.Kind == "d" || e.Kind == "l" || e.Kind == "o", "of kind %.10q", e.Kind)
	c.holds(len(e.Sum) == 0 || e.Kind == "f" && len(e.Sum) == sha256.Size, "with a hash of %d bytes", len(e.Sum))
	c.holds(len(e.Target) == 0 || e.Kind == "l" && len(e.Target) < wire.MaxPath, "with a target of %d bytes", len(e.Target))
	c.holds(len(e.Err) <= wire.MaxMessage, "with a reason of %d bytes", len(e.Err))
	return c.err
}

// size checks that of a file, which may be sparse and of any length.
func (c *claim) size(n int64) { c.holds(n >= 0, "of %d bytes", n) }

// below checks a path that leads down from a directory.
func (c *claim) below(raw []byte, most int) {
	p := string(raw)
	c.holds(len(p) < most && leadsDown(p), "with path %.60q", p)
}

// leadsDown says whether path is relative and made of plain names only.
func leadsDown(path string) bool {
	if path == "" || strings.Contains(path, "\x00") {
		return false
	}
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || name == "." || name == ".." {
			return false
		}
	}
	return true
}
