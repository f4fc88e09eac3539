package abuse

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"drydock/sandbox/wire"
)

// file makes a case of work on files, with the shell preparing for it.
func file(id, tries, prepare string, expect []Ending, play func(context.Context, *Stage) Outcome) Case {
	return Case{ID: id, Tries: tries, Tool: Go, Expect: expect, Play: func(ctx context.Context, s *Stage) Outcome {
		if prepare != "" {
			if res, err := s.Shell(ctx, prepare, quickly, true); err != nil || res.Status != wire.StatusOK {
				return broken("prepare: %v %s %s", err, res.Status, res.Head)
			}
		}
		return play(ctx, s)
	}}
}

// reads makes a step that reads a file of the workspace.
func reads(path string) func(context.Context, *Stage) Outcome {
	return func(ctx context.Context, s *Stage) Outcome {
		_, _, err := s.ReadFile(ctx, inWorkspace(s, path), 1<<20)
		return did(err)
	}
}

// writes makes a step that writes a file of the workspace.
func writes(path string) func(context.Context, *Stage) Outcome {
	return func(ctx context.Context, s *Stage) Outcome {
		_, err := s.WriteFile(ctx, inWorkspace(s, path), []byte("hostile"), wire.WriteOptions{})
		return did(err)
	}
}

func inWorkspace(s *Stage, path string) string {
	if strings.HasPrefix(path, "/") {
		return path
	}
	return s.Policy().Workdir + "/" + path
}

