package guest

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"drydock/sandbox/wire"
)

//go:embed drivers/python.py
var pythonDriver string

// pythonStart gives the driver's frames a file name of their own, by which they
// are left out of tracebacks, and keeps modules of the workspace from standing
// in for those that the driver uses.
const pythonStart = "import sys; sys.path.sort(key=lambda p: p == ''); exec(compile(sys.argv[1], '<drydock>', 'exec'), {'__builtins__': __builtins__})"

// python is the persistent interpreter. Requests and answers travel over two
// pipes that the code's own processes do not inherit; what the code prints goes
// to the call's output pipe.
type python struct {
	g   *Guest
	env []string // nil for that of all tools

	call sync.Mutex // one call at a time

	mu   sync.Mutex
	proc *process
	req  *os.File
	rep  *os.File
}

type pythonRequest struct {
	Code     string `json:"code"`
	Out      string `json:"out"`
	Mark     string `json:"mark"`
	MarkName string `json:"mark_name"`
}

type pythonReply struct {
	Mark   string   `json:"mark"` // of the call it answers
	Code   int      `json:"code"`
	Images []string `json:"images"`
}

// maxPythonReply bounds an answer: eight figures of four MiB in base64.
const maxPythonReply = 48 << 20

func (p *python) run(req wire.PythonRequest) (wire.Result, error) {
	if err := mustFit(req.Code); err != nil {
		return wire.Result{}, err
	}
	if p.g.found.Python == "" {
		return wire.Result{}, &failure{wire.CodeMissing, "the image has no python3"}
	}
	if req.Fresh {
		return p.g.runFresh(req)
	}
	p.call.Lock()
	defer p.call.Unlock()
	if req.Reset {
		p.stop()
	}
	if err := p.ensure(); err != nil {
		return wire.Result{}, err
	}
	return p.execute(req)
}

func (p *python) execute(req wire.PythonRequest) (wire.Result, error) {
	c := p.g.newCall(p.proc.pid, req.Timeout)
	c.keep[p.proc.pid] = true
	pipe, err := openOutPipe(c.out)
	if err != nil {
		return wire.Result{}, fmt.Errorf("open output pipe: %w", err)
	}
	full := make(chan pythonReply, 1)
	_ = syscall.Kill(p.proc.pid, syscall.SIGCONT) // an earlier program may have stopped it
	replies := p.exchange(pythonRequest{Code: req.Code, Out: pipe.path, Mark: c.scope.mark, MarkName: markName}, full)
	end := c.wait(p, replies)
	if req.Fresh {
		p.stop()
		end.killed += p.g.killMembers(c.scope, c.keep)
	}
	r := c.result(pipe, end)
	if end.died {
		p.forget()
		r.Replaced = "the interpreter ended with this call; a new one starts with nothing defined"
	} else {
		r.Images = decodeImages(<-full)
		if r.PidsFull && p.g.counters.pidsFull() { // with threads of its own
			p.stop()
			r.Replaced = "the interpreter held all processes that the sandbox may have, and was ended; a new one starts with nothing defined"
		}
	}
	r.Jobs = p.g.jobs()
	p.g.late.report(&r, c, pipe, func() bool { return !end.timeout || c.leftRunning() })
	return r, nil
}

// exchange sends a request and hands on the answer, or closes the channel when
// the interpreter broke off.
func (p *python) exchange(req pythonRequest, full chan<- pythonReply) <-chan reply {
	out := make(chan reply, 1)
	reqPipe, repPipe := p.req, p.rep
	go func() {
		defer close(out)
		defer close(full)
		if err := writeFrame(reqPipe, req); err != nil {
			return
		}
		var answer pythonReply
		for answer.Mark != req.Mark { // an answer to an earlier call was overtaken by a forged one
			answer = pythonReply{}
			if err := readFrame(repPipe, &answer); err != nil {
				return
			}
		}
		full <- answer
		out <- reply{code: answer.Code & 0xff}
	}()
	return out
}

func writeFrame(w io.Writer, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	frame := binary.BigEndian.AppendUint32(nil, uint32(len(raw)))
	_, err = w.Write(append(frame, raw...))
	return err
}

func readFrame(r io.Reader, v any) error {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > maxPythonReply {
		return fmt.Errorf("answer of %d bytes is over the limit", n)
	}
	raw := make([]byte, n)
	if _, err := io.ReadFull(r, raw); err != nil {
		return err
	}
	return json.Unmarshal(raw, v)
}

// pngStart is how a PNG begins.
const pngStart = "\x89PNG\r\n\x1a\n"

// decodeImages keeps what the driver may send. The code that runs in the
// interpreter can send anything in its name.
func decodeImages(answer pythonReply) []wire.Image {
	var out []wire.Image
	for _, text := range answer.Images {
		data, err := base64.StdEncoding.DecodeString(text)
		if err == nil && len(out) < wire.MaxImages && len(data) <= wire.MaxImage && bytes.HasPrefix(data, []byte(pngStart)) {
			out = append(out, wire.Image{MIME: "image/png", Data: data})
		}
	}
	return out
}

func (p *python) interrupt() {
	_ = syscall.Kill(p.proc.pid, syscall.SIGINT)
	_ = syscall.Kill(p.proc.pid, syscall.SIGCONT) // a stopped one would not hear
}

func (p *python) abandon() { _ = syscall.Kill(p.proc.pid, syscall.SIGKILL) }

func (p *python) exited() <-chan syscall.WaitStatus { return p.proc.done }

func (p *python) ensure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.proc != nil {
		select {
		case <-p.proc.done:
			p.release()
		default:
			return nil
		}
	}
	reqRead, reqWrite, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make request pipe: %w", err)
	}
	defer reqRead.Close()
	repRead, repWrite, err := os.Pipe()
	if err != nil {
		_ = reqWrite.Close()
		return fmt.Errorf("make reply pipe: %w", err)
	}
	argv := []string{p.g.found.Python, "-c", pythonStart, pythonDriver}
	proc, err := p.g.launchNear(argv, p.g.setup.Workdir, p.env, reqRead, repWrite)
	_ = repWrite.Close()
	if err != nil {
		_, _ = reqWrite.Close(), repRead.Close()
		return fmt.Errorf("start %s: %w", p.g.found.Python, err)
	}
	p.proc, p.req, p.rep = proc, reqWrite, repRead
	return p.awaitReady()
}

// pythonStartLimit is how long an interpreter may take to start. That time is
// not the call's: on a busy machine it can be longer than a short call's limit.
const pythonStartLimit = 20 * time.Second

// awaitReady waits for the driver's first frame, which answers nothing.
func (p *python) awaitReady() error {
	_ = p.rep.SetReadDeadline(time.Now().Add(pythonStartLimit))
	var ready pythonReply
	err := readFrame(p.rep, &ready)
	_ = p.rep.SetReadDeadline(time.Time{})
	if err == nil {
		return nil
	}
	p.abandon()
	ws := <-p.proc.done
	p.release()
	return &failure{wire.CodeInternal, fmt.Sprintf("%s did not start as an interpreter (exit code %d): %v", p.g.found.Python, exitCode(ws), err)}
}

func (p *python) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.proc == nil {
		return
	}
	_ = syscall.Kill(p.proc.pid, syscall.SIGKILL)
	<-p.proc.done
	p.release()
}

func (p *python) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.release()
}

func (p *python) release() {
	if p.proc == nil {
		return
	}
	_, _ = p.req.Close(), p.rep.Close()
	p.proc = nil
}

func (p *python) live() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.proc == nil {
		return 0
	}
	return p.proc.pid
}
