package sandbox

import (
	"archive/tar"
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// tarOf packs headers, each regular file with content of the size it has.
func tarOf(t testing.TB, headers ...tar.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	tw := tar.NewWriter(&out)
	for _, h := range headers {
		assert.NilError(t, tw.WriteHeader(&h))
		_, err := io.CopyN(tw, bytes.NewReader(bytes.Repeat([]byte("x"), int(h.Size))), h.Size)
		assert.NilError(t, err)
	}
	assert.NilError(t, tw.Close())
	return out.Bytes()
}

var someLimits = ExtractLimits{Files: 5, Bytes: 100, FileBytes: 60, PathBytes: 40, Depth: 4}

// place is a directory to extract to, between things that must not change: a
// file and links, inside and outside of it.
type place struct {
	top  string
	root *os.Root
}

func newPlace(t testing.TB) place {
	t.Helper()
	top := t.TempDir()
	for name, content := range map[string]string{"out/secret": "secret", "root/kept": "kept", "root/dir/kept": "kept"} {
		assert.NilError(t, os.MkdirAll(filepath.Dir(filepath.Join(top, name)), 0o755))
		assert.NilError(t, os.WriteFile(filepath.Join(top, name), []byte(content), 0o600))
	}
	for name, target := range map[string]string{"root/away": "../out", "root/in": "dir", "root/file": "kept", "root/nowhere": "new"} {
		assert.NilError(t, os.Symlink(target, filepath.Join(top, name)))
	}
	root, err := os.OpenRoot(filepath.Join(top, "root"))
	assert.NilError(t, err)
	t.Cleanup(func() { _ = root.Close() })
	return place{top, root}
}

// found lists everything below a place but what was there before: a file with
// its size, a directory with -1. It fails at what an Extractor may not make.
func (p place) found(t testing.TB) map[string]int64 {
	t.Helper()
	got := map[string]int64{}
	before := map[string]string{
		"out/secret": "secret", "root/kept": "kept", "root/dir/kept": "kept",
		"root/away": "../out", "root/in": "dir", "root/file": "kept", "root/nowhere": "new",
	}
	assert.NilError(t, filepath.WalkDir(p.top, func(path string, d fs.DirEntry, err error) error {
		assert.NilError(t, err)
		name, err := filepath.Rel(p.top, path)
		assert.NilError(t, err)
		info, err := d.Info()
		assert.NilError(t, err)
		if content, ok := before[name]; ok {
			delete(before, name)
			assert.Equal(t, p.read(t, path, info), content, name)
			return nil
		}
		switch name {
		case ".", "out", "root", "root/dir":
			return nil
		}
		name, inside := strings.CutPrefix(name, "root/")
		assert.Assert(t, inside, "%q is outside", name)
		switch {
		case info.Mode() == fs.ModeDir|0o755:
			got[name] = -1
		case info.Mode() == 0o644 || info.Mode() == 0o755:
			got[name] = info.Size()
		default:
			t.Fatalf("%q has mode %s", name, info.Mode())
		}
		return nil
	}))
	assert.Equal(t, len(before), 0, "gone: %v", before)
	return got
}

// read is a file's content or a link's target.
func (p place) read(t testing.TB, path string, info fs.FileInfo) string {
	t.Helper()
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(path)
		assert.NilError(t, err)
		return target
	}
	raw, err := os.ReadFile(path)
	assert.NilError(t, err)
	return string(raw)
}

// extract writes an archive below a directory of a place.
func (p place) extract(dir string, archive []byte, limits ExtractLimits) (Extracted, error) {
	x := NewExtractor(p.root, dir, limits)
	err := readArchive(bytes.NewReader(archive), 1000, x.Add)
	return x.Report(), err
}

func reasons(e Extracted) map[string]string {
	out := map[string]string{}
	for _, s := range e.Skipped {
		out[s.Path] = s.Reason
	}
	return out
}

func TestExtractWritesFilesAndDirectories(t *testing.T) {
	p := newPlace(t)
	got, err := p.extract("to", tarOf(t,
		tar.Header{Name: "a/b/run", Typeflag: tar.TypeReg, Mode: 0o7711, Size: 3},
		tar.Header{Name: "a/", Typeflag: tar.TypeDir, Mode: 0o1000},
		tar.Header{Name: "bad \xff\n -name", Typeflag: tar.TypeReg, Mode: 0o666, Size: 2, Format: tar.FormatGNU},
		tar.Header{Name: "empty/", Typeflag: tar.TypeDir, Mode: 0o700},
	), someLimits)
	assert.NilError(t, err)
	assert.DeepEqual(t, p.found(t), map[string]int64{"to": -1, "to/a": -1, "to/a/b": -1, "to/a/b/run": 3, "to/bad \xff\n -name": 2, "to/empty": -1})
	assert.DeepEqual(t, got, Extracted{Written: []ExtractedFile{{"to/a/b/run", 3}, {"to/bad \xff\n -name", 2}}, Bytes: 5})
	st, err := p.root.Stat("to/a/b/run")
	assert.NilError(t, err)
	assert.Equal(t, st.Mode(), fs.FileMode(0o755))
}

