package docker_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/system"
	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"drydock/sandbox"
)

const (
	document = "../../docs/security.md"
	begin    = "<!-- benchmark: written by go test ./sandbox/docker -run TestBenchmark -update -->\n"
	end      = "<!-- end of benchmark -->\n"
)

// The published table of checks is what a real container of each level gets.
func TestBenchmark(t *testing.T) {
	t.Parallel()
	engine, err := api(t).Info(t.Context())
	assert.NilError(t, err)
	var subjects []subject
	for _, level := range []sandbox.Level{sandbox.LevelStrict, sandbox.LevelStandard, sandbox.LevelRoot} {
		id := "test-benchmark-" + string(level)
		box := newBox(t, id, func(p *sandbox.Policy) { p.Level = level })
		info, err := api(t).ContainerInspect(t.Context(), "drydock-"+id)
		assert.NilError(t, err)
		subjects = append(subjects, subject{info, info.HostConfig, engine, run(t, box, "sh", "-c", "cat /proc/[0-9]*/comm 2>/dev/null; true")})
	}
	table := benchmarkTable(subjects)
	t.Logf("\n%s", table)

	raw, err := os.ReadFile(document)
	assert.NilError(t, err)
	before, rest, ok := strings.Cut(string(raw), begin)
	assert.Assert(t, ok, "%s has no line %q", document, begin)
	written, after, ok := strings.Cut(rest, end)
	assert.Assert(t, ok, "%s has no line %q", document, end)
	if golden.FlagUpdate() {
		assert.NilError(t, os.WriteFile(document, []byte(before+begin+table+end+after), 0o644))
		return
	}
	assert.Equal(t, written, table, "run go test ./sandbox/docker -run TestBenchmark -update")
}

// subject is a running container that is checked.
type subject struct {
	info      container.InspectResponse
	host      *container.HostConfig
	engine    system.Info
	processes string // names, one a line
}

func (s subject) hasOption(prefix string) bool {
	return slices.ContainsFunc(s.host.SecurityOpt, func(o string) bool { return strings.HasPrefix(o, prefix) })
}

func (s subject) engineHas(feature string) bool {
	return slices.ContainsFunc(s.engine.SecurityOptions, func(o string) bool { return strings.HasPrefix(o, "name="+feature) })
}

// mounts says whether a host path for which match holds is bound into the container.
func (s subject) mounts(match func(path string) bool) bool {
	return slices.ContainsFunc(s.info.Mounts, func(m container.MountPoint) bool { return match(m.Source) })
}

func (s subject) ports() int {
	return len(s.host.PortBindings) + len(s.info.NetworkSettings.Ports) + len(s.info.Config.ExposedPorts)
}

func benchmarkTable(subjects []subject) string {
	var b strings.Builder
	b.WriteString("| | check | strict | standard | root | |\n|---|---|---|---|---|---|\n")
	for i, check := range benchmark {
		fmt.Fprintf(&b, "| 5.%d | %s |", i+1, check.title)
		for _, s := range subjects {
			verdict := "**not passed**"
			if check.holds(s) {
				verdict = "passed"
			}
			fmt.Fprintf(&b, " %s |", verdict)
		}
		fmt.Fprintf(&b, " %s |\n", check.note)
	}
	return b.String()
}

var sensitive = []string{"/", "/boot", "/dev", "/etc", "/lib", "/proc", "/sys", "/usr"}

