package sandboxtest

import "slices"

// Lack is a part of the contract that an engine or a runtime cannot keep. What
// is left out for it says so where the contract is played.
type Lack string

// What engines and runtimes lack.
const (
	// NoControlFiles: a container does not see the limits that the engine set
	// for it, or sees larger ones that leave room for the runtime itself. The
	// sandbox's own counters, and what happens at the limits, stay promised.
	NoControlFiles Lack = "control files"
	// NoHiding: a process that is not dumpable shows its environment, its memory
	// map and its named pipes to others, as gVisor's does. Those of the first
	// process are the image's variables and pipes whose names are a secret of the
	// call that they serve; its memory and its stream stay closed.
	NoHiding Lack = "hiding"
	// NoTerminalControl: terminals do what a program that reads and writes needs,
	// but make no signals of keys or of a new size and no end of input of Ctrl-D,
	// and do not take every way of setting their modes.
	NoTerminalControl Lack = "terminal control"
	// NoRootGuard: root of the container can end or stop the first process. The
	// sandbox is then lost, and told as lost.
	NoRootGuard Lack = "root guard"
	// NoMappedFiles: what is written to a file through memory counts as memory, and
	// meets that limit before the one of the disk.
	NoMappedFiles Lack = "mapped files"
)

func (s suite) lacks(l Lack) bool { return slices.Contains(s.lack, l) }