// fileCases work on files that are not what they seem, the way the editor does.
func fileCases() []Case {
	endless := func(id, tries, path string) Case {
		c := file(id, tries, "mkfifo fifo 2>/dev/null; true", refused, reads(path))
		c.Limit = 5 * time.Second
		return c
	}
	return []Case{
		endless("file-fifo", "a read that never ends, of a pipe", "fifo"),
		endless("file-zero", "a read that never ends, of a device", "/dev/zero"),
		endless("file-terminal", "a read of a terminal", "/dev/tty"),
		endless("file-kernel-log", "a read of the kernel's messages", "/proc/kmsg"),
		file("file-write-fifo", "a write that never ends", "mkfifo fifo 2>/dev/null; true", refused, writes("fifo")),
		file("file-write-device", "a write to a device", "", refused, writes("/dev/full")),
		file("file-large", "a file of 1 GiB", "truncate -s 1G large", fine, func(ctx context.Context, s *Stage) Outcome {
			data, info, err := s.ReadFile(ctx, inWorkspace(s, "large"), 1<<20)
			if err == nil && (len(data) != 1<<20 || !info.Truncated || info.Size != 1<<30) {
				return broken("%d bytes of %d", len(data), info.Size)
			}
			_, _ = s.say(ctx, "rm large")
			return did(err)
		}),
		file("file-sparse", "a file of 10 TB that is not there", "truncate -s 3G sparse; truncate -s 10T sparse 2>/dev/null; [ -s sparse ]", fine, func(ctx context.Context, s *Stage) Outcome {
			err := s.Walk(ctx, s.Policy().Workdir, func(wire.WalkEntry) error { return nil })
			_, _ = s.say(ctx, "rm sparse")
			return did(err)
		}),
		file("file-large-write", "to write more than the limit", "", refused, func(ctx context.Context, s *Stage) Outcome {
			_, err := s.WriteFile(ctx, inWorkspace(s, "toolarge"), make([]byte, wire.MaxFile+1), wire.WriteOptions{})
			return did(err)
		}),
		file("file-growing", "a file that grows while it is read", "(for i in $(seq 200); do head -c 1M /dev/zero; done >growing) & sleep 0.01; true", fine, func(ctx context.Context, s *Stage) Outcome {
			data, _, err := s.ReadFile(ctx, inWorkspace(s, "growing"), 1<<20)
			if len(data) > 1<<20 {
				return broken("read %d bytes", len(data))
			}
			_, _ = s.say(ctx, "kill %1; wait; rm growing")
			return did(err)
		}),
		file("file-bytes", "bytes that are no text", "", fine, func(ctx context.Context, s *Stage) Outcome {
			want := []byte("\xef\xbb\xbfa\r\nb\r\x00\xff\xfe\xe9 no newline at the end")
			path := inWorkspace(s, "bytes")
			if _, err := s.WriteFile(ctx, path, want, wire.WriteOptions{}); err != nil {
				return did(err)
			}
			got, _, err := s.ReadFile(ctx, path, 1000)
			if err == nil && !bytes.Equal(got, want) {
				return broken("got %q", got)
			}
			return did(err)
		}),
		file("file-swapped", "a file that is another one when it is written", "echo real >swap", refused, func(ctx context.Context, s *Stage) Outcome {
			_, err := s.WriteFile(ctx, inWorkspace(s, "swap"), []byte("x"), wire.WriteOptions{Expect: make([]byte, 32)})
			return did(err)
		}),
		file("file-name-long", "a path of 6,000 bytes", "", refused, reads(strings.Repeat("n/", 3000))),
		file("file-name-255", "a name of 256 bytes", "", refused, writes(strings.Repeat("n", 256))),
		file("file-name-nul", "a name with a zero byte", "", refused, writes("a\x00b")),
		file("file-name-relative", "a path that is not absolute", "", refused, func(ctx context.Context, s *Stage) Outcome {
			_, _, err := s.ReadFile(ctx, "../etc/passwd", 10)
			return did(err)
		}),
		file("file-names", "names that make programs trip", "", fine, oddNames),
		file("file-no-space", "to write where a full place is", "head -c 1G /dev/zero >/dev/shm/full 2>/dev/null; true", refused, func(ctx context.Context, s *Stage) Outcome {
			_, err := s.WriteFile(ctx, "/dev/shm/new", make([]byte, 1<<20), wire.WriteOptions{})
			left, _ := s.say(ctx, "rm /dev/shm/full; ls -A /dev/shm")
			if err != nil && left != "" {
				return broken("a refused write left %q", left)
			}
			return did(err)
		}),
		file("file-immutable", "to write below a directory it may not change", "mkdir -p locked; echo x >locked/f; chmod 500 locked", []Ending{OK, Refused}, writes("locked/f")),
		file("file-workspace-gone", "to work where the workspace was deleted", "rm -rf sub; mkdir sub; cd sub; rmdir ../sub", fine, func(ctx context.Context, s *Stage) Outcome {
			res, err := s.Shell(ctx, "ls -A . >/dev/null 2>&1; cd /; echo on", quickly, false)
			return outcome(res, err)
		}),
		file("file-deep", "directories below each other, 3,000 bytes deep", "python3 -c 'import os\nfor _ in range(150): os.mkdir(\"d\" * 20); os.chdir(\"d\" * 20)'", fine, func(ctx context.Context, s *Stage) Outcome {
			n := 0
			err := s.Walk(ctx, s.Policy().Workdir, func(wire.WalkEntry) error { n++; return nil })
			_, _ = s.say(ctx, "rm -rf dddddddddddddddddddd")
			if err == nil && n < 100 {
				return broken("only %d entries", n)
			}
			return did(err)
		}),
		file("file-many", "2,000 files in a directory", "mkdir /dev/shm/many; cd /dev/shm/many; python3 -c 'for i in range(2000): open(str(i), \"w\")'", fine, func(ctx context.Context, s *Stage) Outcome {
			list, err := s.List(ctx, "/dev/shm/many", 2, 100)
			if err == nil && (len(list.Entries) > 100 || !list.Truncated) {
				return broken("%d entries", len(list.Entries))
			}
			_, _ = s.say(ctx, "cd ..; rm -rf many")
			return did(err)
		}),
		{ID: "file-limit", Tries: "a file beyond the size limit", Input: "(ulimit -f 100; yes >f; wc -c <f; rm f); (ulimit -f unlimited) 2>&1; ulimit -Hf", Expect: fine, Check: contains("102400\n", "4194304\n")},
		{ID: "rm-workspace", Tries: "to delete the workspace", Input: "rm -rf /workspace ~ /tmp 2>/dev/null; for d in /tmp /workspace; do [ -d $d ] && echo $d; done", Expect: fine, Check: prints("/tmp\n/workspace\n")},
		{ID: "rm-standing", Tries: "to delete where it stands", Input: "mkdir /tmp/gone; cd /tmp/gone; rmdir /tmp/gone", Expect: fine, Then: says("cd /; echo on", "on")},
		{ID: "rm-root", Tries: "to delete everything there is", Input: "rm -rf --no-preserve-root / 2>/dev/null; bash -c 'python3 -c \"print(1)\"'", Limit: 30 * time.Second, Expect: fine, Check: contains("1\n"), Alone: true},
		{ID: "replace-programs", Tries: "to put other programs in place", Input: "(ln -sf /bin/true /bin/sh; cp /bin/true /usr/bin/python3; mv /usr/bin/bash /usr/bin/old) 2>&1; sh -c 'echo sh'; python3 -c 'print(3)'", Expect: fine, Check: contains("sh\n3\n")},
		{ID: "replace-by-path", Tries: "to put other programs before those of the image", Input: "mkdir -p $HOME/bin; for p in bash sh python3 ls cat; do ln -sf /bin/false $HOME/bin/$p; done; export PATH=$HOME/bin:$PATH", Expect: fine, Then: func(ctx context.Context, s *Stage) error {
			res, err := s.Python(ctx, "6*7", quickly, true)
			if err == nil && string(res.Head) != "42\n" {
				err = fmt.Errorf("python said %q", res.Head)
			}
			return err
		}},
	}
}

// oddNames writes, reads and lists files whose names programs trip over.
func oddNames(ctx context.Context, s *Stage) Outcome {
	dir := inWorkspace(s, "odd")
	names := []string{"with space", "-rf", "new\nline", "quote'\"`$(id)", "*?[x]", "\xff\xfe\x80", "caf\u00e9", "cafe\u0301", "%2e%2e%2f", "\x01\x1b[31m", "...", strings.Repeat("n", 250)}
	for _, name := range names {
		if _, err := s.WriteFile(ctx, dir+"/"+name, []byte(name), wire.WriteOptions{}); err != nil {
			return broken("%q: %v", name, err)
		}
		got, _, err := s.ReadFile(ctx, dir+"/"+name, 1000)
		if err != nil || string(got) != name {
			return broken("%q: %q %v", name, got, err)
		}
	}
	list, err := s.List(ctx, dir, 1, 100)
	if err == nil && len(list.Entries) < len(names)-1 { // hidden ones are left out
		return broken("%d of %d names", len(list.Entries), len(names))
	}
	return did(err)
}
