package sandboxtest

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/sandbox/wire"
)

// harvest is what happens when a run is over: everything is ended, and what is
// in the workspace is looked at, whatever was done to hide it or to make the
// looking slow.
func harvest(t *testing.T, s suite) {
	box := s.box(t)
	say(t, box, `cd /workspace; mkdir locked; echo x > locked/file; echo y > unreadable; truncate -s 4G sparse
(while :; do date >> /workspace/busy; done) & setsid sleep 4321 & sleep 0.2
chmod 000 unreadable locked; chmod 000 /workspace`)
	assert.NilError(t, box.Quiesce(t.Context()))
	seen := map[string]wire.WalkEntry{}
	err := box.Walk(t.Context(), "/workspace", func(e wire.WalkEntry) error {
		seen[string(e.Path)] = e
		return nil
	})
	assert.NilError(t, err)
	for _, name := range []string{"locked/file", "unreadable", "busy"} {
		assert.Equal(t, seen[name].Err, "", name)
		assert.Equal(t, len(seen[name].Sum), 32, name)
	}
	assert.Equal(t, seen["unreadable"].Mode, uint32(0), "the mode is that before the look")
	assert.Equal(t, seen["sparse"].Size, int64(4<<30))
	assert.Equal(t, len(seen["sparse"].Sum), 0, "too large to be worth reading")
	assert.Assert(t, !strings.Contains(processes(t, box), "sleep 4321"))
	alive(t, box)
}
