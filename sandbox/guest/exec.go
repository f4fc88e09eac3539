package guest

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"drydock/sandbox/wire"
)

// program is the owner of a one-shot call: it cannot be asked, only ended.
type program struct{ proc *process }

func (p program) interrupt() { _ = syscall.Kill(-p.proc.pid, syscall.SIGINT) }

func (p program) abandon()                          { _ = syscall.Kill(-p.proc.pid, syscall.SIGKILL) }
func (p program) exited() <-chan syscall.WaitStatus { return p.proc.done }

// exec runs one program to its end. Nothing it starts outlives it.
func (g *Guest) exec(req wire.ExecRequest) (wire.Result, error) {
	argv, err := g.resolve(req)
	if err != nil {
		return wire.Result{}, err
	}
	c := g.newCall(0, req.Timeout)
	pipe, err := openOutPipe(c.out)
	if err != nil {
		return wire.Result{}, err
	}
	proc, err := g.startProgram(argv, req, c.scope.mark, pipe)
	if err != nil {
		pipe.finish()
		return wire.Result{}, err
	}
	c.scope.owner = proc.pid
	end := c.wait(program{proc}, nil)
	end.killed += g.killMembers(c.scope, c.keep)
	return c.result(pipe, end), nil
}

func (g *Guest) startProgram(argv []string, req wire.ExecRequest, mark string, pipe *outPipe) (*process, error) {
	env := append(append([]string(nil), g.env...), markName+"="+mark)
	for k, v := range req.Env {
		env = append(env, k+"="+v)
	}
	stdin, err := g.stdin(req.Stdin)
	if err != nil {
		return nil, err
	}
	defer stdin.Close()
	out, err := pipe.writer()
	if err != nil {
		return nil, err
	}
	defer out.Close()
	return g.launchWith(argv, g.dir(req.Dir), env, []*os.File{stdin, out, out})
}

// stdin gives the program its input without anyone having to feed it.
func (g *Guest) stdin(data []byte) (*os.File, error) {
	if len(data) == 0 {
		return os.Open(os.DevNull)
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	go func() {
		_, _ = io.Copy(write, bytes.NewReader(data))
		_ = write.Close()
	}()
	return read, nil
}

func (g *Guest) dir(dir string) string {
	if dir == "" {
		return g.setup.Workdir
	}
	return dir
}

// resolve finds the program to run.
func (g *Guest) resolve(req wire.ExecRequest) ([]string, error) {
	if len(req.Argv) == 0 {
		return nil, &failure{wire.CodeInvalid, "no program given"}
	}
	name := req.Argv[0]
	if !filepath.IsAbs(name) {
		name = findProgram(lookupEnv(g.env, "PATH"), name)
	}
	if name == "" {
		return nil, &failure{wire.CodeMissing, "the image has no " + req.Argv[0]}
	}
	return append([]string{name}, req.Argv[1:]...), nil
}
