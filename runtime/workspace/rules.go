package workspace

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"drydock/runtime/workspace/ignore"
)

// maxRuleBytes bounds the .gitignore files that have to be fetched together.
const maxRuleBytes = 32 << 20

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// ruleReader collects the .gitignore files of a result.
type ruleReader struct {
	list    *listing
	fetch   *fetcher
	notes   *notes
	matcher *ignore.Matcher
	bytes   int64 // of what was fetched
}

// read makes a matcher of all the rules that git would go by. It takes the files
// level by level, as those in ignored directories neither count nor need to be
// fetched, and most of what there is may be there.
func (r *ruleReader) read(ctx context.Context) (*ignore.Matcher, error) {
	r.matcher = ignore.New()
	r.list.repos.addExcludes(r.matcher, r.notes)
	byDepth := map[int][]string{}
	for p, e := range r.list.entries {
		if e.Kind == File && path.Base(p) == ".gitignore" {
			depth := strings.Count(p, "/")
			byDepth[depth] = append(byDepth[depth], p)
		}
	}
	for _, depth := range slices.Sorted(maps.Keys(byDepth)) {
		if err := r.level(ctx, byDepth[depth]); err != nil {
			return nil, err
		}
	}
	return r.matcher, nil
}

func (r *ruleReader) level(ctx context.Context, files []string) error {
	files = slices.DeleteFunc(files, func(p string) bool {
		dir := parentDir(p)
		return dir != "" && r.matcher.Ignored(dir, true)
	})
	slices.SortFunc(files, cmp.Compare)
	var want []Entry
	for _, p := range files {
		e := r.list.entries[p]
		if !r.isOld(e) && e.Size <= ignore.MaxFileLen && r.bytes+e.Size <= maxRuleBytes {
			want = append(want, e)
			r.bytes += e.Size
		}
	}
	if err := r.fetch.fetch(ctx, want); err != nil {
		return err
	}
	for _, p := range files {
		data, ok := r.content(p)
		if !ok {
			r.notes.addf("the rules in %q do not count: the file is too large or changed while it was read", p)
			continue
		}
		if err := r.matcher.Add(parentDir(p), data); err != nil {
			r.notes.addf("the rules in %q do not count: %v", p, err)
		}
	}
	return nil
}

// isOld says whether a file is as in the snapshot, so that it need not be
// fetched.
func (r *ruleReader) isOld(e Entry) bool {
	base, ok := r.list.snap.entries[e.Path]
	return ok && base.Kind == File && base.SHA256 == e.SHA256
}

func (r *ruleReader) content(p string) ([]byte, bool) {
	if r.isOld(r.list.entries[p]) {
		return r.list.snap.read(p, ignore.MaxFileLen)
	}
	return r.fetch.read(p)
}
