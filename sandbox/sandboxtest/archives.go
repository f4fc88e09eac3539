package sandboxtest

import (
	"archive/tar"
	"testing"

	"gotest.tools/v3/assert"
)

// archives: what is unpacked has the modes that the archive gives.
func archives(t *testing.T, s suite) {
	box := s.box(t)
	assert.NilError(t, box.CopyIn(t.Context(), s.policy.Workdir+"/modes", packEntries(t, []entry{
		{tar.Header{Name: "ro/", Typeflag: tar.TypeDir, Mode: 0o555}, ""},
		{tar.Header{Name: "ro/deep/", Typeflag: tar.TypeDir, Mode: 0o500}, ""},
		{tar.Header{Name: "ro/deep/x", Typeflag: tar.TypeReg, Mode: 0o755}, "x"},
		{tar.Header{Name: "ro/none", Typeflag: tar.TypeReg, Mode: 0}, "x"},
		{tar.Header{Name: "empty/", Typeflag: tar.TypeDir, Mode: 0o755}, ""},
	})))
	assert.Equal(t, say(t, box, "cd modes; find ro empty -printf '%p %m\\n' | sort; cd -- \"$OLDPWD\""),
		"empty 755\nro 555\nro/deep 500\nro/deep/x 755\nro/none 0")
}
