package editor_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/tools/editor"
)

func TestKnownFailuresAreSentencesAndChangeNothing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		want string
	}{
		{editor.ErrPermission, "Permission denied"},
		{editor.ErrReadOnly, "read-only"},
		{editor.ErrNoSpace, "no space left"},
		{editor.ErrTooLarge, "larger than the sandbox allows"},
		{editor.ErrNotRegular, "a device, a pipe or a socket"},
		{editor.ErrIsDirectory, "is a directory"},
		{editor.ErrNotDirectory, "not a directory"},
		{editor.ErrLoop, "loop of symbolic links"},
		{editor.ErrNameTooLong, "too long"},
		{editor.ErrChanged, "being changed by something else"},
	} {
		t.Run(test.want, func(t *testing.T) {
			t.Parallel()
			for _, op := range []string{"read", "write"} {
				files := newMemory(map[string]string{"/workspace/f": "old\n"})
				files.fault = func(at string) error {
					if at == op {
						return fmt.Errorf("guest: %w", test.err)
					}
					return nil
				}
				ed := editor.New(files, editor.Options{})
				for _, args := range []editor.Args{
					replaceArgs("f", "old", "new"), insertArgs("f", 0, "new"), createArgs("f", "new"), createArgs("g", "new"),
				} {
					answer := run(t, ed, args)
					assert.Equal(t, answer.Status, editor.StatusToolError)
					assert.Assert(t, strings.Contains(answer.Text, test.want), answer.Text)
					assert.Assert(t, strings.Contains(answer.Text, "/workspace/"), answer.Text)
				}
				files.fault = func(string) error { return nil }
				assert.Equal(t, files.content("/workspace/f"), "old\n")
				assert.Equal(t, run(t, ed, undoArgs("f")).Status, editor.StatusToolError, "a failed edit must leave no history")
			}
		})
	}
}

func TestOtherFailuresAreErrorsOfTheHarness(t *testing.T) {
	t.Parallel()
	broken := errors.New("stream closed")
	for _, op := range []string{"read", "write"} {
		files := newMemory(map[string]string{"/workspace/f": "old\n", "/workspace/h": "h\n"})
		ed := editor.New(files, editor.Options{})
		runOK(t, ed, replaceArgs("f", "old", "new"))
		runOK(t, ed, replaceArgs("h", "h", "i")) // so that f has to be read again
		files.fault = func(at string) error {
			if at == op {
				return broken
			}
			return nil
		}
		for _, args := range []editor.Args{
			replaceArgs("f", "new", "x"), insertArgs("f", 0, "x"), createArgs("f", "x"), createArgs("g", "x"), undoArgs("f"),
		} {
			_, err := ed.Run(t.Context(), args)
			assert.ErrorIs(t, err, broken)
			assert.ErrorContains(t, err, args.Command)
		}
		files.fault = func(string) error { return broken }
		_, err := ed.Run(t.Context(), viewArgs("f"))
		assert.ErrorIs(t, err, broken)
		files.fault = func(string) error { return nil }
		runOK(t, ed, undoArgs("f"))
		assert.Equal(t, files.content("/workspace/f"), "old\n", "undo works after the sandbox answers again")
	}
}

// A model edits what it has just looked at: the content need not come again.
func TestAFileJustSeenIsEditedWithoutReadingItAgain(t *testing.T) {
	t.Parallel()
	files := newMemory(map[string]string{"/workspace/f": "one\ntwo\n"})
	ed := editor.New(files, editor.Options{})
	runOK(t, ed, viewArgs("f"))
	reads := 0
	files.fault = func(op string) error {
		if op == "read" {
			reads++
		}
		return nil
	}
	runOK(t, ed, replaceArgs("f", "one", "1"))
	runOK(t, ed, insertArgs("f", 0, "zero"))
	assert.Equal(t, reads, 0)
	files.files["/workspace/f"] = []byte("one\nTWO\n") // something else writes it
	runOK(t, ed, replaceArgs("f", "one", "eins"))
	assert.Equal(t, files.content("/workspace/f"), "eins\nTWO\n")
	assert.Equal(t, reads, 1)
	runOK(t, ed, undoArgs("f"))
	runOK(t, ed, replaceArgs("f", "one", "un"))
	assert.Equal(t, files.content("/workspace/f"), "un\nTWO\n")
}

// Something else writes between our read and our write: its change must not be
// lost, and the edit still comes about.
func TestEditIsMadeAnewWhenTheFileChangesMeanwhile(t *testing.T) {
	t.Parallel()
	files := newMemory(map[string]string{"/workspace/f": "a\n"})
	appended := false
	files.fault = func(op string) error {
		if op == "write" && !appended {
			appended = true
			files.files["/workspace/f"] = []byte("a\nappended\n")
		}
		return nil
	}
	ed := editor.New(files, editor.Options{})
	runOK(t, ed, replaceArgs("f", "a\n", "b\n"))
	assert.Equal(t, files.content("/workspace/f"), "b\nappended\n")
	runOK(t, ed, undoArgs("f"))
	assert.Equal(t, files.content("/workspace/f"), "a\nappended\n")
}

func TestCreateGivesWayToAFileThatAppearsMeanwhile(t *testing.T) {
	t.Parallel()
	files := newMemory(nil)
	appeared := false
	files.fault = func(op string) error {
		if op == "write" && !appeared {
			appeared = true
			files.files["/workspace/n"] = []byte("theirs")
		}
		return nil
	}
	ed := editor.New(files, editor.Options{})
	runOK(t, ed, createArgs("n", "ours"))
	runOK(t, ed, undoArgs("n"))
	assert.Equal(t, files.content("/workspace/n"), "theirs", "undo must give back what was overwritten")
}

func TestUndoDoesNotOverwriteALateChange(t *testing.T) {
	t.Parallel()
	files := newMemory(map[string]string{"/workspace/f": "a\n"})
	ed := editor.New(files, editor.Options{})
	runOK(t, ed, replaceArgs("f", "a", "b"))
	runOK(t, ed, createArgs("n", "x"))
	files.fault = func(op string) error {
		if op == "write" || op == "remove" {
			return editor.ErrChanged
		}
		return nil
	}
	for _, path := range []string{"f", "n"} {
		answer := run(t, ed, undoArgs(path))
		assert.Equal(t, answer.Status, editor.StatusToolError)
		assert.Assert(t, strings.Contains(answer.Text, "something other than this tool"), answer.Text)
	}
}

func TestConcurrentEditsOfOneFileAllHappen(t *testing.T) {
	t.Parallel()
	const edits = 32
	files := newMemory(map[string]string{"/workspace/f": ""})
	ed := editor.New(files, editor.Options{})
	var wait sync.WaitGroup
	for i := range edits {
		wait.Go(func() {
			_, err := ed.Run(t.Context(), insertArgs("f", 0, fmt.Sprintf("line %d", i)))
			assert.Check(t, err)
			_, err = ed.Run(t.Context(), viewArgs("f"))
			assert.Check(t, err)
		})
	}
	wait.Wait()
	assert.Equal(t, strings.Count(files.content("/workspace/f"), "\n"), edits)
	for range edits {
		runOK(t, ed, undoArgs("f"))
	}
	assert.Equal(t, files.content("/workspace/f"), "")
}
