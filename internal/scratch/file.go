package scratch

import (
	"fmt"
	"os"
)

// File opens an empty file without a name on the file system of dir, for its
// user only; an empty dir stands for the one of temporary files. It is gone when
// it is closed, and when the process ends.
func File(dir string) (*os.File, error) {
	if dir == "" {
		dir = os.TempDir()
	}
	if f := openUnnamed(dir); f != nil {
		return f, nil
	}
	// Some file systems know no files without a name. A kill between the next two
	// lines leaves one that a sweep finds.
	f, err := Named(dir)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil && !os.IsNotExist(err) {
		_ = f.Close()
		return nil, fmt.Errorf("make a temporary file: %w", err)
	}
	return f, nil
}

// Named opens a new file with a name in dir, for its user only. It is meant to
// be given its own name soon. A sweep removes it even when it is in use, so it
// belongs where others can tell that, as in the directory of a run.
func Named(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, prefix+"file-")
	if err != nil {
		return nil, fmt.Errorf("make a temporary file: %w", err)
	}
	return f, nil
}
