package images

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// stageVar tells the hooks where the staged files are. They are named through
// the environment because a path would have to be quoted.
const stageVar = "DRYDOCK_STAGE"

// stageFiles puts what the hooks need into dir.
func stageFiles(ctx context.Context, dir string) error {
	// Without root, mmdebstrap works as another user, who must get in.
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	staged := map[string][]byte{
		"dpkg.cfg": mustFile("dpkg.cfg"), "setup.sh": mustFile("setup.sh"),
		"nosync.sh": mustFile("nosync.sh"), "host-apt.conf": hostAptConf(ctx),
	}
	for name, body := range staged {
		if err := os.WriteFile(filepath.Join(dir, name), body, 0o644); err != nil {
			return fmt.Errorf("stage %s: %w", name, err)
		}
	}
	return nil
}

// isolation is the command prefix that keeps the mounts of a bootstrap as root
// to itself: they end with it, however it ends, so removing its directory
// never follows one. Without root mmdebstrap does that alone.
func isolation(ctx context.Context) []string {
	prefix := []string{"unshare", "--mount"}
	if os.Geteuid() != 0 || exec.CommandContext(ctx, prefix[0], prefix[1], "true").Run() != nil {
		return nil // who may not unshare may not mount either
	}
	return prefix
}

// mmdebstrapArgs is the command that writes the image's tar to stdout. Its
// choices are about speed: a minimal system, no exclusions while the first
// packages are extracted (each package would go through a slow filter), and no
// waiting for the disk.
func mmdebstrapArgs(r Recipe, sources []string) []string {
	const (
		aptConf  = `"$1"/etc/apt/apt.conf.d/00drydock`
		dpkgConf = `"$1"/etc/dpkg/dpkg.cfg.d`
	)
	stage := `"$` + stageVar + `"`
	args := []string{
		"mmdebstrap", "--mode=auto", "--variant=apt", "--format=tar", "--verbose",
		"--architectures=" + r.Arch,
		"--include=" + strings.Join(r.Packages, ","),
		"--setup-hook=cp " + stage + "/host-apt.conf " + aptConf,
		"--extract-hook=mkdir -p " + dpkgConf + " && cp " + stage + "/dpkg.cfg " + dpkgConf + "/drydock",
		"--extract-hook=sh " + stage + "/nosync.sh \"$1\" || true",
		`--customize-hook=rm -f "$1"/etc/ld.so.preload "$1"/usr/lib/*/libeatmydata.so*`,
		"--customize-hook=rm " + aptConf,
		`--customize-hook=chroot "$1" sh -s < ` + stage + "/setup.sh",
		suite, "-",
	}
	return append(args, sources...)
}
