package sandbox

import (
	"fmt"
	"slices"

	"drydock/sandbox/wire"
)

// Level names how far a sandbox is closed.
type Level string

// The levels there are, from the most closed one on.
const (
	// LevelStrict has a read-only root file system: what the model writes goes to
	// sized memory file systems and is gone with the process that hosts it. It
	// gives up installing anything outside the workspace, and a workspace larger
	// than half of the memory limit.
	LevelStrict Level = "strict"
	// LevelStandard has a writable root file system, of which the model's user
	// owns the workspace, its home and /tmp. It gives up a hard bound on disk use
	// where the engine's storage has no quota: the guest watches it instead.
	LevelStandard Level = "standard"
	// LevelRoot runs the model's programs as root of the container, for images
	// that need it. It gives up that the guest's files, the image's programs and
	// the guest's own limits are out of their reach: they can lose themselves
	// their sandbox. Signals, memory and descriptors of the guest stay protected,
	// and so does the host.
	LevelRoot Level = "root"
)

func (l Level) known() bool {
	return slices.Contains([]Level{LevelStrict, LevelStandard, LevelRoot}, l)
}

// Profile is all that closes a container, in one place. An engine translates
// it; nothing else decides on isolation.
type Profile struct {
	Level           Level
	Supervisor      string   // user and group of the guest
	UID, GID        int      // of everything the model runs
	Dropped         []string // capabilities taken from the container
	Supervising     []string // capabilities of the guest
	Tools           []string // capabilities of everything the model runs
	NoNewPrivileges bool
	ReadOnlyRoot    bool
	PrivateIPC      bool
	PrivateCgroup   bool
	KeepsLogs       bool // whether the engine may write the container's output to the host's disk
	Memory, Swap    int64
	CPUs            float64
	Pids            int64
	Shm             int64
	Disk            int64 // quota of the root file system, where the storage has one
	Core            int64 // bytes of a core dump
	OpenFiles       int64
	FileSize        int64
	Tmpfs           []Tmpfs // the only ones; each has a size
	Network         Network
	Runtime         string
	Mounts          []Mount
}

// Tmpfs is a memory file system of a fixed size. What is in it counts as memory.
type Tmpfs struct {
	Path     string
	Size     int64
	Mode     uint32
	UID, GID int
	Exec     bool
}

// Profile is what the policy comes to.
func (p Policy) Profile() Profile {
	uid, gid := p.toolUser()
	profile := Profile{
		Level: p.Level, Supervisor: "0:0", UID: uid, GID: gid,
		Dropped: []string{"ALL"},
		// To end processes, to become the tool user, and to give up the rest.
		Supervising:     []string{"KILL", "SETUID", "SETGID", "SETPCAP"},
		NoNewPrivileges: true, PrivateIPC: true, PrivateCgroup: true,
		Memory: p.MemoryBytes, Swap: 0, CPUs: p.CPUs, Pids: p.Pids, Shm: p.ShmBytes, Disk: p.DiskBytes,
		OpenFiles: p.OpenFiles, FileSize: p.FileBytes,
		Tmpfs:   []Tmpfs{{Path: wire.RunDir, Size: runDirBytes, Mode: 0o711}},
		Network: p.Network, Runtime: p.Runtime, Mounts: p.Mounts,
	}
	switch p.Level {
	case LevelStrict:
		profile.ReadOnlyRoot = true
		profile.Tmpfs = append(profile.Tmpfs, p.strictTmpfs()...)
	case LevelRoot:
		profile.Tools = rootCaps
		profile.Supervising = append(profile.Supervising, extraCaps(profile.Supervising)...)
	}
	return profile
}

// toolUser is the identity of everything the model runs.
func (p Policy) toolUser() (uid, gid int) {
	if p.Level == LevelRoot {
		return 0, 0
	}
	return p.UID, p.GID
}

// runDirBytes is the size of the guest's pipes and command texts.
const runDirBytes = 32 << 20

// rootCaps are what package managers and servers need that change owners and
// identities. None reaches beyond the container's own files and users.
var rootCaps = []string{"CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "SETGID", "SETUID"}

func extraCaps(have []string) []string {
	var extra []string
	for _, c := range rootCaps {
		if !slices.Contains(have, c) {
			extra = append(extra, c)
		}
	}
	return extra
}

// strictTmpfs shares out what may be written. All of it is memory, so the parts
// stay well below the limit together.
func (p Policy) strictTmpfs() []Tmpfs {
	uid, gid := p.toolUser()
	return []Tmpfs{
		{Path: p.Workdir, Size: min(p.DiskBytes, p.MemoryBytes/2), Mode: 0o755, UID: uid, GID: gid, Exec: true},
		{Path: "/tmp", Size: p.MemoryBytes / 16, Mode: 0o1777, Exec: true},
		{Path: Home, Size: p.MemoryBytes / 16, Mode: 0o755, UID: uid, GID: gid, Exec: true},
		{Path: wire.OutputDir, Size: p.MemoryBytes / 32, Mode: 0o755},
	}
}

// Home is the home directory of the tool user.
const Home = "/home/agent"

// String is the options of the mount. An owner that is root is left out, because
// Podman knows no owners and root is its default.
func (t Tmpfs) String() string {
	exec, owner := "noexec", ""
	if t.Exec {
		exec = "exec"
	}
	if t.UID != 0 || t.GID != 0 {
		owner = fmt.Sprintf(",uid=%d,gid=%d", t.UID, t.GID)
	}
	return fmt.Sprintf("rw,%s,nosuid,nodev,mode=%04o%s,size=%d", exec, t.Mode, owner, t.Size)
}
