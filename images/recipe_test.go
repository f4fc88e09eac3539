package images

import (
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

func TestEveryImageHasARecipe(t *testing.T) {
	digests := map[string]bool{}
	for _, name := range Names() {
		for _, arch := range []string{"amd64", "arm64"} {
			r, err := NewRecipe(name, arch)
			assert.NilError(t, err)
			assert.Assert(t, len(r.Packages) > 0)
			digests[r.Digest] = true
			again, err := NewRecipe(name, arch)
			assert.NilError(t, err)
			assert.DeepEqual(t, r, again)
		}
	}
	assert.Equal(t, len(digests), 2*len(Names()), "no two images share a digest")
}

func TestDataHasAllThatBaseHas(t *testing.T) {
	base, err := NewRecipe("base", "amd64")
	assert.NilError(t, err)
	data, err := NewRecipe("data", "amd64")
	assert.NilError(t, err)
	for _, name := range base.Packages {
		assert.Assert(t, slices.Contains(data.Packages, name), name)
	}
}

func TestTheDigestFollowsThePackageList(t *testing.T) {
	r, err := NewRecipe("base", "amd64")
	assert.NilError(t, err)
	r.Packages = append(r.Packages, "zsh")
	assert.Assert(t, r.digest() != r.Digest)
}

func TestParseList(t *testing.T) {
	got, err := parseList([]byte("# title\n\n  git  # version control\ng++\r\nlibc6-dev"))
	assert.NilError(t, err)
	assert.DeepEqual(t, got, []string{"git", "g++", "libc6-dev"})
	for _, bad := range []string{"two words", "a;b", "$(x)", "Upper"} {
		_, err := parseList([]byte("git\n" + bad + "\n"))
		assert.ErrorContains(t, err, "line 2: ")
	}
}

func TestAnImportedImageIsConfiguredLikeABuiltOne(t *testing.T) {
	r, err := NewRecipe("base", "amd64")
	assert.NilError(t, err)
	changes := strings.Join(r.changes(`1.0"$HOME`), "\n")
	for _, want := range []string{"WORKDIR /workspace", `CMD ["bash"]`, "ENV LANG=C.UTF-8", `LABEL drydock.version="1.0\"\$HOME"`} {
		assert.Assert(t, strings.Contains(changes, want), changes)
	}
	assert.Equal(t, r.from(), "debian:bookworm-slim")
}
