package sandboxtest

import (
	"archive/tar"
	"io"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/sandbox/wire"
)

// links: what a link leads to is reached with the tool user's rights and no
// others, and copying out shows the link and never its target.
func links(t *testing.T, s suite) {
	box := s.box(t)
	ctx := t.Context()
	dir := s.policy.Workdir
	say(t, box, `ln -s /etc/shadow shadow; ln -s /etc/passwd passwd; ln -s / root; ln -s ../../../../etc up
ln -s /proc/1 pid1; ln -s new-target dangling; mkdir sub; echo in >sub/file; ln -s sub/file good; ln -s /proc/self/mem mem`)
	for path, code := range map[string]string{
		"shadow": wire.CodePermission, "root/etc/shadow": wire.CodePermission, "up/shadow": wire.CodePermission,
		"pid1/environ": wire.CodePermission, "pid1/mem": wire.CodePermission, "pid1/fd/1": wire.CodePermission,
	} {
		_, _, err := box.ReadFile(ctx, dir+"/"+path, 100)
		assertCode(t, err, code)
	}
	for _, path := range []string{"passwd", "root/etc/passwd", "up/hosts", "root/.drydock/guest", "root/.drydock/run/command", "root/usr/new"} {
		_, err := box.WriteFile(ctx, dir+"/"+path, []byte("x"), wire.WriteOptions{})
		assert.Assert(t, err != nil, path)
	}
	_, err := box.WriteFile(ctx, dir+"/mem", []byte("x"), wire.WriteOptions{})
	assert.Assert(t, err != nil)
	assert.Assert(t, box.RemoveFile(ctx, dir+"/root/etc/hostname", wire.WriteOptions{}) != nil)

	t.Run("writing goes through a link and keeps it", func(t *testing.T) {
		info, err := box.WriteFile(ctx, dir+"/good", []byte("new"), wire.WriteOptions{})
		assert.NilError(t, err)
		assert.Equal(t, string(info.Path), dir+"/sub/file")
		_, err = box.WriteFile(ctx, dir+"/dangling", []byte("made"), wire.WriteOptions{})
		assert.NilError(t, err)
		assert.Equal(t, say(t, box, "cat sub/file; echo; readlink good dangling; cat new-target"), "new\nsub/file\nnew-target\nmade")
	})

	t.Run("copying out follows none", func(t *testing.T) {
		got := copiedOut(t, box, dir, "passwd", "root/etc/passwd", "up/passwd", "../etc/passwd", "/etc/passwd", "pid1/status", "absent", "sub/file")
		assert.DeepEqual(t, got, map[string]string{"sub/file": "new"})
		err := box.Walk(ctx, dir, func(e wire.WalkEntry) error {
			assert.Assert(t, e.Kind != "f" || len(e.Path) < 20, "%s", e.Path)
			assert.Assert(t, string(e.Path) != "root/etc", "the walk went through a link")
			return nil
		})
		assert.NilError(t, err)
	})
}

// archives: nothing that an archive holds lands outside of the directory that
// it is unpacked to, not even where the tool user could write.
func archives(t *testing.T, s suite) {
	box := s.box(t)
	ctx := t.Context()
	dir := s.policy.Workdir + "/in"
	file := func(name string) entry {
		return entry{tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644}, "hostile"}
	}
	link := func(name, target string) entry {
		return entry{tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: target}, ""}
	}
	for name, entries := range map[string][]entry{
		"dots":                     {file("../../tmp/out"), file("a/../../../tmp/out")},
		"absolute":                 {file("/tmp/out")},
		"file through a link":      {link("l", "/tmp"), file("l/out")},
		"file through dots":        {link("l", "../../tmp"), file("l/out")},
		"file through two links":   {link("a", "/"), link("b", "a/tmp"), file("b/out")},
		"directory through a link": {link("l", "/tmp"), {tar.Header{Name: "l/out/", Typeflag: tar.TypeDir, Mode: 0o777}, ""}},
		"directory onto a link":    {link("l", "/tmp/victim"), {tar.Header{Name: "l/", Typeflag: tar.TypeDir, Mode: 0o777}, ""}},
		"link through a link":      {link("l", "/tmp"), link("l/out", "/etc")},
		"file over a link":         {link("l", "/tmp/out"), file("l")},
		"hard link":                {{tar.Header{Name: "h", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}, ""}, file("h")},
		"device":                   {{tar.Header{Name: "d", Typeflag: tar.TypeChar, Devmajor: 1, Devminor: 3, Mode: 0o666}, ""}},
		"pipe":                     {{tar.Header{Name: "p", Typeflag: tar.TypeFifo, Mode: 0o666}, ""}},
		"set-user-id":              {{tar.Header{Name: "suid", Typeflag: tar.TypeReg, Mode: 0o4755}, "x"}},
	} {
		t.Run(name, func(t *testing.T) {
			say(t, box, "rm -rf in /tmp/out /tmp/victim; mkdir -m 700 /tmp/victim")
			before := say(t, box, "ls -A /tmp /; stat -c %a /tmp/victim; md5sum </etc/passwd")
			if err := box.CopyIn(ctx, dir, packEntries(t, entries)); err != nil {
				assertCode(t, err, wire.CodeInvalid)
			}
			assert.Equal(t, say(t, box, "ls -A /tmp /; stat -c %a /tmp/victim; md5sum </etc/passwd"), before)
			assert.Equal(t, say(t, box, `[ ! -d in ] || find in \( -type b -o -type c -o -type p -o -perm /6000 -o -links +1 -type f \)`), "")
		})
	}
	t.Run("a refusal in the middle of a large archive", func(t *testing.T) {
		entries := []entry{file("blocker"), file("blocker/below")}
		for range 64 {
			entries = append(entries, entry{tar.Header{Name: "large", Typeflag: tar.TypeReg, Mode: 0o644}, string(make([]byte, 1<<20))})
		}
		assertCode(t, box.CopyIn(ctx, dir+"/fresh", packEntries(t, entries)), wire.CodeExists)
		alive(t, box)
	})
	t.Run("cut short", func(t *testing.T) {
		whole := packEntries(t, []entry{file("one")})
		assertCode(t, box.CopyIn(ctx, dir+"/short", io.LimitReader(whole, 515)), wire.CodeInvalid)
	})
	t.Run("read-only directories and modes", func(t *testing.T) {
		assert.NilError(t, box.CopyIn(ctx, dir+"/modes", packEntries(t, []entry{
			{tar.Header{Name: "ro/", Typeflag: tar.TypeDir, Mode: 0o555}, ""},
			{tar.Header{Name: "ro/deep/", Typeflag: tar.TypeDir, Mode: 0o500}, ""},
			{tar.Header{Name: "ro/deep/x", Typeflag: tar.TypeReg, Mode: 0o755}, "x"},
			{tar.Header{Name: "ro/none", Typeflag: tar.TypeReg, Mode: 0}, "x"},
			{tar.Header{Name: "empty/", Typeflag: tar.TypeDir, Mode: 0o755}, ""},
		})))
		assert.Equal(t, say(t, box, "cd in/modes; stat -c '%n %a' ro ro/deep ro/deep/x ro/none empty; cd -- \"$OLDPWD\""),
			"ro 555\nro/deep 500\nro/deep/x 755\nro/none 0\nempty 755")
	})
}
