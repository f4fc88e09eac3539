package sandboxtest

import (
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/sandbox/wire"
)

// trickLimit is when a bent shell is given up.
const trickLimit = 4 * time.Second

// tricks: a shell that was bent out of shape still runs the next call and says
// how it ended, or is replaced by one that does.
func tricks(t *testing.T, s suite) {
	box := s.box(t)
	for _, trick := range []string{
		"export BASH_ENV=/tmp/evil ENV=/tmp/evil; echo 'exit 99' >/tmp/evil",
		"PROMPT_COMMAND='exit 98'; PS0='$(exit 1)'; PS4='$(touch /tmp/ps4)'; set -x",
		"export LD_PRELOAD=/nonexistent.so LD_LIBRARY_PATH=/tmp",
		"PATH=; hash -r", "PATH=/nonexistent", "unset PATH", "unset -f $(compgen -A function)",
		"for v in $(compgen -v); do unset -v $v; done 2>/dev/null",
		"exec() { :; }; export() { :; }; .() { :; }; printf() { :; }; trap() { :; }; set() { :; }",
		"builtin() { :; }", "builtin() { :; }; exec() { :; }; export() { :; }; .() { :; }; unset() { :; }; set() { :; }",
		"shopt -s expand_aliases; alias builtin='echo aliased' exec='echo aliased' export='echo aliased' .='echo aliased' printf='echo aliased'",
		"set -o posix", "set -o posix; readonly DRYDOCK_CALL", "POSIXLY_CORRECT=1", "readonly POSIXLY_CORRECT=",
		"readonly DRYDOCK_CALL", "readonly DRYDOCK_CALL=x", "declare -i DRYDOCK_CALL", "declare -A other; unset DRYDOCK_CALL; declare -A DRYDOCK_CALL",
		"enable -n exec export . printf builtin", "enable -n builtin", "enable -n printf",
		"set -e", "set -u", "set -n", "set -f", "set -C", "set -k", "set -t", "set -v", "set -x", "set -a", "set -o noexec",
		"set -euo pipefail", "set -T -E; trap 'echo debug' DEBUG RETURN ERR EXIT", "trap 'exit 3' DEBUG", "trap 'return 2' DEBUG; shopt -s extdebug",
		"trap '' 63", "trap 'exit 4' EXIT; trap : RETURN", "ulimit -n 4", "ulimit -n 0", "ulimit -f 0", "ulimit -u 1", "ulimit -v 1000", "ulimit -t 1",
		"IFS=0123456789", "IFS=ok", "shopt -s failglob nullglob extglob", "umask 777", "cd /; mkdir -p /tmp/a; cd /tmp/a; rm -rf /tmp/a",
		"exec 3>&1 4>&1 5<&0; exec 1>&- 2>&- 0<&-", "for fd in $(seq 0 300); do eval \"exec $fd>&-\"; done 2>/dev/null", "exec 255>&-",
		"exec 255</dev/null", "exec <<<'exit 9'", "return 7", "break 9; continue 9", "kill -TERM $$", "kill -63 $$", "disown -a; jobs",
		"set -m", "set -b; set -H; set -P", "suspend", "logout", "LC_ALL=xx_YY; LANG=zz", "{ exit 1; } | cat; (exit 2) &", "coproc cat", "eval 'eval \"exit 5\"'",
		"command_not_found_handle() { exit 6; }; nonsense", "__drydock_unwind() { exit 8; }", "OPTIND=99; getopts x y", "readonly IFS PATH _ 2>/dev/null",
		"readonly BASH_SOURCE 2>/dev/null; unset BASH_SOURCE", "history -r /etc/passwd; fc -s", "ulimit -s 64; f() { f; }; f", "f() { f; }; f",
	} {
		t.Run(trick, func(t *testing.T) {
			_, err := box.Shell(t.Context(), trick, trickLimit, true)
			assert.NilError(t, err)
			for _, word := range []string{"first", "second"} {
				began := time.Now()
				res := shell(t, box, "echo "+word, 2*trickLimit)
				assert.Equal(t, res.Status, wire.StatusOK, "%s", text(res))
				assert.Assert(t, strings.Contains(text(res), word+"\n"), "%q", text(res))
				assert.Assert(t, time.Since(began) < trickLimit, "it took %s", time.Since(began))
			}
		})
	}
}
