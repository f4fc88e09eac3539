package guest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"drydock/sandbox/wire"
)

// Guest is the supervisor.
type Guest struct {
	setup    wire.Setup
	found    wire.Hello
	env      []string // of everything that runs as the tool user
	reaper   *reaper
	user     *userThread
	counters counters
	logs     *logDir
	late     late
	earlier  earlier
	shell    *shell
	python   *python
	worker   *worker
	terms    *terminals
	calls    atomic.Int64
	active   active
	disk     *disk // nil where nothing needs to be watched
}

// stdio is the attached stream: what the engine connects to the host.
type stdio struct {
	io.Reader
	io.Writer
}

func (stdio) Close() error { return nil }

// Init runs as PID 1 until the host lets go of the stream, and then ends
// everything. The setup is JSON of wire.Setup.
func Init(setupJSON string) error {
	if os.Getpid() != 1 {
		return errors.New("init runs only as process 1 of a container")
	}
	runtime.LockOSThread() // the main thread is what others see of a process; it keeps its identity
	if err := protect(); err != nil {
		return fmt.Errorf("protect the supervisor: %w", err)
	}
	syscall.Umask(0)
	runtime.GOMAXPROCS(min(runtime.GOMAXPROCS(0), 4)) // every further one may want threads
	debug.SetGCPercent(50)
	debug.SetMemoryLimit(64 << 20)
	g, err := newGuest(setupJSON)
	if err != nil {
		return err
	}
	session, err := wire.GuestSession(stdio{os.Stdin, os.Stdout})
	if err != nil {
		return fmt.Errorf("open session: %w", err)
	}
	server := &http.Server{Handler: g.routes(), ReadHeaderTimeout: 30 * time.Second}
	err = server.Serve(session)
	_ = syscall.Kill(-1, syscall.SIGKILL)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func newGuest(setupJSON string) (*Guest, error) {
	g := &Guest{reaper: newReaper(), counters: findCounters(cgroupRoot)}
	if err := json.Unmarshal([]byte(setupJSON), &g.setup); err != nil {
		return nil, fmt.Errorf("read setup: %w", err)
	}
	if g.setup.Version != wire.Version {
		return nil, fmt.Errorf("the host speaks protocol %d and this guest %d", g.setup.Version, wire.Version)
	}
	if err := boundChildren(g.setup.Caps); err != nil {
		return nil, fmt.Errorf("bound capabilities: %w", err)
	}
	go g.reaper.run()
	g.user = newUserThread(g.setup.UID, g.setup.GID)
	warmThreads(14)
	g.logs = &logDir{dir: wire.OutputDir}
	g.env = toolEnv(os.Environ(), g.setup)
	g.shell = &shell{g: g, dir: g.setup.Workdir}
	if err := makeDirNote(); err != nil {
		return nil, fmt.Errorf("make the shell's note: %w", err)
	}
	g.python = &python{g: g}
	g.worker = newFileWorker(g)
	g.terms = newTerminals(g)
	if g.disk = newDisk(g); g.disk != nil {
		go g.disk.watch()
	}
	if onSentry() {
		g.counters.sentry = &sentry{memory: g.setup.Memory, tasks: g.setup.Pids}
		go g.watchSentry(g.counters.sentry)
	}
	g.found = g.explore()
	return g, nil
}

// explore finds out what the image offers.
func (g *Guest) explore() wire.Hello {
	h := wire.Hello{Version: wire.Version, Arch: runtime.GOARCH, Cgroup: g.counters.version, Sentry: g.counters.sentry != nil}
	path := lookupEnv(g.env, "PATH")
	if bash := findProgram(path, "bash"); bash != "" {
		h.Shell, h.ShellIs = bash, "bash"
	} else if sh := findProgram(path, "sh"); sh != "" {
		h.Shell, h.ShellIs = sh, "sh"
	}
	h.Python = findProgram(path, "python3")
	h.Git = findProgram(path, "git")
	return h
}

// findProgram looks a program up in the directories of a PATH. The absolute
// path is used from then on, so a later file of that name changes nothing.
func findProgram(path, name string) string {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		full := filepath.Join(dir, name)
		if runnable(full) {
			return full
		}
	}
	return ""
}

func runnable(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0
}

// launch starts an interpreter as the tool user through the launch mode. Standard
// input is empty and standard output is thrown away; extra files follow as
// descriptors 3, 4, …
func (g *Guest) launch(argv []string, dir string, env []string, extra ...*os.File) (*process, error) {
	if !runnable(argv[0]) {
		return nil, &failure{wire.CodeMissing, argv[0] + " is no longer there or cannot be run; only a new sandbox has it again"}
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	return g.launchWith(argv, dir, env, append([]*os.File{null, null, null}, extra...))
}

func (g *Guest) launchWith(argv []string, dir string, env []string, files []*os.File) (*process, error) {
	g.thinOut() // or the start would fail
	if env == nil {
		env = g.env
	}
	return g.reaper.start(spec{
		argv: append([]string{wire.GuestPath, "launch"}, argv...),
		dir:  dir, env: env, files: files, uid: g.setup.UID, gid: g.setup.GID,
	})
}

// toolEnv is the image's environment with what keeps programs from paging and
// prompting, and then what the policy adds.
func toolEnv(image []string, setup wire.Setup) []string {
	vars := map[string]string{
		"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"LANG": "C.UTF-8",
	}
	for _, kv := range image {
		if k, v, ok := strings.Cut(kv, "="); ok {
			vars[k] = v
		}
	}
	for k, v := range quiet {
		vars[k] = v
	}
	vars["HOME"], vars["USER"], vars["LOGNAME"] = setup.Home, "agent", "agent"
	vars["PWD"] = setup.Workdir
	for k, v := range setup.Env {
		vars[k] = v
	}
	out := make([]string, 0, len(vars))
	for k, v := range vars {
		out = append(out, k+"="+v)
	}
	return out
}

// quiet makes programs behave without a terminal and a person. Git gets an
// identity, because committing must not fail for the lack of one.
var quiet = map[string]string{
	"TERM": "dumb", "PAGER": "cat", "GIT_PAGER": "cat", "MANPAGER": "cat",
	"GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true", "DEBIAN_FRONTEND": "noninteractive",
	"PIP_PROGRESS_BAR": "off", "PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "TQDM_DISABLE": "1",
	"MPLBACKEND": "Agg", "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8:backslashreplace",
	"GIT_AUTHOR_NAME": "agent", "GIT_AUTHOR_EMAIL": "agent@sandbox.invalid",
	"GIT_COMMITTER_NAME": "agent", "GIT_COMMITTER_EMAIL": "agent@sandbox.invalid",
}

func lookupEnv(env []string, name string) string {
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}
