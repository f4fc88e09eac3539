package guest

import (
	"bufio"
	"bytes"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"drydock/sandbox/wire"
)

// pathUsage is the worker's route for the supervisor alone.
const pathUsage = "/v1/usage"

// usageOf answers how much disk is the run's, the user's own mounts left out.
func usageOf(outside []string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { sendUsage(w, r, outside) }
}

func sendUsage(w http.ResponseWriter, r *http.Request, outside []string) {
	nanos, err := strconv.ParseInt(r.URL.Query().Get("since"), 10, 64)
	t := tally{since: time.Unix(0, nanos), seen: map[inode]bool{}}
	if err == nil {
		t.skip, err = notOnDisk(outside)
	}
	if err == nil {
		t.walk("/")
		t.add(dirNote)
		t.unlinked()
	}
	answer(w, t.used, err)
}

// tally adds up what was written since the sandbox began. The time of the last
// change of an inode, unlike the others, cannot be set by a program.
type tally struct {
	since time.Time
	skip  []string // places that are not the run's disk
	seen  map[inode]bool
	used  usage
}

type inode struct{ dev, ino uint64 }

func (t *tally) walk(root string) {
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			if slices.Contains(t.skip, path) {
				return fs.SkipDir
			}
			if err == nil {
				unlock(path)
			}
		}
		if d != nil {
			t.add(path)
		}
		if err != nil && d != nil && d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
}

// unlock lets the walk into a directory that its owner has closed.
func unlock(path string) {
	if unix.Access(path, unix.R_OK|unix.X_OK) == nil {
		return
	}
	if st, err := os.Lstat(path); err == nil {
		_ = os.Chmod(path, st.Mode().Perm()|0o500)
	}
}

func (t *tally) add(path string) {
	if st, ok := look(path, unix.AT_SYMLINK_NOFOLLOW); ok {
		t.count(st, st.Nlink > 1 && st.Mode&unix.S_IFMT != unix.S_IFDIR)
	}
}

// look asks the file system itself: what a kernel remembers of a file in user
// space may be older than what was written to it.
func look(path string, flags int) (unix.Statx_t, bool) {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, flags|unix.AT_STATX_FORCE_SYNC, unix.STATX_BASIC_STATS, &st)
	return st, err == nil
}

// count adds an inode, if it may be met again only once.
func (t *tally) count(st unix.Statx_t, again bool) {
	id := inode{unix.Mkdev(st.Dev_major, st.Dev_minor), st.Ino}
	if time.Unix(st.Ctime.Sec, int64(st.Ctime.Nsec)).Before(t.since) || t.seen[id] {
		return
	}
	if again {
		t.seen[id] = true
	}
	const blockSize = 512 // of the block count, whatever the file system's own is
	t.used.Bytes += int64(st.Blocks) * blockSize
	t.used.Files++
}

// unlinked adds files that have no name any more but are still open or mapped.
func (t *tally) unlinked() {
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, proc := range processes {
		fds, _ := os.ReadDir(proc + "/fd")
		for _, fd := range fds {
			t.open(filepath.Join(proc, "fd", fd.Name()))
		}
		t.mapped(proc + "/maps")
	}
}

// open adds an open file without a name. Some file systems do not say so by the
// number of its links, but the kernel does in the name it shows.
func (t *tally) open(fd string) {
	st, ok := look(fd, 0)
	if !ok || st.Mode&unix.S_IFMT != unix.S_IFREG || !onDisk(st) {
		return
	}
	name, _ := os.Readlink(fd)
	if !strings.HasSuffix(name, " (deleted)") {
		return
	}
	if named, ok := look(name, unix.AT_SYMLINK_NOFOLLOW); ok && named.Ino == st.Ino {
		return // that is really its name
	}
	t.count(st, true)
}

// onDisk tells a file of a disk from one of memory, by its file system's device.
func onDisk(st unix.Statx_t) bool {
	for _, memory := range []string{"/dev/shm", "/dev", wire.RunDir} {
		other, ok := look(memory, 0)
		if ok && other.Dev_major == st.Dev_major && other.Dev_minor == st.Dev_minor {
			return false
		}
	}
	return true
}

// mapped adds unlinked files that are only mapped, by the extent of the mapping.
func (t *tally) mapped(maps string) {
	raw, err := os.ReadFile(maps)
	if err != nil {
		return
	}
	for lines := bufio.NewScanner(bytes.NewReader(raw)); lines.Scan(); {
		line, gone := strings.CutSuffix(lines.Text(), " (deleted)")
		fields := strings.Fields(line)
		if !gone || len(fields) < 6 || memoryOnly(fields[5]) {
			continue
		}
		from, to, _ := strings.Cut(fields[0], "-")
		start, err1 := strconv.ParseUint(from, 16, 64)
		end, err2 := strconv.ParseUint(to, 16, 64)
		ino, err3 := strconv.ParseUint(fields[4], 10, 64)
		id := inode{ino: ino} // without its device, which is spelled otherwise here
		if err1 == nil && err2 == nil && err3 == nil && !t.seen[id] && end > start {
			t.seen[id] = true
			t.used.Bytes += int64(end - start)
			t.used.Files++
		}
	}
}

func memoryOnly(path string) bool {
	return strings.HasPrefix(path, "/dev/shm/") || strings.HasPrefix(path, "/memfd:") || strings.HasPrefix(path, "/SYSV") || strings.HasPrefix(path, "/dev/zero")
}

// notOnDisk lists the mount points whose content is not the run's disk: file
// systems of the kernel and of memory, and what the user mounted.
func notOnDisk(outside []string) ([]string, error) {
	raw, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	skip := slices.Clone(outside)
	for line := range strings.Lines(string(raw)) {
		before, after, _ := strings.Cut(line, " - ")
		fields, kind := strings.Fields(before), strings.Fields(after)
		const mountPoint = 4
		if len(fields) > mountPoint && len(kind) > 0 && inMemory[kind[0]] {
			skip = append(skip, fields[mountPoint])
		}
	}
	return skip, nil
}

var inMemory = map[string]bool{
	"proc": true, "sysfs": true, "tmpfs": true, "devpts": true, "mqueue": true,
	"cgroup": true, "cgroup2": true, "devtmpfs": true, "ramfs": true,
}
