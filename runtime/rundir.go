package runtime

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"drydock/internal/scratch"
)

// Names inside a run's directory.
const (
	EventsFile = "events.jsonl" // the truth: everything that happened, in order
	RunFile    = "run.json"     // what was asked for and how it ended
	PatchFile  = "patch.diff"
	AnswerFile = "answer.md"
	// ArtifactsDir holds what was copied out of the sandbox on request.
	ArtifactsDir = "artifacts"
	// SocketFile is there while the run goes on: the way into its sandbox.
	SocketFile = "shell.sock"
)

// RunDir is the directory of one run.
type RunDir struct {
	ID   string
	Path string
}

// NewRunID makes an id that sorts by time: the UTC second and a random part.
func NewRunID(now time.Time) string {
	return now.UTC().Format("20060102-150405") + "-" + strings.ToLower(rand.Text()[:6])
}

// CreateRunDir makes the directory of a new run below root, or at path when
// that is not empty. A path that holds a run already is refused.
func CreateRunDir(root, path, id string) (RunDir, error) {
	if path == "" {
		path = filepath.Join(root, id)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return RunDir{}, fmt.Errorf("make run directory: %w", err)
	}
	if _, err := os.Stat(filepath.Join(path, EventsFile)); err == nil {
		return RunDir{}, fmt.Errorf("make run directory: %s holds a run already", path)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return RunDir{}, fmt.Errorf("make run directory: %w", err)
	}
	return RunDir{ID: id, Path: path}, nil
}

// ErrNoRun means that no run has the id asked for.
var ErrNoRun = errors.New("no such run")

// FindRunDir finds a run by its id, a unique prefix of it, or the path of its
// directory.
func FindRunDir(root, name string) (RunDir, error) {
	if strings.ContainsRune(name, filepath.Separator) {
		_, err := os.Stat(filepath.Join(name, EventsFile))
		if errors.Is(err, os.ErrPermission) {
			return RunDir{}, fmt.Errorf("open run: %w", err)
		}
		if err != nil {
			return RunDir{}, fmt.Errorf("%s: %w", name, ErrNoRun)
		}
		path, err := filepath.Abs(name)
		return RunDir{ID: filepath.Base(path), Path: path}, err
	}
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return RunDir{}, fmt.Errorf("list runs: %w", err)
	}
	var found []string
	for _, e := range entries {
		if e.Name() == name {
			return RunDir{ID: name, Path: filepath.Join(root, name)}, nil
		}
		if name != "" && strings.HasPrefix(e.Name(), name) {
			found = append(found, e.Name())
		}
	}
	switch len(found) {
	case 0:
		return RunDir{}, fmt.Errorf("%s: %w (looked in %s)", name, ErrNoRun, root)
	case 1:
		return RunDir{ID: found[0], Path: filepath.Join(root, found[0])}, nil
	}
	sort.Strings(found)
	return RunDir{}, fmt.Errorf("%s stands for %d runs: %s", name, len(found), strings.Join(found, ", "))
}

// File is the path of a file in the directory.
func (d RunDir) File(name string) string { return filepath.Join(d.Path, name) }

// Record is run.json.
type Record struct {
	Version  int       `json:"v"`
	ID       string    `json:"id"`
	Task     string    `json:"task"`
	Agent    string    `json:"agent"`
	Model    string    `json:"model"`
	Image    string    `json:"image"`
	Repo     string    `json:"repo,omitempty"` // absolute, the tree the patch is for
	Started  time.Time `json:"started"`
	Ended    time.Time `json:"ended"`
	Reason   Reason    `json:"reason"`
	ExitCode int       `json:"exit_code"`
}

// WriteRecord writes run.json in one step.
func (d RunDir) WriteRecord(r Record) error {
	r.Version = SchemaVersion
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", RunFile, err)
	}
	return d.WriteFile(RunFile, append(raw, '\n'))
}

// ReadRecord reads run.json.
func (d RunDir) ReadRecord() (Record, error) {
	var r Record
	raw, err := os.ReadFile(d.File(RunFile))
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	if err != nil {
		return Record{}, fmt.Errorf("read run %s: %w", d.ID, err)
	}
	return r, nil
}

// WriteFile writes a file of the run beside its name and renames, so that a
// crash leaves the old one or the new one.
func (d RunDir) WriteFile(name string, data []byte) error {
	tmp, err := scratch.Named(d.Path)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer os.Remove(tmp.Name()) // fails harmlessly once renamed
	_, err = tmp.Write(data)
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), d.File(name))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
