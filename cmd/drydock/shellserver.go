package main

import (
	"drydock/cmd/attach"
	"drydock/runtime"
	"drydock/sandbox"
)

// letShellsIn serves `drydock shell` while a run has a sandbox.
func letShellsIn(dir runtime.RunDir) func(*sandbox.Sandbox) (func(string), error) {
	return func(box *sandbox.Sandbox) (func(string), error) {
		server, err := attach.Serve(dir.Path, box)
		if err != nil {
			return nil, err
		}
		return server.Close, nil
	}
}
