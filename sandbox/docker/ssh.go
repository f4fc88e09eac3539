package docker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os/exec"
	"regexp"
)

// sshDialer makes connections to an engine behind ssh://[user@]host[:port][/socket]
// as the docker command does: each is an ssh that runs docker system dial-stdio
// on the other side.
func sshDialer(address string) (func(context.Context, string, string) (net.Conn, error), error) {
	argv, err := sshCommand(address)
	if err != nil {
		return nil, err
	}
	return func(context.Context, string, string) (net.Conn, error) {
		conn, err := startConn(exec.Command("ssh", argv...))
		if err != nil {
			return nil, fmt.Errorf("start ssh: %w", err)
		}
		return conn, nil
	}, nil
}

// What may be in the parts of an address. None can begin with a dash, or ssh
// would take it for an option, and the path reaches a shell on the other side.
var (
	sshName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.@%+-]*$`)
	sshHost = regexp.MustCompile(`^[A-Za-z0-9_:\[][A-Za-z0-9_.:%\]-]*$`)
	sshPath = regexp.MustCompile(`^/[A-Za-z0-9_./-]*$`)
)

// sshCommand is what follows ssh on its command line.
func sshCommand(address string) ([]string, error) {
	u, err := url.Parse(address)
	if err != nil {
		var parse *url.Error
		if errors.As(err, &parse) {
			err = parse.Err // it may hold a password
		}
		return nil, err
	}
	user := u.User.Username()
	if _, has := u.User.Password(); has {
		return nil, errors.New("a password does not belong there; use a key")
	}
	switch {
	case !sshHost.MatchString(u.Hostname()):
		return nil, errors.New("the host is missing or no host's name")
	case user != "" && !sshName.MatchString(user):
		return nil, errors.New("the user is no user's name")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("nothing can come behind the host but the path of a socket")
	case u.Path != "" && !sshPath.MatchString(u.Path):
		return nil, errors.New("the path of the socket may hold letters, digits and ./_- only")
	}
	argv := []string{"-T", "-o", "ConnectTimeout=10"}
	if user != "" {
		argv = append(argv, "-l", user)
	}
	if port := u.Port(); port != "" {
		argv = append(argv, "-p", port)
	}
	argv = append(argv, "--", u.Hostname(), "docker")
	if u.Path != "" && u.Path != "/" {
		argv = append(argv, "--host", "unix://"+u.Path)
	}
	return append(argv, "system", "dial-stdio"), nil
}
