package guest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"drydock/sandbox/wire"
)

// What a call hands to the shell: a line that the shell reads byte by byte from
// its script pipe, so it is short; the file that the line sources; and the file
// with the command's text that this one sources.
const (
	commandFile = wire.RunDir + "/command"
	callFile    = wire.RunDir + "/call"
)

// flagUnfit comes in place of the shell's options when it could not be prepared
// for a call.
const flagUnfit = "!"

// send writes the command's text and the call's file, and tells the shell to go.
func (s *shell) send(text, mark, outPath, nonce string) error {
	if s.flags != "" {
		set := "set -"
		if s.g.found.ShellIs == "bash" {
			set = `\builtin set -`
		}
		text = set + s.flags + "; " + text
	}
	if err := writeNew(commandFile, []byte(text)); err != nil {
		return err
	}
	if err := writeNew(callFile, []byte(s.callText(mark, outPath, nonce))); err != nil {
		return err
	}
	_, err := io.WriteString(s.script, s.line())
	return err
}

// line is what the shell reads for a call. What watch looks at is the empty
// line behind it.
func (s *shell) line() string {
	if s.g.found.ShellIs == "bash" {
		return `\builtin . ` + callFile + "\n\n"
	}
	return ". " + callFile + "\n"
}

// callText is what the shell runs for a call: all on one line, so that it has
// been parsed entirely before the command can change how the shell reads.
//
// The output is redirected twice. The first is for what the shell prints while
// it exits; the second holds even where exec has become a function, which
// builtin cannot help, because builtin exec redirects nothing. A printf that is
// given a word for a number prints 0 and fails, so the command does not run
// when the mark cannot be set. The group at the end prints nowhere, because a
// DEBUG trap of the command's would show the runtime's own lines.
//
// A reply begins with a NUL as well as ends with one: while the shell writes it,
// its standard output is the control pipe, and a program that prints there by
// /proc would otherwise spoil the reply behind it.
func (s *shell) callText(mark, outPath, nonce string) string {
	if s.g.found.ShellIs == "bash" {
		return fmt.Sprintf(`\exec </dev/null >%[1]s 2>&1; `+
			`\builtin export %[2]s=%[3]s 2>/dev/null || \builtin printf '\0%%s %%d `+flagUnfit+`\0' %[5]s x 2>/dev/null >|%[6]s && { __drydock_code %[7]d 2>/dev/null && \builtin :; \builtin . %[4]s </dev/null >%[1]s 2>&1; }; `+
			`{ \builtin printf '\0%%s %%s %%s\0' %[5]s "$?" "$-" >|%[6]s; \builtin set +xve; \builtin trap - DEBUG RETURN; \builtin shopt -u extdebug; \builtin set +T; } >/dev/null 2>&1; `+
			`\exec >/dev/null 2>&1`+"\n", outPath, markName, mark, commandFile, nonce, s.ctlPath, s.code)
	}
	status := ""
	if s.code != 0 {
		status = fmt.Sprintf("(exit %d); ", s.code)
	}
	return fmt.Sprintf(`exec </dev/null >%[1]s 2>&1; export %[2]s=%[3]s; %[7]s. %[4]s; `+
		`{ printf '\0%%s %%s %%s\0' %[5]s "$?" "$-" >|%[6]s; set +xve; } 2>/dev/null; exec >/dev/null 2>&1`+"\n",
		outPath, markName, mark, commandFile, nonce, s.ctlPath, status)
}

// A bash that has gone on to the next line of its script without a reply never
// replies any more: a function in the place of a builtin, a switched off
// builtin, no descriptor left. It is ended at the third look.
const (
	watchEvery = 150 * time.Millisecond
	watchLooks = 3
)

// watch looks after the shell during a call. The function it returns ends this
// and says whether the shell was ended.
func (s *shell) watch() func() bool {
	if s.g.found.ShellIs != "bash" {
		return func() bool { return false } // others read their script in advance
	}
	done, mute := make(chan struct{}), make(chan bool, 1)
	go func() {
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for looks := 0; looks < watchLooks; {
			select {
			case <-done:
				mute <- false
				return
			case <-tick.C:
			}
			if looks++; unread(s.script) != 0 {
				looks = 0
			}
		}
		s.abandon()
		mute <- true
	}()
	return func() bool { close(done); return <-mute }
}

// How long a shell may take to let go of the call's output, which it does right
// after its reply.
const (
	letGoLimit = 50 * time.Millisecond
	letGoEvery = 20 * time.Microsecond
)

// letGo waits until a bash has gone on to the empty line behind the call's, so
// that whoever still holds the call's output is somebody else.
func (s *shell) letGo() {
	for began := time.Now(); s.live() != 0 && unread(s.script) > 0 && time.Since(began) < letGoLimit; {
		// Not the runtime's sleep, which is never shorter than a millisecond.
		_ = unix.Nanosleep(&unix.Timespec{Nsec: letGoEvery.Nanoseconds()}, nil)
	}
}

// unread is how many bytes are left in a pipe, -1 if unknown.
func unread(pipe *os.File) int {
	conn, err := pipe.SyscallConn()
	if err != nil {
		return -1
	}
	left := -1
	_ = conn.Control(func(fd uintptr) {
		if n, err := unix.IoctlGetInt(int(fd), unix.TIOCINQ); err == nil {
			left = n
		}
	})
	return left
}

// reply is what the shell says at a command's end.
type reply struct {
	code  int
	flags string
}

// await reads the control pipe until the call's own message arrives. Anything
// else there is not ours and is ignored.
func (s *shell) await(nonce string) <-chan reply {
	out := make(chan reply, 1)
	control := s.control
	_ = control.SetReadDeadline(time.Time{})
	go func() {
		defer close(out)
		var pending []byte
		buf := make([]byte, 512)
		for {
			n, err := control.Read(buf)
			if err != nil {
				return
			}
			pending = append(pending, buf[:n]...)
			for {
				msg, rest, ok := bytes.Cut(pending, []byte{0})
				if !ok {
					break
				}
				pending = rest
				if r, ok := parseReply(string(msg), nonce); ok {
					out <- r
					return
				}
			}
			if len(pending) > 4096 {
				pending = nil
			}
		}
	}()
	return out
}

func parseReply(msg, nonce string) (reply, bool) {
	var got, flags string
	var code int
	if n, _ := fmt.Sscanf(msg, "%s %d %s", &got, &code, &flags); n < 2 || got != nonce {
		return reply{}, false
	}
	return reply{code: code & 0xff, flags: flags}, true
}

// writeNew writes a file in place of whatever is there, which a program that
// runs as root may have made a pipe that nobody reads, or a link.
func writeNew(path string, data []byte) error {
	if err := unix.Unlink(path); err != nil && !errors.Is(err, unix.ENOENT) {
		return &os.PathError{Op: "remove", Path: path, Err: err}
	}
	fd, err := openRetry(path, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, 0o644)
	if err == nil {
		err = errors.Join(writeAll(fd, data), unix.Close(fd))
	}
	if err != nil {
		return &os.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}