func TestExtractSkips(t *testing.T) {
	file := func(name string) tar.Header { return tar.Header{Name: name, Typeflag: tar.TypeReg, Size: 1} }
	for name, row := range map[string]struct {
		header tar.Header
		want   string
	}{
		"up":                    {file("../new"), "leads elsewhere"},
		"up in between":         {file("a/../../new"), "leads elsewhere"},
		"absolute":              {file("/tmp/new"), "leads elsewhere"},
		"here":                  {file("./new"), "leads elsewhere"},
		"nothing between":       {file("a//new"), "leads elsewhere"},
		"symlink":               {tar.Header{Name: "l", Typeflag: tar.TypeSymlink, Linkname: "/etc"}, "it is a symbolic link"},
		"hard link":             {tar.Header{Name: "l", Typeflag: tar.TypeLink, Linkname: "kept"}, "it is a hard link"},
		"device":                {tar.Header{Name: "d", Typeflag: tar.TypeChar, Devmajor: 1, Devminor: 3}, "it is a device"},
		"pipe":                  {tar.Header{Name: "p", Typeflag: tar.TypeFifo}, "it is a pipe"},
		"unknown":               {tar.Header{Name: "u", Typeflag: 'Z'}, "unknown kind"},
		"through a link out":    {file("away/new"), "away is there and is no directory"},
		"through a link inside": {file("in/new"), "in is there and is no directory"},
		"onto a link":           {file("file"), "is there already"},
		"onto a dangling link":  {file("nowhere"), "is there already"},
		"onto a file":           {file("dir/kept"), "is there already"},
		"onto a directory":      {file("dir"), "is there already"},
		"below a file":          {file("kept/new"), "kept is there and is no directory"},
		"a directory on a link": {tar.Header{Name: "away/", Typeflag: tar.TypeDir}, "is no directory"},
		"too deep":              {file("a/b/c/d/e"), "limit of 4 names"},
		"too long":              {file(strings.Repeat("n", 41)), "limit of 40 bytes"},
		"too large":             {tar.Header{Name: "n", Typeflag: tar.TypeReg, Size: 61}, "limit of 60 bytes for a file"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			got, err := p.extract(".", tarOf(t, row.header), someLimits)
			assert.NilError(t, err)
			assert.Equal(t, got.Missed, 1)
			assert.Equal(t, len(got.Written), 0)
			assert.Assert(t, strings.Contains(got.Skipped[0].Reason, row.want), "%v", got.Skipped)
			assert.Equal(t, len(p.found(t)), 0)
		})
	}
	t.Run("a name that no file system takes", func(t *testing.T) {
		p := newPlace(t)
		limits := someLimits
		limits.PathBytes = 4000
		got, err := p.extract(".", tarOf(t, file(strings.Repeat("n", 300))), limits)
		assert.NilError(t, err)
		assert.Assert(t, strings.Contains(got.Skipped[0].Reason, "file name too long"))
	})
}

func TestExtractLimits(t *testing.T) {
	file := func(name string, size int64) tar.Header {
		return tar.Header{Name: name, Typeflag: tar.TypeReg, Size: size}
	}
	p := newPlace(t)
	got, err := p.extract(".", tarOf(t, file("a", 60), file("b", 41), file("c", 40), file("d", 1), file("a", 0), file("e", 0)), someLimits)
	assert.NilError(t, err)
	assert.DeepEqual(t, p.found(t), map[string]int64{"a": 60, "c": 40, "e": 0})
	assert.DeepEqual(t, reasons(got), map[string]string{
		"b": "the limit of 100 bytes for all files is reached", "d": "the limit of 100 bytes for all files is reached",
		"a": "a file of that name is there already",
	})
	p = newPlace(t)
	got, err = p.extract(".", tarOf(t, file("1", 0), file("2", 0), file("3", 0), file("4", 0), file("5", 0), file("6", 0)), someLimits)
	assert.NilError(t, err)
	assert.Equal(t, len(got.Written), 5)
	assert.DeepEqual(t, reasons(got), map[string]string{"6": "the limit of 5 files is reached"})
}

// A report does not grow with what it reports.
func TestExtractReportIsBounded(t *testing.T) {
	x := NewExtractor(newPlace(t).root, ".", someLimits)
	for range 1000 {
		x.Skip(strings.Repeat("\x1b", 10_000), "no")
	}
	got := x.Report()
	assert.Equal(t, got.Missed, 1000)
	assert.Equal(t, len(got.Skipped), maxSkipped)
	assert.Assert(t, plain(got.Skipped[0].Path, 2*maxErrorText) && len(got.Skipped[0].Path) < 2*maxErrorText)
}

// An archive that ends in the middle of a file leaves no half of it.
func TestExtractLeavesNoHalf(t *testing.T) {
	p := newPlace(t)
	whole := tarOf(t, tar.Header{Name: "a", Typeflag: tar.TypeReg, Size: 60})
	_, err := p.extract(".", whole[:512+30], someLimits)
	assert.ErrorContains(t, err, "unexpected EOF")
	assert.Equal(t, len(p.found(t)), 0)
}

// Any bytes as an archive: what is there afterwards is what the report says,
// within the limits, and nothing else has changed.
func FuzzExtract(f *testing.F) {
	f.Fuzz(func(t *testing.T, raw []byte) {
		p := newPlace(t)
		got, _ := p.extract(".", raw, someLimits)
		var files, bytes int64
		written := map[string]int64{}
		for _, w := range got.Written {
			written[w.Path] = w.Size
		}
		for name, size := range p.found(t) {
			assert.Assert(t, len(name) <= someLimits.PathBytes && strings.Count(name, "/") < someLimits.Depth, "%q", name)
			if size < 0 {
				continue
			}
			files, bytes = files+1, bytes+size
			reported, ok := written[name]
			assert.Assert(t, ok && reported == size, "%q with %d bytes is reported with %d", name, size, reported)
		}
		assert.Equal(t, files, int64(len(got.Written)))
		assert.Equal(t, bytes, got.Bytes)
		assert.Assert(t, files <= int64(someLimits.Files) && bytes <= someLimits.Bytes)
		for _, s := range got.Skipped {
			assert.Assert(t, plain(s.Path, 2*maxErrorText) && plain(s.Reason, 2*maxErrorText))
		}
	})
}
