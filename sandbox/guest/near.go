package guest

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// launchNear starts a program in a directory, or in the nearest one above that
// exists and can be entered: where a shell stood may be gone or locked.
func (g *Guest) launchNear(argv []string, dir string, env []string, extra ...*os.File) (*process, error) {
	for {
		proc, err := g.launch(argv, dir, env, extra...)
		noWay := errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ENOTDIR)
		if !noWay || dir == "/" || !filepath.IsAbs(dir) {
			return proc, err
		}
		dir = filepath.Dir(dir)
	}
}
