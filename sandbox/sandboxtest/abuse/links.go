package abuse

import (
	"archive/tar"
	"context"
	"io"
	"strings"
	"time"

	"drydock/sandbox/wire"
)

// layLinks makes the links that the cases go through.
const layLinks = `rm -rf links; mkdir links; cd links; ln -s /etc/shadow shadow; ln -s /etc/passwd passwd; ln -s / root; ln -s ../../../../etc up
ln -s /proc/1 pid1; ln -s new-target dangling; mkdir sub; echo in >sub/file; ln -s sub/file good; ln -s /proc/self/mem mem; ln -s loop loop; ln -s a b; ln -s b a
ln -s /proc/self/fd/0 input; ln -s /dev/zero zero; ln -s /proc/1/root pidroot; ln -s /proc/self/cwd cwd; cd ..`

// linkCases: what a link leads to is reached with the tool user's rights and no
// others, and copying out shows the link and never its target.
func linkCases() []Case {
	var list []Case
	for name, path := range map[string]string{
		"shadow": "shadow", "shadow-through-root": "root/etc/shadow", "shadow-up": "up/shadow", "supervisor-environment": "pid1/environ",
		"supervisor-memory": "pid1/mem", "supervisor-output": "pid1/fd/1", "supervisor-root": "pidroot/etc/shadow", "loop": "loop", "loop-of-two": "a/x", "endless": "zero", "input": "input",
	} {
		c := file("link-read-"+name, "to read through "+path, layLinks, refused, reads("links/"+path))
		c.Limit = 5 * time.Second
		list = append(list, c)
	}
	for name, path := range map[string]string{
		"passwd": "passwd", "passwd-through-root": "root/etc/passwd", "hosts-up": "up/hosts", "guest": "root/.drydock/guest", "command": "root/.drydock/run/command",
		"program": "root/usr/new", "memory": "mem", "supervisor-output": "pid1/fd/1", "loop": "loop", "sysctl": "root/proc/sys/kernel/core_pattern",
	} {
		list = append(list, file("link-write-"+name, "to write through "+path, layLinks, refused, writes("links/"+path)))
	}
	return append(list,
		file("link-remove", "to remove through a link", layLinks, refused, func(ctx context.Context, s *Stage) Outcome {
			return did(s.RemoveFile(ctx, inWorkspace(s, "links/root/etc/hostname"), wire.WriteOptions{}))
		}),
		file("link-kept", "a link that is replaced by what is written through it", layLinks, fine, func(ctx context.Context, s *Stage) Outcome {
			for _, name := range []string{"links/good", "links/dangling"} {
				if out := writes(name)(ctx, s); out.Err != nil {
					return out
				}
			}
			if got, err := s.say(ctx, "cd links; readlink good dangling; cat sub/file new-target; cd .."); err != nil || got != "sub/file\nnew-target\nhostilehostile" {
				return broken("%q %v", got, err)
			}
			return did(nil)
		}),
		file("link-copied-out", "to have copied out what a link leads to", layLinks, fine, func(ctx context.Context, s *Stage) Outcome {
			got, err := copied(ctx, s, inWorkspace(s, "links"), "passwd", "root/etc/passwd", "up/passwd", "../../etc/passwd", "/etc/passwd", "pid1/status", "absent", "cwd/sub/file", "sub/file")
			if err == nil && (len(got) != 1 || got["sub/file"] == "") {
				return broken("copied %v", got)
			}
			return did(err)
		}),
		file("link-walked", "to have the walk go through a link", layLinks, fine, func(ctx context.Context, s *Stage) Outcome {
			through := ""
			err := s.Walk(ctx, inWorkspace(s, "links"), func(e wire.WalkEntry) error {
				if p := string(e.Path); strings.HasPrefix(p, "root/") || strings.HasPrefix(p, "up/") || strings.HasPrefix(p, "cwd/") {
					through = p
				}
				return nil
			})
			if through != "" {
				return broken("walked through a link to %s", through)
			}
			return did(err)
		}),
		race(), oddFiles(),
	)
}

// race swaps a directory for a link while files below it are written.
func race() Case {
	c := file("link-race", "to swap a directory for a link while a file below it is written",
		`mkdir -p race/real; mkdir -p /tmp/victim; (while :; do ln -sfn /etc race/d; ln -sfn real race/d; ln -sfn /tmp/victim race/d; done) & (while :; do rm -rf race/e; mkdir race/e; rm -rf race/e; ln -s /etc race/e; done) 2>/dev/null & true`,
		fine, func(ctx context.Context, s *Stage) Outcome {
			for range 60 {
				for _, dir := range []string{"race/d/passwd", "race/e/passwd"} {
					path := inWorkspace(s, dir)
					_, _ = s.WriteFile(ctx, path, []byte("hostile"), wire.WriteOptions{})
				}
				if _, err := copied(ctx, s, inWorkspace(s, "race"), "d/passwd", "e/passwd"); err != nil {
					return did(err)
				}
			}
			res, err := s.Shell(ctx, "rm -rf race; grep -c hostile /etc/passwd; true", quickly, true)
			if string(res.Head) != "0\n" {
				return broken("the file outside says %s", res.Head)
			}
			return outcome(res, err)
		})
	c.Limit = 30 * time.Second
	return c
}

// oddFiles are of kinds that are not copied out.
func oddFiles() Case {
	return file("link-odd-files", "to have copied out what is no file", `rm -rf odd; mkdir odd; cd odd; ln /etc/hostname hard 2>/dev/null; mkfifo fifo; cp /bin/true setuid; chmod 6755 setuid; python3 -c '
import socket; socket.socket(socket.AF_UNIX).bind("socket")'; touch "new
line" ..x; cd ..`, fine, func(ctx context.Context, s *Stage) Outcome {
		got, err := copied(ctx, s, inWorkspace(s, "odd"), "fifo", "socket", "setuid", "new\nline", "..x", "hard")
		if _, ok := got["fifo"]; ok {
			return broken("copied a pipe")
		}
		return did(err)
	})
}

// copied is what copying out gives, regular files with their content.
func copied(ctx context.Context, s *Stage, root string, paths ...string) (map[string]string, error) {
	got := map[string]string{}
	err := s.CopyOut(ctx, root, paths, func(h *tar.Header, content io.Reader) error {
		if h.Typeflag != tar.TypeReg {
			return nil
		}
		data, err := io.ReadAll(io.LimitReader(content, 1<<20))
		got[h.Name] = string(data)
		return err
	})
	return got, err
}
