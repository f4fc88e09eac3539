package main

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/events"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/client"
	"gotest.tools/v3/assert"

	"drydock/internal/fakellm"
)

// canaries are two secrets of a host: the model's key, and another one that
// stands in a variable, in a file beside the repository and in the user's
// configuration.
type canaries struct {
	t          *testing.T
	key, other string
	dir        string // where the files are that hold them
}

func newCanaries(t *testing.T) *canaries {
	t.Helper()
	c := &canaries{t: t, key: "sk-canary-" + rand.Text(), other: "canary-" + rand.Text(), dir: t.TempDir()}
	c.write(".env", "TOKEN="+c.other+"\n")
	c.write("key", c.key+"\n")
	c.configure(`api_key = "` + c.other + `"`)
	return c
}

func (c *canaries) write(name, text string) string {
	c.t.Helper()
	path := filepath.Join(c.dir, name)
	assert.NilError(c.t, os.MkdirAll(filepath.Dir(path), 0o700))
	assert.NilError(c.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// configure makes the user's configuration.
func (c *canaries) configure(line string) {
	c.t.Helper()
	c.write("drydock/config.toml", "[llm]\n"+line+"\n")
}

// env is the environment of a host that has secrets; TMPDIR is where the tests
// look for what is left behind.
func (c *canaries) env(dir string, more ...string) []string {
	return append([]string{"OTHER_TOKEN=" + c.other, "XDG_CONFIG_HOME=" + c.dir, "TMPDIR=" + dir, "OPENAI_MODEL=fake"}, more...)
}

// absent says that neither secret is in a text, in any usual spelling.
func (c *canaries) absent(where string, text []byte) {
	c.t.Helper()
	for _, secret := range []string{c.key, c.other} {
		for _, spelled := range spellings(secret) {
			assert.Assert(c.t, !bytes.Contains(text, []byte(spelled)), "a secret is in %s, spelled %s", where, spelled)
		}
	}
}

// spellings are a text as it is, in hexadecimal, and in base64 wherever in a
// longer text it stands.
func spellings(text string) []string {
	all := []string{text, hex.EncodeToString([]byte(text)), strings.ToUpper(hex.EncodeToString([]byte(text)))}
	for before := range 3 {
		encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + text))
		all = append(all, encoded[4:len(encoded)-4]) // without what its neighbours decide
	}
	return all
}

// absentBelow looks through all files of a directory, and their names.
func (c *canaries) absentBelow(dir string) {
	c.t.Helper()
	files := 0
	assert.NilError(c.t, filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		files++
		raw, err := os.ReadFile(name)
		c.absent(name, append(raw, name...))
		return err
	}))
	assert.Assert(c.t, files > 0)
}

// absentAround looks through what a program has left behind.
func (c *canaries) absentAround(p *process) {
	c.t.Helper()
	c.absent("stdout", []byte(p.stdout.String()))
	c.absent("stderr", []byte(p.stderr.String()))
	c.absentBelow(p.dir)
}

// absentInRequests looks through what the model is told; the key's own header is
// the one place where a secret must be.
func (c *canaries) absentInRequests(server *fakellm.Server) {
	c.t.Helper()
	server.AssertKey(c.t, c.key)
	for _, r := range server.Requests() {
		header := r.Header.Clone()
		header.Del("Authorization")
		c.absent("a request", append([]byte(fmt.Sprint(header)), r.Body...))
	}
}

// absentInArguments looks through the command lines of the host's processes.
func (c *canaries) absentInArguments() {
	c.t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	assert.NilError(c.t, err)
	for _, name := range lines {
		raw, _ := os.ReadFile(name) // of a process that has gone, nothing
		c.absent("a command line", raw)
	}
}

// absentInEngine looks through what the engine tells of a run's container, which
// is running, and of all that happened since. It gives the container's id.
func (c *canaries) absentInEngine(runID string, since time.Time) string {
	c.t.Helper()
	cli, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	assert.NilError(c.t, err)
	defer func() { _ = cli.Close() }()
	ctx := c.t.Context()
	list, err := cli.ContainerList(ctx, container.ListOptions{Filters: filters.NewArgs(filters.Arg("label", "drydock.run="+runID))})
	assert.NilError(c.t, err)
	assert.Equal(c.t, len(list), 1)
	info, raw, err := cli.ContainerInspectWithRaw(ctx, list[0].ID, true)
	assert.NilError(c.t, err)
	c.absent("inspect", raw)
	image, err := cli.ImageInspect(ctx, info.Image)
	assert.NilError(c.t, err)
	described, err := json.Marshal(image)
	assert.NilError(c.t, err)
	c.absent("inspect of the image", described)
	environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", info.State.Pid)) // closed to all but root
	c.absent("the environment of the first process", environ)

	messages, errs := cli.Events(ctx, events.ListOptions{
		Since: fmt.Sprint(since.Unix() - 1), Until: fmt.Sprint(time.Now().Unix() + 1),
	})
	seen := 0
	for done := false; !done; {
		select {
		case m := <-messages:
			text, err := json.Marshal(m)
			assert.NilError(c.t, err)
			c.absent("an event of the engine", text)
			if m.Actor.ID == list[0].ID {
				seen++
			}
		case <-errs: //nolint:errcheck // the end of the time asked for
			done = true
		}
	}
	assert.Assert(c.t, seen > 0)
	return list[0].ID
}
