package guest

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"drydock/sandbox/wire"
)

// unpackTar extracts a tar from the host below a directory. Directories get
// their modes and times last, so that a read-only one can still be filled.
func unpackTar(w http.ResponseWriter, r *http.Request) {
	path, err := pathOf(r)
	if err == nil {
		err = os.MkdirAll(path, 0o755)
	}
	if err == nil {
		err = unpackBelow(path, r.Body)
	}
	if err != nil {
		// Or the host would see its stream break instead of the reason.
		_, _ = io.Copy(io.Discard, r.Body)
	}
	answer(w, struct{}{}, err)
}

// unpackBelow never leaves the directory, whatever names and links the archive
// holds: os.Root refuses a path that leads out of it.
func unpackBelow(path string, body io.Reader) error {
	root, err := os.OpenRoot(path)
	if err != nil {
		return err
	}
	defer root.Close()
	tr := tar.NewReader(body)
	var dirs []*tar.Header
	made := "."
	for {
		hdr, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return settleDirs(root, dirs)
		}
		if err != nil {
			return &failure{wire.CodeInvalid, "read archive: " + err.Error()}
		}
		name := entryPath(hdr.Name)
		if parent := filepath.Dir(name); parent != made {
			if err := root.MkdirAll(parent, 0o755); err != nil {
				return refuse(hdr, err)
			}
			made = parent
		}
		if hdr.Typeflag == tar.TypeDir {
			dirs = append(dirs, hdr)
		}
		if err := unpackEntry(root, name, hdr, tr); err != nil {
			return refuse(hdr, err)
		}
	}
}

// entryPath is an entry's name as a path that starts at the root.
func entryPath(name string) string {
	if rel := strings.TrimPrefix(filepath.Join("/", name), "/"); rel != "" {
		return rel
	}
	return "."
}

// refuse tells what the kernel had against an entry from what the archive is
// to blame for.
func refuse(hdr *tar.Header, err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return err
	}
	return &failure{wire.CodeInvalid, fmt.Sprintf("archive entry %q: %v", hdr.Name, err)}
}

func unpackEntry(root *os.Root, name string, hdr *tar.Header, content io.Reader) error {
	switch hdr.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(name, 0o755)
	case tar.TypeSymlink:
		_ = root.Remove(name)
		return root.Symlink(hdr.Linkname, name)
	case tar.TypeReg:
		return unpackFile(root, name, hdr, content)
	case tar.TypeXGlobalHeader:
		return nil
	}
	return fmt.Errorf("type %q is not unpacked", hdr.Typeflag)
}

func unpackFile(root *os.Root, name string, hdr *tar.Header, content io.Reader) error {
	_ = root.Remove(name)
	mode := fs.FileMode(hdr.Mode).Perm()
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	if err == nil {
		err = f.Chmod(mode)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = root.Chtimes(name, hdr.ModTime, hdr.ModTime)
	}
	return err
}

func settleDirs(root *os.Root, dirs []*tar.Header) error {
	for i := len(dirs) - 1; i >= 0; i-- {
		name := entryPath(dirs[i].Name)
		// The root itself belongs to the image; its mode may not be ours to set.
		_ = root.Chtimes(name, time.Time{}, dirs[i].ModTime)
		if err := root.Chmod(name, fs.FileMode(dirs[i].Mode).Perm()); err != nil && name != "." {
			return refuse(dirs[i], err)
		}
	}
	return nil
}

// packTar sends the named files, and nothing that a name merely leads to: a
// link is sent as a link.
func packTar(w http.ResponseWriter, r *http.Request) {
	var req wire.TarRequest
	if err := decode(r.Body, &req); err != nil {
		answer(w, nil, err)
		return
	}
	root, err := os.OpenRoot(req.Root)
	if err != nil {
		answer(w, nil, err)
		return
	}
	defer root.Close()
	tw := tar.NewWriter(w)
	for _, name := range req.Paths {
		if err := packEntry(tw, root, string(name)); err != nil {
			return // the stream ends early and the host sees it
		}
	}
	_ = tw.Close()
}

func packEntry(tw *tar.Writer, root *os.Root, name string) error {
	info, err := root.Lstat(name)
	if err != nil {
		return nil // gone meanwhile; the host misses it and says so
	}
	hdr := &tar.Header{Name: name, Mode: int64(info.Mode().Perm()), ModTime: info.ModTime(), Format: tar.FormatGNU}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		hdr.Typeflag = tar.TypeSymlink
		hdr.Linkname, _ = root.Readlink(name)
		return tw.WriteHeader(hdr)
	case info.IsDir():
		hdr.Typeflag, hdr.Name = tar.TypeDir, name+"/"
		return tw.WriteHeader(hdr)
	case info.Mode().IsRegular():
		return packFile(tw, root, hdr)
	}
	return nil
}

// packFile sends exactly the size it announced, whatever happens to the file
// meanwhile.
func packFile(tw *tar.Writer, root *os.Root, hdr *tar.Header) error {
	f, err := root.Open(hdr.Name)
	if err != nil {
		return nil
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return nil
	}
	hdr.Typeflag, hdr.Size = tar.TypeReg, st.Size()
	if err := tw.WriteHeader(hdr); err != nil {
		return err
	}
	n, err := io.CopyN(tw, f, hdr.Size)
	if errors.Is(err, io.EOF) {
		_, err = io.CopyN(tw, zeros{}, hdr.Size-n)
	}
	return err
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
