package abuse

import (
	"maps"
	"strings"
)

// underGVisor says which cases are not played under gVisor and why: what they try
// succeeds there and gains nothing. Cases of many alike are named by what they
// try, others by their identifier. docs/engines.md lists the reasons.
var underGVisor = map[string]string{
	"unshare -Ur id":                      "its user namespaces have no power outside of them",
	"the system call unshare_user":        "its user namespaces have no power outside of them",
	"mknod /tmp/dev c 1 3":                "its device files lead to no device",
	"mknod /tmp/disk b 8 0":               "its device files lead to no device",
	"sysctl -w kernel.hostname=x":         "the program ends well although the kernel refused it",
	"renice -n -5 $$":                     "its priorities mean nothing",
	"echo -500 >/proc/self/oom_score_adj": "its kernel ends no process for memory",
	"dmesg":                               "its log is its own, not the machine's",
	"the system call syslog":              "its log is its own, not the machine's",
	"busy-nice":                           "its priorities mean nothing",
	"script /dev/null":                    "its terminals do not pass on the end of the input, so the call ends by its time",
	"init-priority":                       "its priorities mean nothing",
	"init-proc":                           "it shows the supervisor's environment and named pipes, which hold nothing",
	"worker-size":                         "it lets a user limit any process of his, to his own harm",
}

// withReasons adds what is known of other kernels to a case.
func withReasons(c Case) Case {
	id, _, _ := strings.Cut(c.ID, "@")
	for _, name := range []string{c.Tries, id} {
		if why, known := underGVisor[name]; known {
			reasons := noRunsc(why)
			maps.Copy(reasons, c.Not)
			c.Not = reasons
		}
	}
	return c
}
