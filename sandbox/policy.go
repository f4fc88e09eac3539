package sandbox

import (
	"errors"
	"fmt"
	"path"
	"time"
)

// Policy says what a sandbox is made of and what it may use. The zero value of
// a field means its default (see DefaultPolicy).
type Policy struct {
	Image       string            // reference of the image
	Level       Level             // how far the sandbox is closed
	MemoryBytes int64             // limit of RAM; there is no swap on top
	CPUs        float64           // share of processors, for example 1.5
	Pids        int64             // processes and threads at a time
	ShmBytes    int64             // size of /dev/shm, counted as memory
	FileBytes   int64             // size of the largest file a program may write
	OpenFiles   int64             // descriptors per process
	DiskBytes   int64             // all that the run may have on disk at a time
	Timeout     time.Duration     // of a call that asks for none
	MaxTimeout  time.Duration     // that no call can exceed
	Network     Network           // what the network reaches
	UID, GID    int               // identity of what the model runs; LevelRoot has its own
	Runtime     string            // the engine's runtime, "" for its default
	Workdir     string            // where the workspace is and calls start
	Env         map[string]string // added to the image's environment
	Mounts      []Mount           // host directories, only those the user named
	HeadBytes   int               // output kept from a call's start
	TailBytes   int               // and from its end
	OutputBytes int64             // output after which a call is ended
	LogBytes    int64             // full output kept inside the sandbox, per call
	OutBytes    int64             // of artifacts copied out, all together
	OutFiles    int               // number of artifacts copied out
	OnLoss      OnLoss            // what becomes of a run whose sandbox was lost
}

// OnLoss says what becomes of a run whose sandbox was lost.
type OnLoss string

// What can be done about a lost sandbox.
const (
	LossFails    OnLoss = "fail"    // the run ends
	LossReplaces OnLoss = "replace" // once, with the workspace as it was at the start
)

// Network names what a sandbox can reach.
type Network string

// The networks there are.
const (
	NetworkNone Network = "none" // nothing but its own loopback
	NetworkFull Network = "full" // whatever the engine's bridge network reaches
)

// Mount binds a host directory into the sandbox.
type Mount struct {
	Source   string
	Target   string
	Writable bool
}

// DefaultPolicy is the policy of a run that configures nothing.
func DefaultPolicy() Policy {
	return Policy{
		Image: "drydock/base:latest", Level: LevelStandard, MemoryBytes: 2 << 30, CPUs: 2, Pids: 512,
		ShmBytes: 64 << 20, FileBytes: 4 << 30, OpenFiles: 4096, DiskBytes: 8 << 30,
		Timeout: 2 * time.Minute, MaxTimeout: 10 * time.Minute,
		Network: NetworkNone, UID: 1000, GID: 1000, Workdir: "/workspace",
		HeadBytes: 16 << 10, TailBytes: 16 << 10, OutputBytes: 10 << 20, LogBytes: 10 << 20,
		OutBytes: 256 << 20, OutFiles: 1000, OnLoss: LossFails,
	}
}

// Smallest values that a sandbox works with.
const (
	minMemory = 64 << 20
	minPids   = 32
	minDisk   = 16 << 20
)

// Validate says what is wrong with a policy, all of it.
func (p Policy) Validate() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	check(p.Image != "", "no image given")
	check(p.MemoryBytes >= minMemory, "memory is %d bytes; at least 64 MiB are needed", p.MemoryBytes)
	check(p.CPUs > 0, "cpus is %g; it must be more than 0", p.CPUs)
	check(p.Pids >= minPids, "pids is %d; at least %d are needed", p.Pids, minPids)
	check(p.Timeout > 0, "timeout is %s; it must be more than 0", p.Timeout)
	check(p.MaxTimeout >= p.Timeout, "max_timeout %s is less than timeout %s", p.MaxTimeout, p.Timeout)
	check(p.Network == NetworkNone || p.Network == NetworkFull, "network is %q; it must be none or full", p.Network)
	check(p.DiskBytes >= minDisk, "disk is %d bytes; at least 16 MiB are needed", p.DiskBytes)
	check(p.Level.known(), "level is %q; it must be strict, standard or root", p.Level)
	check(p.OnLoss == LossFails || p.OnLoss == LossReplaces, "on_loss is %q; it must be fail or replace", p.OnLoss)
	check(p.UID > 0 && p.GID > 0, "user is %d:%d; for root, choose the level root", p.UID, p.GID)
	check(path.IsAbs(p.Workdir), "workdir %q is not an absolute path", p.Workdir)
	for _, m := range p.Mounts {
		check(path.IsAbs(m.Target), "mount target %q is not an absolute path", m.Target)
		check(path.IsAbs(m.Source), "mount source %q is not an absolute path", m.Source)
	}
	return errors.Join(errs...)
}
