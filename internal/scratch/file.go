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
	f, err := os.CreateTemp(dir, prefix+"file-")
	if err != nil {
		return nil, fmt.Errorf("make a temporary file: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil && !os.IsNotExist(err) {
		_ = f.Close()
		return nil, fmt.Errorf("make a temporary file: %w", err)
	}
	return f, nil
}
