package guestbin

import (
	"bytes"
	"debug/elf"
	"testing"

	"gotest.tools/v3/assert"
)

// largest is what a guest may add to drydock, and to every sandbox.
const largest = 8 << 20

func TestGuestsAreSmallAndStatic(t *testing.T) {
	for arch, machine := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64} {
		t.Run(arch, func(t *testing.T) {
			data, err := Binary(t.Context(), arch)
			assert.NilError(t, err)
			assert.Assert(t, len(data) <= largest, "%d bytes", len(data))
			file, err := elf.NewFile(bytes.NewReader(data))
			assert.NilError(t, err)
			assert.Equal(t, file.Machine, machine)
			for _, part := range file.Progs {
				assert.Assert(t, part.Type != elf.PT_INTERP && part.Type != elf.PT_DYNAMIC, "it needs libraries of the image")
			}
		})
	}
}

func TestNoGuestForOtherMachines(t *testing.T) {
	for _, arch := range []string{"riscv64", "", "../amd64"} {
		_, err := Binary(t.Context(), arch)
		assert.ErrorContains(t, err, "drydock has guests for amd64 and arm64 only")
	}
}
