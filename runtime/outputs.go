package runtime

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// OutputsDir is the directory in a run's that holds raw outputs.
const OutputsDir = "outputs"

// maxOutputs bounds what Outputs writes in a run, in bytes.
const maxOutputs = 64 << 20

// Outputs keeps what calls printed, byte by byte, in files of the run's
// directory. It is not safe for concurrent use.
type Outputs struct {
	dir   RunDir
	left  int64
	count int
}

// NewOutputs keeps outputs in a run's directory.
func NewOutputs(dir RunDir) *Outputs { return &Outputs{dir: dir, left: maxOutputs} }

// Keep writes the start and the end of an output, of which the end may be
// empty. Beyond 64 MiB in all it keeps nothing more and returns nil.
func (o *Outputs) Keep(head, tail []byte) (*RawOutput, error) {
	size := int64(len(head) + len(tail))
	if size > o.left {
		return nil, nil
	}
	o.left -= size
	o.count++
	if err := os.MkdirAll(o.dir.File(OutputsDir), 0o700); err != nil {
		return nil, fmt.Errorf("keep raw output: %w", err)
	}
	name := filepath.Join(OutputsDir, fmt.Sprintf("%04d", o.count))
	if err := os.WriteFile(o.dir.File(name), slices.Concat(head, tail), 0o600); err != nil {
		return nil, fmt.Errorf("keep raw output: %w", err)
	}
	return &RawOutput{File: name, Head: len(head), Tail: len(tail)}, nil
}
