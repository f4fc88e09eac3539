package images

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"drydock/internal/scratch"
)

// stopGrace is how long mmdebstrap may clean up after itself when it is stopped.
const stopGrace = 15 * time.Second

var errNoMmdebstrap = errors.New(`mmdebstrap is not installed; install it ` +
	`(on Debian: apt-get install mmdebstrap) or connect to a registry, then run drydock images build`)

// mmdebstrap is a running mmdebstrap that writes its tar to stdout.
type mmdebstrap struct {
	cmd     *exec.Cmd
	cancel  context.CancelFunc
	dir     *scratch.Dir // all that it puts on the disk
	stdout  io.Reader
	log     installLog
	logRead chan struct{} // closed when stderr has ended

	collect sync.Once
	gone    chan struct{} // closed when the process has ended
	stopped atomic.Bool   // it was told to stop, so its failure means nothing
	failure error
}

// startBootstrap starts mmdebstrap. The tar comes when all packages are in.
func startBootstrap(ctx context.Context, r Recipe, report func(Step)) (rootfs, error) {
	if _, err := exec.LookPath("mmdebstrap"); err != nil {
		return nil, errNoMmdebstrap
	}
	dir, err := scratch.Create("image")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	m := &mmdebstrap{
		dir: dir, cancel: cancel,
		logRead: make(chan struct{}), gone: make(chan struct{}),
	}
	if err := m.start(ctx, r, report); err != nil {
		cancel()
		_ = dir.Remove()
		return nil, fmt.Errorf("start mmdebstrap: %w", err)
	}
	return m, nil
}

func (m *mmdebstrap) start(ctx context.Context, r Recipe, report func(Step)) error {
	if err := stageFiles(ctx, m.dir.Path); err != nil {
		return err
	}
	argv := append(isolation(ctx), mmdebstrapArgs(r, hostSources(ctx))...)
	m.cmd = exec.CommandContext(ctx, argv[0], argv[1:]...)
	m.cmd.Env = append(os.Environ(), "TMPDIR="+m.dir.Path, stageVar+"="+m.dir.Path, "LC_ALL=C.UTF-8")
	m.cmd.ExtraFiles = []*os.File{m.dir.Lock()} // it goes on for a while when drydock is killed
	m.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	m.cmd.Cancel = m.terminate
	stderr, err := m.cmd.StderrPipe()
	if err != nil {
		return err
	}
	if m.stdout, err = m.cmd.StdoutPipe(); err != nil {
		return err
	}
	if err := m.cmd.Start(); err != nil {
		return err
	}
	go m.follow(stderr, report)
	return nil
}

// terminate asks the whole process group to end, and sees to it when it does not.
func (m *mmdebstrap) terminate() error {
	group := -m.cmd.Process.Pid
	time.AfterFunc(stopGrace, func() {
		select {
		case <-m.gone:
		default:
			_ = syscall.Kill(group, syscall.SIGKILL)
		}
	})
	return syscall.Kill(group, syscall.SIGTERM)
}

func (m *mmdebstrap) follow(stderr io.Reader, report func(Step)) {
	defer close(m.logRead)
	scan := bufio.NewScanner(stderr)
	for scan.Scan() {
		if s, ok := m.log.step(scan.Text()); ok {
			report(s)
		}
	}
	_, _ = io.Copy(io.Discard, stderr) // past a line that is too long to scan
}

// Read gives the tar, and at its end the failure of the process, if it failed.
func (m *mmdebstrap) Read(p []byte) (int, error) {
	n, err := m.stdout.Read(p)
	if err == nil {
		return n, nil
	}
	if failure := m.wait(); failure != nil {
		return n, failure
	}
	return n, err
}

// Close stops the process if it still runs and removes its files.
func (m *mmdebstrap) Close() error {
	select {
	case <-m.gone:
	default:
		m.stopped.Store(true)
	}
	m.cancel()
	failure := m.wait()
	if err := m.dir.Remove(); err != nil && failure == nil {
		return fmt.Errorf("remove what mmdebstrap left: %w", err)
	}
	return failure
}

func (m *mmdebstrap) wait() error {
	m.collect.Do(func() {
		<-m.logRead
		err := m.cmd.Wait()
		close(m.gone)
		switch {
		case err == nil || m.stopped.Load():
		case m.log.failure != "":
			m.failure = fmt.Errorf("mmdebstrap: %s", m.log.failure)
		default:
			m.failure = fmt.Errorf("mmdebstrap: %w", err)
		}
	})
	return m.failure
}
