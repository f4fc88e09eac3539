package abuse

import "time"

// shellTricks bend the shell out of shape. It still runs the next call and says
// how it ended, or is replaced by one that does.
func shellTricks() []Case {
	like := Case{Limit: 4 * time.Second, Leaves: "cat|bash|sleep", Then: says("echo second", "second").ending()}
	list := numbered("trick", like, []string{
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
		"readonly BASH_SOURCE 2>/dev/null; unset BASH_SOURCE", "history -r /etc/passwd; fc -s", "ulimit -s 64; f() { f; }; f",
		// Bent further.
		"source() { exit 7; }; eval() { exit 7; }; kill() { :; }; read() { exit 7; }", "unset -f builtin; builtin builtin unset BASH_ARGV0", "enable -n read trap unset set eval kill",
		"trap 'kill -9 $$' EXIT", "trap 'sleep 99' EXIT; exit 3", "trap 'exit 5' ERR; false", "trap 'trap \"exit 4\" DEBUG' RETURN", "for s in $(seq 64); do trap 'exit 9' $s; done 2>/dev/null",
		"shopt -s lastpipe; echo x | read y; exec 2>/dev/full", "exec >/dev/full 2>&1", "exec >/dev/null", "exec </dev/zero", "exec 0</dev/null 1>/dev/null 2>/dev/null 3>&1; exec 63</dev/zero",
		"shopt -s compat31 compat40 compat41 compat42 compat43 compat44 2>/dev/null", "set -o vi; set -o emacs; bind -x '\"x\": exit' 2>/dev/null", "export SHELLOPTS BASHOPTS; set -o errexit", "export BASH_XTRACEFD=1; set -x", "BASH_XTRACEFD=7; set -x",
		"TMOUT=1; sleep 1.2", "HISTFILE=/etc/passwd; history -w", "export PS4='$(kill -9 $$)'; set -x", "declare -n DRYDOCK_CALL=PATH", "declare -r PWD OLDPWD HOME", "export -n PATH HOME", "unset HOME PWD OLDPWD IFS; cd; :",
		"BASH_SUBSHELL=9; RANDOM=1; SECONDS=x; unset SECONDS RANDOM LINENO BASHPID", "ulimit -c 0 -d 100 -s 8 -m 1", "ulimit -i 0; ulimit -q 0", "alias .=exit; shopt -s expand_aliases", "function . { exit; }; function exit { :; }",
		"cd /proc/self; cd task", "cd /proc/1 2>/dev/null; cd /dev/fd", "mkdir -p \"$(printf '/tmp/n\\nl')\"; cd \"$(printf '/tmp/n\\nl')\"", "mkdir -p /tmp/loop; cd -P /tmp/loop; chmod 0 /tmp/loop", "ln -s /tmp /tmp/via 2>/dev/null; cd /tmp/via; rm /tmp/via",
		"mapfile -t -c 1 -C 'exit' x </etc/passwd", "exec -a bash -c 2>/dev/null; exec -l true", "exec 254<>/dev/null; exec 10>&254", "while read -r l; do :; done <$0 &\nsleep 0.1; kill %1", "wait -n; wait 1; fg; bg", "coproc { exit 3; }; exec 0<&${COPROC[0]}", "printf -v DRYDOCK_CALL x; printf -v PATH x", "${x?unset}", "((1/0)); let 0", "[[ $(</dev/zero) ]]",
	})
	list[len(list)-1].Limit = 2 * time.Second
	return append(list, numbered("trick-slow", Case{Limit: 4 * time.Second, Slow: true, Then: like.Then}, []string{"f() { f; }; f", "while :; do x+=$x.; done", "eval \"$(printf '(%.0s' $(seq 20000))\""})...)
}

// shellEnds are commands that end the shell, or should not.
func shellEnds() []Case {
	return []Case{
		{ID: "end-exit", Tries: "to end the shell", Input: "exit 3", Expect: denied, Check: all(code(3), replaced)},
		{ID: "end-exec", Tries: "to become another program", Input: "exec sleep 0.1", Expect: fine, Check: replaced},
		{ID: "end-exec-stays", Tries: "to become a program that stays", Input: "exec sleep 99", Limit: brief, Expect: timeout, Check: replaced},
		{ID: "end-exec-absent", Tries: "to become a program that there is not", Input: "exec no-such-program", Expect: denied},
		{ID: "end-output", Tries: "to close the output for good", Input: "exec 1>&- 2>&-; echo x", Expect: ended},
		{ID: "end-errexit", Tries: "to end with the first failure", Input: "set -e; false", Expect: denied, Check: code(1)},
		{ID: "end-syntax", Tries: "an open quote", Input: "echo 'abc", Expect: denied, Check: kept},
		{ID: "end-syntax-nested", Tries: "an open everything", Input: "if (case x in $(cat <<E", Expect: ended, Check: kept},
		{ID: "end-braces", Tries: "to close what is not open", Input: "}; done; fi; esac; )", Expect: denied, Check: kept},
		{ID: "end-text", Tries: "a command that is no text", Input: "\x00\xff\xfe\x80 \x1b[31m", Check: kept},
		{ID: "end-crlf", Tries: "line ends of another system", Input: "echo a\r\necho b\r\n", Check: kept},
		{ID: "end-suspended", Tries: "a shell that is stopped by a child", Input: "(kill -STOP $PPID $$; sleep 1) & sleep 3", Limit: brief},
		{ID: "end-nested", Tries: "a shell in a shell in a shell", Input: "bash -c 'bash -c \"bash -c \\\"exec bash\\\"\"'; echo on", Expect: fine, Check: prints("on\n")},
		{ID: "end-killed-by-child", Tries: "a child that kills its shell", Input: "(sleep 0.1; kill -9 $$) & sleep 5", Expect: denied, Check: all(code(137), replaced)},
		{ID: "end-killed-later", Tries: "a job that kills the shell between two calls", Input: "(sleep 0.2; kill -9 $$) & true", Expect: fine, Then: says("sleep 0.4; true", "").lenient()},
		{ID: "end-long", Tries: "a command of two megabytes", Tool: Go, Expect: fine, Play: longCommand(2 << 20)},
		{ID: "end-too-long", Tries: "a command beyond the limit", Tool: Go, Expect: refused, Play: longCommand(9 << 20)},
	}
}