// benchmark holds the container runtime checks, numbered from 5.1.
var benchmark = []struct {
	title string
	holds func(s subject) bool
	note  string
}{
	{"AppArmor is not switched off", func(s subject) bool {
		return !s.hasOption("apparmor") && (!s.engineHas("apparmor") || (s.info.AppArmorProfile != "" && s.info.AppArmorProfile != "unconfined"))
	}, "the engine's own profile, where the kernel has AppArmor"},
	{"SELinux is not switched off", func(s subject) bool { return !s.hasOption("label") }, "the engine's own label, where the kernel has SELinux"},
	{
		"no capability is added", func(s subject) bool { return len(s.host.CapAdd) == 0 },
		"all are dropped, then the guest gets four to end processes and to become the tool user, and of the level root six more; programs of the model have none, and of the level root those six",
	},
	{"not privileged", func(s subject) bool { return !s.host.Privileged }, ""},
	{"no sensitive host directory is mounted", func(s subject) bool {
		return !s.mounts(func(p string) bool { return slices.Contains(sensitive, p) })
	}, "none at all but those a person names with `--mount`"},
	{"no ssh server runs", func(s subject) bool { return !strings.Contains(s.processes, "sshd") }, "the guest is the only process at the start"},
	{"no privileged port is mapped", func(s subject) bool { return s.ports() == 0 }, "no port is"},
	{"only needed ports are open", func(s subject) bool { return s.ports() == 0 }, "none is"},
	{"not the host's network", func(s subject) bool { return !s.host.NetworkMode.IsHost() }, ""},
	{"memory is limited", func(s subject) bool { return s.host.Memory > 0 && s.host.MemorySwap == s.host.Memory }, "without swap on top"},
	{"processor time is limited", func(s subject) bool { return s.host.NanoCPUs > 0 }, ""},
	{
		"the root file system is read-only", func(s subject) bool { return s.host.ReadonlyRootfs },
		"programs other than root's can write to the workspace, their home and temporary directories; `--level strict` closes the rest",
	},
	{"ports are bound to one interface", func(s subject) bool { return s.ports() == 0 }, "no port is bound"},
	{"restarts are bounded", func(s subject) bool { return s.host.RestartPolicy.IsNone() }, "it is never restarted, and removed when it ends"},
	{"not the host's processes", func(s subject) bool { return s.host.PidMode == "" }, ""},
	{"not the host's IPC", func(s subject) bool { return s.host.IpcMode.IsPrivate() }, ""},
	{"no host device", func(s subject) bool {
		return len(s.host.Devices)+len(s.host.DeviceRequests)+len(s.host.DeviceCgroupRules) == 0
	}, ""},
	{"limits per process are set where needed", func(s subject) bool { return len(s.host.Ulimits) > 0 }, "core dumps, open files, size of a file"},
	{"mounts are not propagated to the host", func(s subject) bool {
		return !slices.ContainsFunc(s.info.Mounts, func(m container.MountPoint) bool { return strings.Contains(string(m.Propagation), "shared") })
	}, ""},
	{"not the host's UTS namespace", func(s subject) bool { return s.host.UTSMode == "" }, ""},
	{"seccomp is on", func(s subject) bool {
		return s.engineHas("seccomp") && !s.engineHas("seccomp,profile=unconfined") && !s.hasOption("seccomp")
	}, "the engine's default filter"},
	{"no privileged exec", func(s subject) bool { return len(s.info.ExecIDs) == 0 }, "the engine's exec is not used"},
	{"no exec as root", func(s subject) bool { return len(s.info.ExecIDs) == 0 }, "the engine's exec is not used"},
	{"the engine's own control group", func(s subject) bool { return s.host.CgroupParent == "" && s.host.CgroupnsMode.IsPrivate() }, ""},
	{"no new privileges", func(s subject) bool { return s.hasOption("no-new-privileges") }, ""},
	{"a health check runs", func(s subject) bool {
		return s.info.Config.Healthcheck != nil && len(s.info.Config.Healthcheck.Test) > 1
	}, "an image's is switched off: it would be an exec inside; the host notices a guest that does not answer"},
	{"the newest image is used", func(subject) bool { return false }, "an image that is there is used as it is; `drydock images build` makes drydock's own anew"},
	{"processes are limited", func(s subject) bool { return s.host.PidsLimit != nil && *s.host.PidsLimit > 0 }, ""},
	{"not on the engine's default bridge", func(s subject) bool { return s.host.NetworkMode.IsNone() }, "no network; `--network full` is that bridge"},
	{"not the host's user namespace", func(s subject) bool { return s.host.UsernsMode == "" }, "that of the engine, which remaps users if it is set up to"},
	{"the engine's socket is not mounted", func(s subject) bool {
		return !s.mounts(func(p string) bool { return strings.HasSuffix(p, "docker.sock") })
	}, ""},
}
