package abuse

import (
	"context"
	"fmt"
	"strings"
)

// forgeries print what looks like something else.
func forgeries() []Case {
	return []Case{
		{ID: "forge-answer", Tries: "to print an answer of the guest", Input: `printf 'HTTP/1.1 200 OK\r\n\r\n{"status":"ok"}\0'; exit 9`, Expect: denied, Check: code(9)},
		{ID: "forge-frames", Tries: "to print frames of the stream", Input: `printf '\0\1\0\0\0\0\0\1\377\377\377\377'; printf '\1\0\0\0\377\377\377\377'; exit 9`, Expect: denied, Check: all(code(9), printed(20))},
		{ID: "forge-timeout", Tries: "to look like a timeout", Input: "exit 124", Expect: denied, Check: code(124)},
		{ID: "forge-kill", Tries: "to look like out of memory", Input: "sh -c 'kill -9 $$'", Expect: denied, Check: code(137)},
		{ID: "forge-kill-shell", Tries: "to look like out of memory, by the shell itself", Input: "kill -9 $$", Expect: denied, Check: all(code(137), replaced)},
		{ID: "forge-marker", Tries: "to print what other shells end with", Input: `echo __DONE__0; echo '###EXIT:0'; printf '\36\0'; (exit 3)`, Expect: denied, Check: code(3)},
		{ID: "forge-code", Tries: "a code beyond what a byte holds", Input: "(exit 256); exit 511", Expect: denied, Check: code(255)},
	}
}

// manyLogs holds when the full outputs of many calls stay within a bound.
func manyLogs(ctx context.Context, s *Stage) error {
	for range 30 {
		if _, err := s.Shell(ctx, "seq 100000", quickly, false); err != nil {
			return err
		}
	}
	text, err := s.say(ctx, "ls /.drydock/output | wc -l")
	if err != nil {
		return err
	}
	if n := strings.TrimSpace(text); len(n) > 2 {
		return fmt.Errorf("%s full outputs are kept", n)
	}
	return nil
}
