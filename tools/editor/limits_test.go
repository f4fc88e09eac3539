package editor_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/tools/editor"
)

// lines is "row 1" to "row n".
func lines(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "row %d\n", i+1)
	}
	return text.String()
}

func TestLongFilesAreViewedInParts(t *testing.T) {
	t.Parallel()
	ed := editor.New(newMemory(map[string]string{"/workspace/f": lines(5000)}), editor.Options{MaxViewBytes: 2000})
	seen := 0
	next := []int(nil)
	for range 200 {
		answer := runOK(t, ed, viewArgs("f", next...))
		assert.Assert(t, len(answer.Text) < 2400, len(answer.Text))
		assert.Assert(t, strings.Contains(answer.Text, "5000 lines"), answer.Text)
		seen += strings.Count(answer.Text, "\trow ")
		_, hint, more := strings.Cut(answer.Text, "; view_range ")
		if !more {
			break
		}
		next = make([]int, 2)
		_, err := fmt.Sscanf(hint, "[%d, %d]", &next[0], &next[1])
		assert.NilError(t, err)
	}
	assert.Equal(t, seen, 5000, "following the hints should show each line once")
}

func TestALineLongerThanAViewIsCut(t *testing.T) {
	t.Parallel()
	long := "short\n" + strings.Repeat("é", 40_000) + "\nlast\n"
	ed := editor.New(newMemory(map[string]string{"/workspace/f": long}), editor.Options{MaxViewBytes: 1001})
	answer := runOK(t, ed, viewArgs("f"))
	assert.Assert(t, strings.Contains(answer.Text, "short"))
	assert.Assert(t, strings.Contains(answer.Text, "view_range [2, -1]"), answer.Text)
	answer = runOK(t, ed, viewArgs("f", 2, -1))
	assert.Assert(t, len(answer.Text) < 1600, len(answer.Text))
	assert.Assert(t, strings.Contains(answer.Text, "Line 2 is longer than a view can hold"), answer.Text)
	assert.Assert(t, strings.Contains(answer.Text, "ééé…\n"), "the cut must be at a character")
	assert.Assert(t, strings.Contains(answer.Text, "view_range [3, -1]"), answer.Text)
}

func TestFilesOverTheLimit(t *testing.T) {
	t.Parallel()
	files := newMemory(map[string]string{"/workspace/f": lines(1000)})
	files.sizes = map[string]int64{"/workspace/f": 3 << 30}
	ed := editor.New(files, editor.Options{MaxFileBytes: 100})
	answer := runOK(t, ed, viewArgs("f", 1, 2))
	assert.Assert(t, strings.Contains(answer.Text, "row 2"))
	assert.Assert(t, strings.Contains(answer.Text, "The file has 3.0 GiB; only its first 100 bytes can be viewed"), answer.Text)
	for _, args := range []editor.Args{
		replaceArgs("f", "row 2\n", "x"), insertArgs("f", 1, "x"), createArgs("f", "x"), createArgs("n", strings.Repeat("x", 101)),
	} {
		answer := run(t, ed, args)
		assert.Equal(t, answer.Status, editor.StatusToolError)
		assert.Assert(t, strings.Contains(answer.Text, "at most 100 bytes"), answer.Text)
	}
	assert.Equal(t, files.content("/workspace/f"), lines(1000))
}

func TestAnEditMayNotMakeAFileTooLarge(t *testing.T) {
	t.Parallel()
	files := newMemory(map[string]string{"/workspace/f": "x\n"})
	ed := editor.New(files, editor.Options{MaxFileBytes: 10})
	answer := run(t, ed, replaceArgs("f", "x", "0123456789"))
	assert.Equal(t, answer.Status, editor.StatusToolError)
	assert.Assert(t, strings.Contains(answer.Text, "would have 11 bytes"), answer.Text)
	runOK(t, ed, replaceArgs("f", "x", "012345678"))
}

func TestManyMatchesAreCountedToABound(t *testing.T) {
	t.Parallel()
	ed := editor.New(newMemory(map[string]string{"/workspace/f": lines(50_000)}), editor.Options{})
	answer := run(t, ed, replaceArgs("f", "row", "x"))
	assert.Equal(t, answer.Status, editor.StatusToolError)
	assert.Assert(t, strings.Contains(answer.Text, "1000 times or more"), answer.Text)
	assert.Assert(t, len(answer.Text) < 1000, len(answer.Text))
}

func TestNearMissesOfHugeTextsAreBounded(t *testing.T) {
	t.Parallel()
	old := strings.Repeat("wrong line\n", 3000)
	ed := editor.New(newMemory(map[string]string{"/workspace/f": strings.Repeat("Wrong Line\n", 3000)}), editor.Options{})
	answer := run(t, ed, replaceArgs("f", old, "x"))
	assert.Equal(t, answer.Status, editor.StatusToolError)
	assert.Assert(t, strings.Contains(answer.Text, "case of letters"), answer.Text)
	assert.Assert(t, len(answer.Text) < 3000, len(answer.Text))
}

func TestLargeChangesAreShownInPart(t *testing.T) {
	t.Parallel()
	ed := editor.New(newMemory(map[string]string{"/workspace/f": "a\n"}), editor.Options{})
	answer := runOK(t, ed, insertArgs("f", 1, lines(20_000)))
	assert.Assert(t, strings.Contains(answer.Text, "     2\trow 1\n"))
	assert.Assert(t, strings.Contains(answer.Text, "more not shown"), answer.Text)
	assert.Assert(t, len(answer.Text) < 7000, len(answer.Text))
}

