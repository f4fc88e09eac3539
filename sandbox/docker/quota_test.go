package docker

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"
	"gotest.tools/v3/assert"

	"drydock/sandbox"
)

// The bound is asked for where the storage has one, and a refusal costs one
// creation only.
func TestDiskQuotaIsUsedWhereThereIsOne(t *testing.T) {
	for name, row := range map[string]struct {
		driver, backing string
		grants          bool
		asked           []string // size in each creation of two sandboxes
	}{
		"granted":           {"overlay2", "xfs", true, []string{"1048576", "1048576"}},
		"not switched on":   {"overlay2", "xfs", false, []string{"1048576", "", ""}},
		"no such thing":     {"overlay2", "extfs", false, []string{"", ""}},
		"volumes with size": {"zfs", "", true, []string{"1048576", "1048576"}},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Api-Version", "1.41")
				switch {
				case strings.HasSuffix(r.URL.Path, "/version"):
					_ = json.NewEncoder(w).Encode(map[string]string{"Os": "linux", "Arch": "amd64"})
				case strings.HasSuffix(r.URL.Path, "/info"):
					_ = json.NewEncoder(w).Encode(map[string]any{"Driver": row.driver, "DriverStatus": [][2]string{{"Backing Filesystem", row.backing}}})
				case strings.HasSuffix(r.URL.Path, "/containers/create"):
					var body struct{ HostConfig container.HostConfig }
					_ = json.NewDecoder(r.Body).Decode(&body)
					size := body.HostConfig.StorageOpt["size"]
					asked = append(asked, size)
					if size != "" && !row.grants {
						http.Error(w, `{"message":"no quota here"}`, http.StatusInternalServerError)
						return
					}
					w.WriteHeader(http.StatusCreated)
					_ = json.NewEncoder(w).Encode(map[string]string{"Id": "c1"})
				}
			}))
			t.Cleanup(server.Close)
			useEngine(t, "tcp://"+server.Listener.Addr().String())
			engine, err := Connect(t.Context())
			assert.NilError(t, err)
			policy := sandbox.DefaultPolicy()
			policy.DiskBytes = 1 << 20
			for range 2 {
				_, err := engine.create(t.Context(), sandbox.Spec{RunID: "r", Policy: policy}, "image", "{}")
				assert.NilError(t, err)
			}
			assert.DeepEqual(t, asked, row.asked)
		})
	}
}
