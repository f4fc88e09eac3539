package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/assert/cmp"

	"drydock/runtime/workspace/internal/gittest"
)

// TestTakeWorktree takes a directory that is a worktree of a repository
// elsewhere. A link that leads nowhere inside the sandbox would be worse than none.
func TestTakeWorktree(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	gittest.Init(t, top)
	gittest.Tree{"a": file("1\n"), ".gitignore": file("*.log\n")}.Write(t, top)
	gittest.Run(t, top, "add", "-A")
	gittest.Run(t, top, "commit", "-qm", "first")
	tree := filepath.Join(t.TempDir(), "tree")
	gittest.Run(t, top, "worktree", "add", "-q", tree)
	snap := take(t, tree)
	_, ok := snap.Entry(".git")
	assert.Assert(t, !ok)
	assert.Equal(t, len(snap.Warnings), 1)
	assert.Assert(t, cmp.Contains(snap.Warnings[0], `".git" was left out: its repository is outside the directory`))

	result := gittest.Tree{"a": file("2\n"), ".gitignore": file("*.log\n"), "x.log": file("x")}
	assert.DeepEqual(t, paths(diff(t, snap, holding(result))), []string{"m a"})
}

// TestTakeSubmodule takes a submodule whose link to its repository is absolute.
// Git has to work with it where it is unpacked.
func TestTakeSubmodule(t *testing.T) {
	t.Parallel()
	source, dir := t.TempDir(), t.TempDir()
	gittest.Init(t, source)
	gittest.Tree{"lib": file("1\n"), ".gitignore": file("*.log\n"), "t.log": file("1\n")}.Write(t, source)
	gittest.Run(t, source, "add", "-A", "-f")
	gittest.Run(t, source, "commit", "-qm", "first")
	gittest.Init(t, dir)
	gittest.Run(t, dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", source, "sub")
	gittest.Tree{"sub/.git": file("gitdir: " + dir + "/.git/modules/sub\n")}.Write(t, dir)
	snap := take(t, dir)
	there := extract(t, snap)
	link, err := os.ReadFile(there + "/sub/.git")
	assert.NilError(t, err)
	assert.Equal(t, string(link), "gitdir: ../.git/modules/sub\n")
	assert.Equal(t, strings.TrimSpace(string(gittest.Run(t, there+"/sub", "log", "--format=%s"))), "first")

	result := gittest.Read(t, there)
	delete(result, "sub/.git")
	result["sub/lib"], result["sub/t.log"], result["sub/new.log"] = file("2\n"), file("2\n"), file("n\n")
	assert.DeepEqual(t, paths(diff(t, snap, holding(result))), []string{"m sub/lib", "m sub/t.log"})
}

// TestTakeWithoutCredentials has what people keep in a repository's
// configuration.
func TestTakeWithoutCredentials(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gittest.Init(t, dir)
	for _, c := range [][]string{
		{"remote.origin.url", "https://user:S3CRET@example.com/x.git"},
		{"remote.ssh.url", "ssh://git:S3CRET@example.com/x.git"},
		{"url.https://S3CRET@example.com/.insteadOf", "gh:"},
		{"http.https://example.com/.extraHeader", "Authorization: Basic S3CRET"},
		{"credential.helper", "!echo password=S3CRET"},
		{"sendemail.smtpPass", "S3CRET"},
		{"core.fsmonitor", "/S3CRET/program"},
		{"core.hooksPath", "/S3CRET"},
		{"core.sshCommand", "ssh -i S3CRET"},
		{"user.name", "Somebody"},
		{"core.bare", "false"},
	} {
		gittest.Run(t, dir, "config", c[0], c[1])
	}
	f, err := os.OpenFile(dir+"/.git/config", os.O_APPEND|os.O_WRONLY, 0)
	assert.NilError(t, err)
	_, err = f.WriteString("[remote \"quoted\"]\n\turl = ht\"tps://u:S3CRET@example\".com/x\n#\tpassword = S3CRET\n")
	assert.NilError(t, err)
	assert.NilError(t, f.Close())

	there := extract(t, take(t, dir))
	config, err := os.ReadFile(there + "/.git/config")
	assert.NilError(t, err)
	assert.Assert(t, !strings.Contains(string(config), "S3CRET"), "%s", config)
	for key, want := range map[string]string{"remote.origin.url": "https://example.com/x.git", "remote.ssh.url": "ssh://git@example.com/x.git", "user.name": "Somebody"} {
		assert.Equal(t, strings.TrimSpace(string(gittest.Run(t, there, "config", key))), want)
	}
	original, err := os.ReadFile(dir + "/.git/config")
	assert.NilError(t, err)
	assert.Assert(t, strings.Contains(string(original), "S3CRET"))
}

// TestTakeUnreadableConfig leaves out what cannot be searched.
func TestTakeUnreadableConfig(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gittest.Init(t, dir)
	gittest.Tree{".git/config": file("[remote \"x\nurl = https://u:S3CRET@example.com\n")}.Write(t, dir)
	snap := take(t, dir)
	_, ok := snap.Entry(".git/config")
	assert.Assert(t, !ok)
	assert.DeepEqual(t, snap.Warnings, []string{`".git/config" was left out: it cannot be searched for credentials`})
}
