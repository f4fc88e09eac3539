package fake

import (
	"context"
	"fmt"
	"strings"
	"time"

	"drydock/sandbox/wire"
)

// Say knows the few commands by which one sees that a sandbox lives: echo, true,
// false and sleep, the last one also as Python. Of anything else it says that it
// is not found.
func Say(ctx context.Context, call Call) wire.Result {
	words := call.Argv
	if call.Tool != wire.PathExec {
		words = strings.Fields(strings.NewReplacer("import time; time.sleep(", "sleep ", ")", "").Replace(call.Text))
	}
	if len(words) == 0 {
		return wire.Result{}
	}
	switch words[0] {
	case "echo":
		return wire.Result{Head: []byte(strings.Join(words[1:], " ") + "\n")}
	case "true":
		return wire.Result{}
	case "false":
		return wire.Result{Status: wire.StatusExitNonzero, ExitCode: 1}
	case "sleep":
		sleep(ctx, strings.Join(words[1:], ""))
		return wire.Result{}
	}
	return wire.Result{Status: wire.StatusExitNonzero, ExitCode: 127, Head: fmt.Appendf(nil, "%s: not found\n", words[0])}
}

func sleep(ctx context.Context, seconds string) {
	d, err := time.ParseDuration(seconds + "s")
	if err != nil {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
