package guest

import (
	"archive/tar"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"drydock/sandbox/wire"
)

// unpackTar extracts a tar from the host below a directory. Directories get
// their modes and times last, so that a read-only one can still be filled.
func unpackTar(w http.ResponseWriter, r *http.Request) {
	root, err := pathOf(r)
	if err == nil {
		err = os.MkdirAll(root, 0o755)
	}
	if err != nil {
		answer(w, nil, err)
		return
	}
	answer(w, struct{}{}, unpack(root, r.Body))
}

func unpack(root string, body io.Reader) error {
	tr := tar.NewReader(body)
	var dirs []*tar.Header
	for {
		hdr, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return settleDirs(root, dirs)
		}
		if err != nil {
			return err
		}
		path := filepath.Join(root, filepath.Join("/", hdr.Name))
		if hdr.Typeflag == tar.TypeDir {
			dirs = append(dirs, hdr)
		}
		if err := unpackEntry(path, hdr, tr); err != nil {
			return err
		}
	}
}

func unpackEntry(path string, hdr *tar.Header, content io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	switch hdr.Typeflag {
	case tar.TypeDir:
		return os.MkdirAll(path, 0o755)
	case tar.TypeSymlink:
		_ = os.Remove(path)
		return os.Symlink(hdr.Linkname, path)
	case tar.TypeReg:
		return unpackFile(path, hdr, content)
	}
	return nil
}

func unpackFile(path string, hdr *tar.Header, content io.Reader) error {
	_ = os.Remove(path)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fs.FileMode(hdr.Mode).Perm()|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	if err == nil {
		err = f.Chmod(fs.FileMode(hdr.Mode).Perm())
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Chtimes(path, hdr.ModTime, hdr.ModTime)
	}
	return err
}

func settleDirs(root string, dirs []*tar.Header) error {
	for i := len(dirs) - 1; i >= 0; i-- {
		path := filepath.Join(root, filepath.Join("/", dirs[i].Name))
		// The root itself belongs to the image; its mode may not be ours to set.
		_ = os.Chtimes(path, time.Time{}, dirs[i].ModTime)
		if err := os.Chmod(path, fs.FileMode(dirs[i].Mode).Perm()); err != nil && path != root {
			return err
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
