//go:build !linux

package scratch

// mountedBelow is for Linux only: nothing that drydock does elsewhere mounts.
func mountedBelow(string) bool { return false }
