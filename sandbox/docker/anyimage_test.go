package docker_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/volume"
	"gotest.tools/v3/assert"

	"drydock/sandbox"
	"drydock/sandbox/docker"
	"drydock/sandbox/wire"
)

// Every image serves, whatever it lacks and whatever it wants to run itself.
func TestImages(t *testing.T) {
	t.Parallel()
	dash := sharedFiles(t, "/bin/dash", "/usr/bin/cat", "/usr/bin/sleep", "/usr/bin/id")
	for _, row := range []struct {
		name    string
		files   map[string][]byte
		changes []string
		check   func(*testing.T, *sandbox.Sandbox)
	}{
		{name: "nothing", check: noShell},
		{name: "only-sh", files: dash, changes: []string{"ENV GREETING=hi"}, check: onlySh},
		{name: "own-ways", files: dash, check: ownWays, changes: []string{
			`ENTRYPOINT ["/bin/false"]`, `CMD ["whatever"]`, "USER 4242:4242", "WORKDIR /elsewhere",
			"HEALTHCHECK --interval=1s CMD exit 1", "VOLUME /data", "ENV PATH=/bin:/usr/bin",
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			engine, ref := connect(t), "drydock-test/"+row.name+":latest"
			assert.NilError(t, engine.ImportImage(t.Context(), docker.ImageImport{Ref: ref, Rootfs: rootfs(t, row.files), Changes: row.changes}))
			t.Cleanup(func() {
				_, err := api(t).ImageRemove(context.Background(), ref, image.RemoveOptions{Force: true})
				assert.NilError(t, err)
				dropFurnished(t, ref)
			})
			box := newBox(t, "test-image-"+row.name, func(p *sandbox.Policy) { p.Image = ref })
			row.check(t, box)
			assert.NilError(t, box.Close(t.Context()))
		})
	}
}

func noShell(t *testing.T, box *sandbox.Sandbox) {
	hello := box.Hello()
	assert.Equal(t, hello.Shell+hello.Python+hello.Git, "")
	_, err := box.Shell(t.Context(), "true", 0, false)
	assertCall(t, err, wire.CodeMissing, "neither bash nor sh")
	_, err = box.Python(t.Context(), "1", 0, false)
	assertCall(t, err, wire.CodeMissing, "no python3")
	_, err = box.WriteFile(t.Context(), "/workspace/x", []byte("works"), wire.WriteOptions{})
	assert.NilError(t, err)
	data, _, err := box.ReadFile(t.Context(), "/workspace/x", 100)
	assert.NilError(t, err)
	assert.Equal(t, string(data), "works")
}

func onlySh(t *testing.T, box *sandbox.Sandbox) {
	assert.Equal(t, box.Hello().ShellIs, "sh")
	assert.Equal(t, box.Hello().Python, "")
	for _, row := range []struct{ command, want string }{
		{`x=1; cd /tmp; echo "$GREETING"`, "hi\n"},
		{`echo "$x"; pwd`, "1\n/tmp\n"},
		{"id -u", "1000\n"},
		{"exit 3", ""},
		{`echo "again [$x]"; pwd`, "again []\n/tmp\n"},
		{"set -x", ""},
		{"set +x; echo quiet", "+ set +x\nquiet\n"},
		{"sleep 1000", ""},
		{"echo after", "after\n"},
		{"cat /etc/shadow 2>/dev/null; echo $?", "1\n"},
		{"if ; then", ""},
		{"echo well", "well\n"},
	} {
		res, err := box.Shell(t.Context(), row.command, 3e9, false)
		assert.NilError(t, err)
		assert.Assert(t, row.want == "" || string(res.Head) == row.want, "%s: %+v %q", row.command, res.Status, res.Head)
		assert.Assert(t, row.command != "exit 3" || res.ExitCode == 3)
		assert.Assert(t, row.command != "sleep 1000" || res.Status == wire.StatusTimeout, "%s", res.Status)
	}
}

// ownWays: the image's own process, user, health check and directory are not
// followed, and its volume goes with the container.
func ownWays(t *testing.T, box *sandbox.Sandbox) {
	res, err := box.Shell(t.Context(), "id -u; pwd; echo x >/tmp/x && cat /tmp/x", 0, false)
	assert.NilError(t, err)
	assert.Equal(t, string(res.Head), "1000\n/workspace\nx\n")

	cli := api(t)
	info, err := cli.ContainerInspect(t.Context(), "drydock-"+box.ID())
	assert.NilError(t, err)
	assert.Assert(t, info.State.Health == nil || info.State.Health.Status == "none", "%+v", info.State.Health)
	assert.Equal(t, len(info.Mounts), 1)
	name := info.Mounts[0].Name
	assert.NilError(t, box.Close(t.Context()))
	list, err := cli.VolumeList(t.Context(), volume.ListOptions{})
	assert.NilError(t, err)
	for _, v := range list.Volumes {
		assert.Assert(t, v.Name != name, "the volume is left")
	}
}

func assertCall(t *testing.T, err error, code, want string) {
	t.Helper()
	var call *sandbox.CallError
	assert.Assert(t, errors.As(err, &call), "%v", err)
	assert.Equal(t, call.Code, code)
	assert.ErrorContains(t, err, want)
}

// sharedFiles takes programs with the libraries they need out of a sandbox of
// the usual image.
func sharedFiles(t *testing.T, programs ...string) map[string][]byte {
	t.Helper()
	box := newBox(t, "test-image-source-"+t.Name(), nil)
	res, err := box.Exec(t.Context(), wire.ExecRequest{Argv: append([]string{"ldd"}, programs...)})
	assert.NilError(t, err)
	paths := programs
	for _, word := range strings.Fields(string(res.Head)) {
		if strings.HasPrefix(word, "/") && !strings.HasSuffix(word, ":") {
			paths = append(paths, word)
		}
	}
	files := map[string][]byte{}
	for _, path := range paths {
		data, _, err := box.ReadFile(t.Context(), path, wire.MaxFile)
		assert.NilError(t, err)
		files[path] = data
	}
	files["/bin/sh"] = files["/bin/dash"]
	return files
}

func rootfs(t *testing.T, files map[string][]byte) io.Reader {
	t.Helper()
	var buf bytes.Buffer
	tw := tar.NewWriter(&buf)
	assert.NilError(t, tw.WriteHeader(&tar.Header{Name: "placeholder", Mode: 0o644}))
	for path, data := range files {
		assert.NilError(t, tw.WriteHeader(&tar.Header{Name: strings.TrimPrefix(path, "/"), Mode: 0o755, Size: int64(len(data))}))
		_, err := tw.Write(data)
		assert.NilError(t, err)
	}
	assert.NilError(t, tw.Close())
	return &buf
}

// dropFurnished removes the images with the guest that were made above one.
func dropFurnished(t *testing.T, base string) {
	t.Helper()
	for _, img := range furnished(t, base) {
		_, err := api(t).ImageRemove(context.Background(), img.ID, image.RemoveOptions{Force: true})
		assert.NilError(t, err)
	}
}
