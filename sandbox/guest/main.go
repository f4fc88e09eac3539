package guest

import "errors"

// Main runs the mode that the arguments name.
func Main(args []string) error {
	if len(args) == 0 {
		return errors.New("this program runs inside a sandbox; drydock starts it")
	}
	switch args[0] {
	case "init":
		if len(args) != 2 {
			return errors.New("init takes the setup as its one argument")
		}
		return Init(args[1])
	case "files":
		return serveFiles(args[1:])
	case "terminals":
		return serveTerminals(args[1:])
	case "launch":
		return Launch(args[1:])
	}
	return errors.New("unknown mode " + args[0])
}
