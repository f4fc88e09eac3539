package docker

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// Labels that say which process a container belongs to.
const (
	labelHost   = "drydock.owner-host"
	labelBoot   = "drydock.owner-boot"
	labelSpaces = "drydock.owner-namespaces"
	labelPID    = "drydock.owner-pid"
	labelStart  = "drydock.owner-start"
)

// owner is a process, told apart from every other one there ever was. A part
// that cannot be known is empty, and then nothing is concluded from it.
type owner struct {
	host   string // the machine, hashed
	boot   string // this boot of its kernel
	spaces string // what process ids and start times count in
	pid    int
	start  uint64 // clock ticks from the boot to the start
}

// thisProcess is the owner of what this process makes.
var thisProcess = sync.OnceValue(func() owner {
	self := owner{boot: firstLine("/proc/sys/kernel/random/boot_id"), spaces: namespaces(), pid: os.Getpid()}
	self.host = machine(self.spaces)
	if p, err := lookUp(self.pid); err == nil {
		self.start = p.start
	}
	return self
})

func (o owner) labels() map[string]string {
	return map[string]string{
		labelHost: o.host, labelBoot: o.boot, labelSpaces: o.spaces,
		labelPID: strconv.Itoa(o.pid), labelStart: strconv.FormatUint(o.start, 10),
	}
}

// labelledOwner reads the labels. It is false for any that this package did not
// write, as far as that can be seen.
func labelledOwner(labels map[string]string) (owner, bool) {
	o := owner{host: labels[labelHost], boot: labels[labelBoot], spaces: labels[labelSpaces]}
	pid, err := strconv.ParseInt(labels[labelPID], 10, 32)
	if err != nil || pid < 1 {
		return owner{}, false
	}
	o.pid = int(pid)
	o.start, err = strconv.ParseUint(labels[labelStart], 10, 64)
	return o, err == nil && o.start > 0 && o.boot != "" && o.spaces != ""
}

// life says whether an owner still is.
type life int

const (
	lifeUnknown life = iota
	lifeGoing
	lifeOver
)

// judge says whether the owner in the labels still is, as seen from this
// process, and why. Where there is a doubt it is unknown: a container that is
// removed from under its owner cannot be brought back.
func (o owner) judge(labels map[string]string) (life, string) {
	other, ok := labelledOwner(labels)
	switch {
	case !ok:
		return lifeUnknown, "its labels do not say whose it is"
	case o.boot == "":
		return lifeUnknown, "this system does not tell one boot from another"
	case other.boot == o.boot && other.spaces == o.spaces:
		return other.look()
	case other.boot == o.boot:
		return lifeUnknown, "its owner is in another process namespace, such as that of a container"
	case o.host != "" && other.host == o.host:
		return lifeOver, "its owner ended with an earlier boot of this machine"
	}
	return lifeUnknown, "its owner is on another machine"
}

// look looks for a process in the namespaces of this one. A process that is
// there and cannot be looked at, as another user's may be, might be the owner.
func (o owner) look() (life, string) {
	over := fmt.Sprintf("its owner, process %d, is gone", o.pid)
	found, err := lookUp(o.pid)
	switch {
	case errors.Is(syscall.Kill(o.pid, 0), syscall.ESRCH):
		return lifeOver, over
	case err != nil:
		return lifeUnknown, fmt.Sprintf("process %d may be its owner and cannot be looked at", o.pid)
	case found.start != o.start || found.ended:
		return lifeOver, over
	}
	return lifeGoing, fmt.Sprintf("its owner is process %d", o.pid)
}

// process is what the kernel says of one.
type process struct {
	start uint64
	ended bool // only its parent has not been told yet
}

func lookUp(pid int) (process, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, err
	}
	// The name, second and in brackets, may hold anything, brackets included.
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	const state, start = 0, 19 // proc(5) counts from 1 and the two that were cut off
	if len(fields) <= start {
		return process{}, fmt.Errorf("read the state of process %d: %q", pid, raw)
	}
	ticks, err := strconv.ParseUint(fields[start], 10, 64)
	return process{ticks, strings.Contains("ZX", fields[state])}, err
}

// namespaces names those that process ids and start times count in. The kernel
// gives a number again only when the namespace that had it is gone, and with it
// all its processes.
func namespaces() string {
	pid, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	clock, _ := os.Readlink("/proc/self/ns/time") // older kernels have but one
	return strings.TrimSpace(pid + " " + clock)
}

// machine stands for the machine across its boots, without giving away the id.
// Containers have none: many share the id that is in their image.
func machine(spaces string) string {
	const initial = "pid:[4026531836]" // the first namespace has this number on every kernel
	id := firstLine("/etc/machine-id")
	name, err := os.Hostname()
	if id == "" || err != nil || !strings.HasPrefix(spaces, initial) {
		return ""
	}
	sum := sha256.Sum256([]byte("drydock owner\n" + id + "\n" + name))
	return hex.EncodeToString(sum[:12])
}

func firstLine(path string) string {
	raw, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(raw), "\n")
	return strings.TrimSpace(line)
}