func TestLargeDirectoriesAreShownInPart(t *testing.T) {
	t.Parallel()
	disk := newDisk(t)
	for i := range 1200 {
		assert.NilError(t, os.WriteFile(disk.host(fmt.Sprintf("/workspace/file-%04d", i)), nil, 0o644))
	}
	answer := runOK(t, editor.New(disk, editor.Options{}), viewArgs("."))
	assert.Assert(t, strings.Contains(answer.Text, "There is more; a view holds 1000 entries"))
	answer = runOK(t, editor.New(disk, editor.Options{MaxViewBytes: 1000}), viewArgs("."))
	assert.Assert(t, strings.Contains(answer.Text, "There is more"))
	assert.Assert(t, len(answer.Text) < 1300, len(answer.Text))
}

func TestImagesAreViewedAsImages(t *testing.T) {
	t.Parallel()
	for mime, head := range map[string]string{
		"image/png": "\x89PNG\r\n\x1a\n\x00", "image/jpeg": "\xff\xd8\xff\xe0", "image/gif": "GIF89a\x01\x00", "image/webp": "RIFF\x00\x00\x00\x00WEBPVP8 ",
	} {
		t.Run(mime, func(t *testing.T) {
			t.Parallel()
			data := head + strings.Repeat("\x00", 100)
			files := newMemory(map[string]string{"/workspace/misnamed.txt": data})
			answer := runOK(t, editor.New(files, editor.Options{}), viewArgs("misnamed.txt"))
			assert.Equal(t, len(answer.Images), 1)
			assert.Equal(t, answer.Images[0].MIME, mime)
			assert.Assert(t, bytes.Equal(answer.Images[0].Data, []byte(data)))
			assert.Assert(t, strings.Contains(answer.Text, mime))

			answer = runOK(t, editor.New(files, editor.Options{MaxImageBytes: 50}), viewArgs("misnamed.txt"))
			assert.Equal(t, len(answer.Images), 0)
			assert.Assert(t, strings.Contains(answer.Text, "too large to be shown: the limit is 50 bytes"), answer.Text)
		})
	}
}

func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	files := newMemory(map[string]string{"/workspace/f": "0\n", "/workspace/g": "0\n"})
	ed := editor.New(files, editor.Options{MaxUndo: 3})
	runOK(t, ed, replaceArgs("g", "0", "1"))
	for i := range 5 {
		runOK(t, ed, replaceArgs("f", fmt.Sprint(i), fmt.Sprint(i+1)))
	}
	for range 3 {
		runOK(t, ed, undoArgs("f"))
	}
	assert.Equal(t, files.content("/workspace/f"), "2\n")
	assert.Equal(t, run(t, ed, undoArgs("f")).Status, editor.StatusToolError)
	assert.Equal(t, run(t, ed, undoArgs("g")).Status, editor.StatusToolError)
}

func TestHistoryIsBoundedInBytes(t *testing.T) {
	t.Parallel()
	files := newMemory(map[string]string{"/workspace/f": strings.Repeat("a", 100)})
	ed := editor.New(files, editor.Options{MaxFileBytes: 100, MaxUndoBytes: 250})
	for _, text := range []string{"b", "c", "d"} {
		runOK(t, ed, createArgs("f", strings.Repeat(text, 100)))
	}
	runOK(t, ed, undoArgs("f"))
	runOK(t, ed, undoArgs("f"))
	assert.Equal(t, files.content("/workspace/f"), strings.Repeat("b", 100))
	assert.Equal(t, run(t, ed, undoArgs("f")).Status, editor.StatusToolError)
}

func TestPipesAndDevicesAreRefusedAtOnce(t *testing.T) {
	t.Parallel()
	disk := newDisk(t)
	assert.NilError(t, syscall.Mkfifo(disk.host("/workspace/pipe"), 0o644))
	ed := editor.New(disk, editor.Options{})
	for _, args := range []editor.Args{viewArgs("pipe"), createArgs("pipe", "x"), replaceArgs("pipe", "a", "b"), undoArgs("pipe")} {
		answer := run(t, ed, args)
		assert.Equal(t, answer.Status, editor.StatusToolError)
		assert.Assert(t, strings.Contains(answer.Text, "pipe"), answer.Text)
	}
}

func TestPathsInAnswersAreBounded(t *testing.T) {
	t.Parallel()
	ed := editor.New(newDisk(t), editor.Options{})
	for _, path := range []string{strings.Repeat("é", 200), strings.Repeat("/ü\x1b", 3000)} {
		for _, args := range []editor.Args{viewArgs(path), createArgs(path, "x")} {
			answer := run(t, ed, args)
			assert.Equal(t, answer.Status, editor.StatusToolError)
			assert.Assert(t, len(answer.Text) < 600 && !strings.Contains(answer.Text, "\x1b"), answer.Text)
		}
	}
}

func TestRelativePathsStartAtTheWorkdir(t *testing.T) {
	t.Parallel()
	files := newMemory(nil)
	ed := editor.New(files, editor.Options{Workdir: "/src/"})
	runOK(t, ed, createArgs("a/b", "x"))
	assert.Equal(t, files.content("/src/a/b"), "x")
}
