package scratch

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"
)

// holderVariable makes the test binary a process that uses a directory until it
// is killed.
const holderVariable = "DRYDOCK_TEST_SCRATCH"

func TestMain(m *testing.M) {
	if os.Getenv(holderVariable) != "" {
		hold()
		return
	}
	os.Exit(m.Run())
}

func hold() {
	dir, err := Create("test")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir.Path, "f"), make([]byte, 1000), 0o600)
	}
	fmt.Println(dir.Path, err)
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	assert.NilError(t, err)
	all := []string{}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestAKilledProcessLeavesADirectoryThatIsSwept(t *testing.T) {
	tmp := t.TempDir()
	holder := exec.CommandContext(t.Context(), os.Args[0])
	holder.Env = append(os.Environ(), holderVariable+"=1", "TMPDIR="+tmp)
	stdin, err := holder.StdinPipe()
	assert.NilError(t, err)
	defer stdin.Close()
	stdout, err := holder.StdoutPipe()
	assert.NilError(t, err)
	assert.NilError(t, holder.Start())
	said, err := bufio.NewReader(stdout).ReadString('\n')
	assert.NilError(t, err)
	path, failed, _ := strings.Cut(strings.TrimSpace(said), " ")
	assert.Equal(t, failed, "<nil>")

	left, err := Sweep(tmp, false)
	assert.NilError(t, err)
	assert.Equal(t, len(left), 0, "it is in use")
	assert.NilError(t, holder.Process.Kill())
	_ = holder.Wait()

	left, err = Sweep(tmp, true)
	assert.NilError(t, err)
	assert.Equal(t, len(left), 1)
	assert.Equal(t, left[0].Path, path)
	assert.Equal(t, left[0].Size, int64(1000))
	assert.Assert(t, !left[0].Removed)
	left, err = Sweep(tmp, false)
	assert.NilError(t, err)
	assert.Equal(t, len(left), 1)
	assert.Assert(t, left[0].Removed)
	assert.DeepEqual(t, names(t, tmp), []string{})
}

// A child that goes on with the directory keeps it.
func TestALockPassedOnHolds(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	dir, err := Create("test")
	assert.NilError(t, err)
	child := exec.CommandContext(t.Context(), "cat")
	child.ExtraFiles = []*os.File{dir.Lock()}
	stdin, err := child.StdinPipe()
	assert.NilError(t, err)
	assert.NilError(t, child.Start())
	assert.NilError(t, dir.Lock().Close())
	left, err := Sweep(tmp, false)
	assert.NilError(t, err)
	assert.Equal(t, len(left), 0)
	assert.NilError(t, stdin.Close())
	assert.NilError(t, child.Wait())
	left, err = Sweep(tmp, false)
	assert.NilError(t, err)
	assert.Equal(t, len(left), 1)
}

// Whatever sweeps run meanwhile, a directory that Create gave stays.
func TestSweepsAndMakersDoNotMeet(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	done := make(chan struct{})
	var sweeps sync.WaitGroup
	for range 2 {
		sweeps.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					_, _ = Sweep(tmp, false)
				}
			}
		})
	}
	for range 100 {
		dir, err := Create("test")
		assert.NilError(t, err)
		assert.NilError(t, os.WriteFile(filepath.Join(dir.Path, "f"), nil, 0o600))
		assert.NilError(t, dir.Remove())
	}
	close(done)
	sweeps.Wait()
	assert.DeepEqual(t, names(t, tmp), []string{})
}

func TestAFileHasNoName(t *testing.T) {
	dir := t.TempDir()
	f, err := File(dir)
	assert.NilError(t, err)
	defer f.Close()
	assert.DeepEqual(t, names(t, dir), []string{})
	_, err = f.WriteAt([]byte("kept"), 10)
	assert.NilError(t, err)
	got := make([]byte, 4)
	_, err = f.ReadAt(got, 10)
	assert.NilError(t, err)
	assert.Equal(t, string(got), "kept")
	info, err := f.Stat()
	assert.NilError(t, err)
	assert.Equal(t, info.Mode(), os.FileMode(0o600))
	_, err = File(filepath.Join(dir, "nosuch"))
	assert.ErrorContains(t, err, "make a temporary file: ")
}

// Only what this package made is touched, and nothing is followed out of it.
func TestWhatASweepLeavesAlone(t *testing.T) {
	tmp, outside := t.TempDir(), t.TempDir()
	kept := filepath.Join(outside, "kept")
	assert.NilError(t, os.WriteFile(kept, nil, 0o600))
	assert.NilError(t, os.Symlink(outside, filepath.Join(tmp, prefix+"link")))
	assert.NilError(t, os.Mkdir(filepath.Join(tmp, "drydock-notes"), 0o700))
	assert.NilError(t, syscall.Mkfifo(filepath.Join(tmp, prefix+"fifo"), 0o600))
	holed := filepath.Join(tmp, prefix+"test-1")
	assert.NilError(t, os.Mkdir(holed, 0o700))
	assert.NilError(t, os.Symlink(outside, filepath.Join(holed, "link")))
	assert.NilError(t, os.WriteFile(filepath.Join(tmp, prefix+"file-1"), nil, 0o600))

	left, err := Sweep(tmp, false)
	assert.NilError(t, err)
	assert.Equal(t, len(left), 2, "%v", left)
	assert.DeepEqual(t, names(t, tmp), []string{"drydock-notes", prefix + "fifo", prefix + "link"})
	assert.DeepEqual(t, names(t, outside), []string{"kept"})
}

func TestSweepOfNothing(t *testing.T) {
	left, err := Sweep(filepath.Join(t.TempDir(), "nosuch"), false)
	assert.NilError(t, err)
	assert.Equal(t, len(left), 0)
}
