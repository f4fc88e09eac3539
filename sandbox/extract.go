package sandbox

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"drydock/sandbox/wire"
)

// ExtractLimits bound what an Extractor writes. What is beyond a limit is
// skipped; a limit of 0 lets nothing through.
type ExtractLimits struct {
	Files     int   // files and directories, all together
	Bytes     int64 // of content that is read, all together
	FileBytes int64 // of one file's content
	PathBytes int   // of a path below the directory that is written to
	Depth     int   // names in such a path
}

// maxDepth bounds how deep the directories of artifacts go.
const maxDepth = 64

// ArtifactLimits are the limits for what a run hands out under the policy.
func (p Policy) ArtifactLimits() ExtractLimits {
	return ExtractLimits{Files: p.OutFiles, Bytes: p.OutBytes, FileBytes: p.OutBytes, PathBytes: wire.MaxPath - 1, Depth: maxDepth}
}

// Extracted says what an Extractor wrote, and what it did not.
type Extracted struct {
	Written []ExtractedFile
	Bytes   int64          // of all files written
	Skipped []SkippedEntry // the first of them
	Missed  int            // skipped entries, those in Skipped included
}

// ExtractedFile is a file that was written.
type ExtractedFile struct {
	Path string // relative to the root, in the bytes that the sandbox gave
	Size int64
}

// SkippedEntry is an entry that was not written.
type SkippedEntry struct {
	Path   string // on one line, fit to be shown
	Reason string
}

// maxSkipped bounds the skipped entries that a report names one by one.
const maxSkipped = 100

// Extractor writes regular files and directories of an archive from a sandbox
// below a directory of the host, and nothing else: no links, devices, pipes, nor
// names that lead elsewhere. It follows no link and replaces no file that is
// there already. It is no longer of use after an error.
type Extractor struct {
	root   *os.Root
	limits ExtractLimits
	dir    string // below root
	report Extracted
	read   int64           // content so far, kept or not
	made   map[string]bool // directories that are known to be some
	count  int
}

// NewExtractor writes below a directory of root, which is made when there is
// something to put into it; "." is root itself.
func NewExtractor(root *os.Root, dir string, limits ExtractLimits) *Extractor {
	return &Extractor{root: root, limits: limits, dir: path.Clean(dir), made: map[string]bool{".": true}}
}

// Report is what was written and skipped so far.
func (x *Extractor) Report() Extracted { return x.report }

// Skip reports an entry as not written.
func (x *Extractor) Skip(name, reason string) {
	x.report.Missed++
	if len(x.report.Skipped) < maxSkipped {
		x.report.Skipped = append(x.report.Skipped, SkippedEntry{oneLine(name, maxErrorText), reason})
	}
}

// Add writes an entry, or skips it with a reason in the report. The error is
// that of reading the content or of the host's disk.
func (x *Extractor) Add(hdr *tar.Header, content io.Reader) error {
	err := x.add(hdr, content)
	var no refused
	switch {
	case errors.As(err, &no):
		x.Skip(hdr.Name, string(no))
		return nil
	case err != nil:
		return fmt.Errorf("extract %q: %w", oneLine(hdr.Name, maxErrorText), err)
	}
	x.count++
	return nil
}

// refused is why an entry is skipped.
type refused string

func (r refused) Error() string { return string(r) }

func refuse(format string, args ...any) error { return refused(fmt.Sprintf(format, args...)) }

func (x *Extractor) add(hdr *tar.Header, content io.Reader) error {
	name := hdr.Name
	if hdr.Typeflag == tar.TypeDir {
		name = strings.TrimSuffix(name, "/")
	}
	if err := x.check(name); err != nil {
		return err
	}
	name = path.Join(x.dir, name)
	switch hdr.Typeflag {
	case tar.TypeDir:
		return x.addDir(name)
	case tar.TypeReg:
		if err := x.addDir(path.Dir(name)); err != nil {
			return err
		}
		return x.addFile(name, hdr, content)
	}
	return refuse("it is %s", kindOf(hdr.Typeflag))
}

// check refuses names that lead elsewhere or are beyond the limits.
func (x *Extractor) check(name string) error {
	switch {
	case x.count >= x.limits.Files:
		return refuse("the limit of %d files is reached", x.limits.Files)
	case !leadsDown(name):
		return refuse("its name leads elsewhere")
	case len(name) > x.limits.PathBytes:
		return refuse("its path is over the limit of %d bytes", x.limits.PathBytes)
	case strings.Count(name, "/")+1 > x.limits.Depth:
		return refuse("its path is over the limit of %d names", x.limits.Depth)
	}
	return nil
}

// addDir makes a directory and those above it. What is there has to be one
// itself: os.Root would follow a link that stays below it.
func (x *Extractor) addDir(dir string) error {
	if x.made[dir] {
		return nil
	}
	if err := x.addDir(path.Dir(dir)); err != nil {
		return err
	}
	err := x.root.Mkdir(dir, 0o755)
	if errors.Is(err, fs.ErrExist) {
		st, statErr := x.root.Lstat(dir)
		if statErr == nil && !st.IsDir() {
			return refuse("%s is there and is no directory", oneLine(dir, maxErrorText))
		}
		err = statErr
	}
	if err != nil {
		return unfit(err)
	}
	x.made[dir] = true
	return nil
}

func (x *Extractor) addFile(name string, hdr *tar.Header, content io.Reader) error {
	most, limit := x.room()
	if hdr.Size > most {
		return limit
	}
	mode := fs.FileMode(0o644)
	if hdr.Mode&0o100 != 0 {
		mode = 0o755
	}
	f, err := x.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if errors.Is(err, fs.ErrExist) {
		return refuse("a file of that name is there already")
	}
	if err != nil {
		return unfit(err)
	}
	n, err := io.Copy(f, io.LimitReader(content, most+1))
	x.read += n
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil && n > most {
		err = limit
	}
	if err != nil {
		_ = x.root.Remove(name)
		return err
	}
	x.report.Written = append(x.report.Written, ExtractedFile{name, n})
	x.report.Bytes += n
	return nil
}

// room is how long the next file may be, and the reason against a longer one.
func (x *Extractor) room() (int64, error) {
	if left := x.limits.Bytes - x.read; left < x.limits.FileBytes {
		return max(left, 0), refuse("the limit of %d bytes for all files is reached", x.limits.Bytes)
	}
	return x.limits.FileBytes, refuse("it is over the limit of %d bytes for a file", x.limits.FileBytes)
}

// unfit tells names that the host's file system does not take from real failures.
func unfit(err error) error {
	for _, no := range []error{syscall.ENAMETOOLONG, syscall.EILSEQ, syscall.EINVAL, syscall.ENOTDIR, syscall.ELOOP} {
		if errors.Is(err, no) {
			return refuse("this file system does not take its name: %v", no)
		}
	}
	return err
}

// kindOf names a kind of entry that is not written.
func kindOf(flag byte) string {
	switch flag {
	case tar.TypeSymlink:
		return "a symbolic link"
	case tar.TypeLink:
		return "a hard link"
	case tar.TypeChar, tar.TypeBlock:
		return "a device"
	case tar.TypeFifo:
		return "a pipe"
	}
	return fmt.Sprintf("an entry of unknown kind %q", flag)
}
