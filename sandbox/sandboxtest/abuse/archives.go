package abuse

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
)

// entry is one entry of an archive.
type entry struct {
	header  tar.Header
	content string
}

func fileEntry(name string) entry {
	return entry{tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644}, "hostile"}
}

func linkEntry(name, target string) entry {
	return entry{tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: target}, ""}
}

func dirEntry(name string) entry {
	return entry{tar.Header{Name: name, Typeflag: tar.TypeDir, Mode: 0o777}, ""}
}

func special(kind byte, name, target string) entry {
	return entry{tar.Header{Name: name, Typeflag: kind, Linkname: target, Mode: 0o6666, Devmajor: 1, Devminor: 3}, ""}
}

// archiveCases: nothing that an archive holds lands outside of the directory
// that it is unpacked to, not even where the tool user could write.
func archiveCases() []Case {
	var list []Case
	for _, row := range []struct {
		id, tries string
		entries   []entry
	}{
		{"dots", "to climb out", []entry{fileEntry("../../tmp/out"), fileEntry("a/../../../tmp/out")}},
		{"absolute", "an absolute name", []entry{fileEntry("/tmp/out")}},
		{"absolute-twice", "an absolute name with two slashes", []entry{fileEntry("//tmp/out")}},
		{"link", "a file through a link", []entry{linkEntry("l", "/tmp"), fileEntry("l/out")}},
		{"link-dots", "a file through a link that climbs", []entry{linkEntry("l", "../../tmp"), fileEntry("l/out")}},
		{"link-two", "a file through two links", []entry{linkEntry("a", "/"), linkEntry("b", "a/tmp"), fileEntry("b/out")}},
		{"link-proc", "a file through a link of the kernel", []entry{linkEntry("p", "/proc/self/root"), fileEntry("p/tmp/out")}},
		{"link-directory", "a directory through a link", []entry{linkEntry("l", "/tmp"), dirEntry("l/out/")}},
		{"link-onto", "a directory onto a link", []entry{linkEntry("l", "/tmp/victim"), dirEntry("l/")}},
		{"link-link", "a link through a link", []entry{linkEntry("l", "/tmp"), linkEntry("l/out", "/etc")}},
		{"link-over", "a file over a link", []entry{linkEntry("l", "/tmp/out"), fileEntry("l")}},
		{"link-over-directory", "a link over a directory with files to come", []entry{dirEntry("d/"), linkEntry("d", "/tmp"), fileEntry("d/out")}},
		{"hard", "a hard link to a file outside", []entry{special(tar.TypeLink, "h", "/etc/passwd"), fileEntry("h")}},
		{"hard-through", "a hard link through a link", []entry{linkEntry("l", "/tmp/victim"), special(tar.TypeLink, "h", "l"), fileEntry("h/out")}},
		{"device", "a device", []entry{special(tar.TypeChar, "d", "")}},
		{"block", "a disk", []entry{special(tar.TypeBlock, "d", "")}},
		{"pipe", "a pipe", []entry{special(tar.TypeFifo, "p", "")}},
		{"setuid", "a set-user-id program", []entry{{tar.Header{Name: "suid", Typeflag: tar.TypeReg, Mode: 0o6755}, "x"}}},
		{"owner", "a file of root", []entry{{tar.Header{Name: "root", Typeflag: tar.TypeReg, Mode: 0o644, Uname: "root"}, "x"}}},
		{"self", "the directory itself", []entry{dirEntry("./"), {tar.Header{Name: ".", Typeflag: tar.TypeReg}, "x"}}},
		{"empty-name", "no name at all", []entry{{tar.Header{Name: "./", Typeflag: tar.TypeReg}, "x"}}},
		{"unknown", "a kind that there is not", []entry{special('Z', "z", "")}},
	} {
		list = append(list, archive(row.id, row.tries, row.entries))
	}
	return append(list,
		file("tar-short", "an archive that is cut short", "", refused, func(ctx context.Context, s *Stage) Outcome {
			return did(s.CopyIn(ctx, inWorkspace(s, "short"), io.LimitReader(pack([]entry{fileEntry("one")}), 515)))
		}),
		file("tar-garbage", "an archive that is none", "", refused, func(ctx context.Context, s *Stage) Outcome {
			return did(s.CopyIn(ctx, inWorkspace(s, "garbage"), bytes.NewReader(bytes.Repeat([]byte{0xff}, 1<<20))))
		}),
		file("tar-refused-midway", "a refusal in the middle of a large archive", "", refused, func(ctx context.Context, s *Stage) Outcome {
			entries := []entry{fileEntry("blocker"), fileEntry("blocker/below")}
			for range 16 {
				entries = append(entries, entry{tar.Header{Name: "large", Typeflag: tar.TypeReg, Mode: 0o644}, string(make([]byte, 1<<20))})
			}
			return did(s.CopyIn(ctx, inWorkspace(s, "fresh"), pack(entries)))
		}),
		file("tar-into-shm", "an archive into a memory file system, as the tool user", "", fine, func(ctx context.Context, s *Stage) Outcome {
			if err := s.CopyIn(ctx, "/dev/shm/in", pack([]entry{fileEntry("one")})); err != nil {
				return did(err)
			}
			res, err := s.Shell(ctx, "cat /dev/shm/in/one && [ -O /dev/shm/in/one ] && rm -r /dev/shm/in", quickly, false)
			return outcome(res, err)
		}),
		file("tar-outside", "an archive where the tool user may not write", "", refused, func(ctx context.Context, s *Stage) Outcome {
			return did(s.CopyIn(ctx, "/etc", pack([]entry{fileEntry("one")})))
		}),
	)
}

// archive makes a case that unpacks entries and compares what is around.
func archive(id, tries string, entries []entry) Case {
	const around = "ls -A /tmp /; stat -c %a /tmp/victim; md5sum </etc/passwd"
	const inside = `[ ! -d in ] || find in \( -type b -o -type c -o -type p -o -perm /6000 -o -links +1 -type f -o ! -user $(id -u) \)`
	prepare := "rm -rf in /tmp/out /tmp/victim; mkdir -m 700 /tmp/victim"
	return file("tar-"+id, "an archive with "+tries, prepare, []Ending{OK, Refused}, func(ctx context.Context, s *Stage) Outcome {
		before, err := s.say(ctx, around)
		if err != nil {
			return did(err)
		}
		out := did(s.CopyIn(ctx, inWorkspace(s, "in"), pack(entries)))
		after, err := s.say(ctx, around)
		if err != nil || after != before {
			return broken("around it changed from %q to %q (%v)", before, after, err)
		}
		if odd, err := s.say(ctx, inside); err != nil || odd != "" {
			return broken("unpacked %q (%v)", odd, err)
		}
		return out
	})
}

// pack makes an archive. What cannot be encoded is cut short, which is hostile too.
func pack(entries []entry) io.Reader {
	var buf bytes.Buffer
	tw := tar.NewWriter(&buf)
	for _, e := range entries {
		e.header.Size, e.header.Format = int64(len(e.content)), tar.FormatGNU
		if tw.WriteHeader(&e.header) == nil {
			_, _ = io.WriteString(tw, e.content)
		}
	}
	_ = tw.Close()
	return &buf
}
