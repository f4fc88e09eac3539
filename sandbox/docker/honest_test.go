package docker_test

import (
	"errors"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/sandbox"
	"drydock/sandbox/wire"
)

// A guest stays honest whatever the programs it looks after do: nothing that
// they choose makes it give an answer which the host takes for a lie.
func TestGuestStaysHonest(t *testing.T) {
	box := newBox(t, "drydock-honest", func(*sandbox.Policy) {})
	ctx := t.Context()
	honest := func(t *testing.T, err error) {
		t.Helper()
		var call *sandbox.CallError
		assert.Assert(t, err == nil || errors.As(err, &call), "%v", err)
	}
	for name, code := range map[string]string{
		"figures that are none": `"x" * 10`, "too many figures": `[PNG] * 100`, "a large figure": `[base64.b64encode(base64.b64decode(PNG) + bytes(5 << 20)).decode()]`, "figures": `[PNG] * 3`,
	} {
		t.Run(name, func(t *testing.T) {
			res, err := box.Python(ctx, `import os, json, struct, base64
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
raw = json.dumps({"mark": os.environ["DRYDOCK_CALL"], "code": 70000, "images": list(`+code+`)}).encode()
raw = struct.pack(">I", len(raw)) + raw
while raw: raw = raw[os.write(4, raw):]
`, 0, false)
			honest(t, err)
			assert.Assert(t, len(res.Images) <= wire.MaxImages)
			_, err = box.Python(ctx, "1", 0, true)
			assert.NilError(t, err)
		})
	}
	for name, command := range map[string]string{
		"command lines":      `for i in $(seq 40); do python3 -c 'import os; os.execv("/bin/sleep", [b"\xff\x01\n" * 100, b"300"])' & done; sleep 0.5`,
		"a forged directory": `printf 'relative\0\377' >/.drydock/output/.exit-dir; trap - EXIT; exit 300`,
		"a long directory":   `head -c 5000 /dev/zero | tr '\0' '/' >/.drydock/output/.exit-dir; trap - EXIT; exit 3`,
		"an odd directory":   `d=$(printf 'a\n\377\033[2Jb'); mkdir -p "$d" && cd "$d"`,
		"a deep directory":   `for i in $(seq 40); do mkdir $(printf 'd%.0s' $(seq 200)) && cd d*; done`,
		"a gone directory":   `cd; mkdir gone; cd gone; rmdir ../gone`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := box.Shell(ctx, command, 0, false)
			honest(t, err)
			_, err = box.Shell(ctx, "pkill sleep; cd /workspace", 0, false)
			honest(t, err)
		})
	}
	t.Run("paths", func(t *testing.T) {
		for _, path := range []string{"/" + strings.Repeat("\xff\n", 2000), "/workspace/" + strings.Repeat("\x01", 300), "/workspace/\x00", "relative", "/" + strings.Repeat("a/", 5000), "/proc/1/environ", "/workspace"} {
			_, _, err := box.ReadFile(ctx, path, 10)
			honest(t, err)
			assert.Assert(t, err != nil)
			_, err = box.WriteFile(ctx, path, []byte("x"), wire.WriteOptions{})
			honest(t, err)
			_, err = box.List(ctx, path, 2, 10)
			honest(t, err)
		}
	})
	t.Run("trees", func(t *testing.T) {
		res, err := box.Python(ctx, `import os
os.makedirs("/dev/shm/tree"); os.chdir("/dev/shm/tree")
for i in range(60):  # deeper than a path can say
    os.mkdir(b"\xff\x01\n" + b"d" * 200); os.chdir(b"\xff\x01\n" + b"d" * 200)
os.chdir("/dev/shm/tree")
os.symlink(b"\xff" * 4000, "long"); os.symlink("x", b"\x01" * 255); os.mkfifo("pipe")
os.makedirs("many")
for i in range(12000): open("many/%05d" % i + "n" * 200, "w").close()
open("locked", "w").close(); os.chmod("locked", 0o4000)
`, 0, true)
		assert.NilError(t, err)
		assert.Equal(t, res.Status, wire.StatusOK, "%s", res.Head)
		seen := 0
		assert.NilError(t, box.Walk(ctx, "/dev/shm/tree", func(wire.WalkEntry) error { seen++; return nil }))
		assert.Assert(t, seen > 12000, "%d", seen)
		listing, err := box.List(ctx, "/dev/shm/tree", 60, 20000)
		assert.NilError(t, err)
		assert.Assert(t, listing.Truncated && len(listing.Entries) <= wire.MaxListing)
		for _, path := range []string{"/proc", "/proc/self", "/dev", "/sys/kernel"} {
			_, err := box.List(ctx, path, 3, 10000)
			honest(t, err)
		}
		honest(t, box.Walk(ctx, "/dev", func(wire.WalkEntry) error { return nil }))
	})
}
