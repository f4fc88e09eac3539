package docker

import (
	"archive/tar"
	"bytes"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"
	units "github.com/docker/go-units"

	"drydock/sandbox"
	"drydock/sandbox/wire"
)

// containerConfig is the process side of the profile. The image's entrypoint,
// user and health check are overridden: the guest is the first process, as root
// with hardly a capability, and nothing else runs.
func containerConfig(spec sandbox.Spec, image, setup string) *container.Config {
	return &container.Config{
		Image:        image,
		User:         spec.Policy.Profile().Supervisor,
		Entrypoint:   []string{wire.GuestPath},
		Cmd:          []string{"init", setup},
		WorkingDir:   "/",
		Hostname:     "sandbox",
		Healthcheck:  &container.HealthConfig{Test: []string{"NONE"}},
		Labels:       labels(spec.RunID),
		AttachStdin:  true,
		AttachStdout: true,
		AttachStderr: true,
		OpenStdin:    true,
		StdinOnce:    true, // the guest sees EOF when this process is gone, however it went
	}
}

// hostConfig translates the profile. It decides nothing.
func hostConfig(p sandbox.Profile) *container.HostConfig {
	host := &container.HostConfig{
		AutoRemove:     true,
		NetworkMode:    "none",
		Runtime:        p.Runtime,
		CapDrop:        p.Dropped,
		CapAdd:         p.Supervising,
		ReadonlyRootfs: p.ReadOnlyRoot,
		ShmSize:        p.Shm,
		Tmpfs:          map[string]string{},
		Mounts:         mounts(p.Mounts),
		Resources: container.Resources{
			Memory: p.Memory, MemorySwap: p.Memory + p.Swap,
			NanoCPUs:  int64(p.CPUs * 1e9),
			PidsLimit: &p.Pids,
			Ulimits: []*units.Ulimit{
				{Name: "core", Soft: p.Core, Hard: p.Core},
				{Name: "nofile", Soft: p.OpenFiles, Hard: p.OpenFiles},
				{Name: "fsize", Soft: p.FileSize, Hard: p.FileSize},
			},
		},
	}
	if p.Network == sandbox.NetworkFull {
		host.NetworkMode = "bridge"
	}
	if p.PrivateIPC {
		host.IpcMode = "private"
	}
	if p.PrivateCgroup {
		host.CgroupnsMode = "private"
	}
	if p.NoNewPrivileges {
		host.SecurityOpt = []string{"no-new-privileges"}
	}
	if !p.KeepsLogs { // any driver would write the whole protocol to the host's disk
		host.LogConfig = container.LogConfig{Type: "none"}
	}
	for _, t := range p.Tmpfs { // unsized ones would be charged to the memory limit without a bound
		host.Tmpfs[t.Path] = t.String()
	}
	if sandbox.SentryRuntime(p.Runtime) {
		leaveRoom(host, p)
	}
	return host
}

func mounts(list []sandbox.Mount) []mount.Mount {
	var out []mount.Mount
	for _, m := range list {
		out = append(out, mount.Mount{Type: mount.TypeBind, Source: m.Source, Target: m.Target, ReadOnly: !m.Writable})
	}
	return out
}

// Labels by which drydock knows its containers.
const (
	labelApp     = "drydock"
	labelRun     = "drydock.run"
	labelCreated = "drydock.created"
)

// appSandbox is the label of a container of a run.
const appSandbox = "sandbox"

func labels(runID string) map[string]string {
	all := thisProcess().labels()
	all[labelApp], all[labelRun] = appSandbox, runID
	all[labelCreated] = time.Now().UTC().Format(time.RFC3339)
	return all
}

func containerName(runID string) string { return "drydock-" + runID }

// furnishedDir is a directory that must be there before the start.
type furnishedDir struct {
	path     string
	mode     int64
	uid, gid int
}

func furnishedDirs(spec sandbox.Spec) []furnishedDir {
	p := spec.Policy.Profile()
	var all []furnishedDir
	for _, d := range []furnishedDir{
		{wire.Dir, 0o711, 0, 0},
		{wire.RunDir, 0o711, 0, 0},
		{wire.OutputDir, 0o755, 0, 0},
		{"/tmp", 0o1777, 0, 0},
		{spec.Setup.Home, 0o755, p.UID, p.GID},
		{spec.Policy.Workdir, 0o755, p.UID, p.GID},
	} {
		all = append(append(all, parentsOf(d.path)...), d)
	}
	return all
}

// parentsOf names the directories above one, since an engine that unpacks a
// layer makes those that are missing for root alone. The guest's are its own.
func parentsOf(dir string) []furnishedDir {
	parent := path.Dir(dir)
	if parent == "/" || parent == wire.Dir {
		return nil
	}
	return append(parentsOf(parent), furnishedDir{path: parent, mode: 0o755})
}

// furniture is the archive with what must be there before the start: the guest,
// its directories, and the places the tool user may write to.
func furniture(spec sandbox.Spec, guest []byte) (*bytes.Buffer, error) {
	var buf bytes.Buffer
	buf.Grow(len(guest) + 16<<10)
	tw := tar.NewWriter(&buf)
	for _, dir := range furnishedDirs(spec) {
		hdr := &tar.Header{Typeflag: tar.TypeDir, Name: relative(dir.path) + "/", Mode: dir.mode, Uid: dir.uid, Gid: dir.gid}
		if err := tw.WriteHeader(hdr); err != nil {
			return nil, fmt.Errorf("%s: %w", dir.path, err)
		}
	}
	hdr := &tar.Header{Typeflag: tar.TypeReg, Name: relative(wire.GuestPath), Mode: 0o755, Size: int64(len(guest))}
	if err := tw.WriteHeader(hdr); err != nil {
		return nil, err
	}
	if _, err := tw.Write(guest); err != nil {
		return nil, err
	}
	return &buf, tw.Close()
}

func relative(p string) string { return strings.TrimPrefix(path.Clean(p), "/") }
