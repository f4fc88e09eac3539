package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"drydock/cmd/config"
	"drydock/internal/redact"
	"drydock/runtime/llm/script"
)

// record makes the file that the model's answers go to, and puts it between the
// run and the model.
func (j *job) record(path string) error {
	if path == "" {
		return nil
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return usageError{fmt.Errorf("--record: %w", err)}
	}
	if rel, err := filepath.Rel(j.repo, abs); j.repo != "" && err == nil && filepath.IsLocal(rel) {
		return usageError{fmt.Errorf("--record: %s is inside --repo, where the agent would see it; choose another place", path)}
	}
	j.recording, err = script.Record(path, j.secrets.Clean)
	switch {
	case errors.Is(err, fs.ErrExist):
		return usageError{fmt.Errorf("--record: %s exists already; choose another file or remove it", path)}
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return usageError{fmt.Errorf("--record: %w", err)}
	case err != nil:
		return fmt.Errorf("--record: %w", err)
	}
	j.model = j.recording.Of(j.model)
	return nil
}

// endRecording closes the file of --record, and says what is not in it.
func (j *job) endRecording() error {
	if j.recording == nil {
		return nil
	}
	err := j.recording.Close()
	for _, name := range j.secrets.Replaced() {
		_, _ = fmt.Fprintf(j.streams.Err, "drydock: %s has %s in place of %s; a turn that used it plays differently\n", clean(j.flags.record), redact.Mark, name)
	}
	if errors.Is(j.failure, err) {
		return nil
	}
	return err
}

// knowSecrets collects what must not be recorded beside what the models' servers
// are asked with.
func knowSecrets(secrets *redact.Secrets, cfg config.Config) {
	for name, value := range cfg.Sandbox.Env {
		if secretName.MatchString(name) || !isSearchPath(value) {
			secrets.Add("the value of "+name, value)
		}
	}
}

// knowAddress collects the password in a server's address.
func knowAddress(secrets *redact.Secrets, address string) {
	if u, err := url.Parse(address); err == nil && u.User != nil {
		password, _ := u.User.Password()
		secrets.Add("the password in base_url", password)
	}
}

// secretName is how variables are called that hold a secret.
var secretName = regexp.MustCompile(`(?i)key|token|secret|pass|pwd|cred|auth`)

// isSearchPath tells values such as /workspace/src:/opt/lib. A model names such
// directories all the time, and they are no secret.
func isSearchPath(value string) bool {
	for _, dir := range strings.Split(value, string(os.PathListSeparator)) {
		if !filepath.IsAbs(dir) || strings.ContainsAny(dir, " \t\r\n+=?&@") {
			return false
		}
	}
	return true
}
