package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"drydock/runtime"
	"drydock/sandbox"
	"drydock/sandbox/docker"
)

// compareCalls measures tool calls in a sandbox against exec calls in a bare
// container of the same image, both warm.
func compareCalls(ctx context.Context, s *subject, bare *engineAPI, image string, calls int) ([]comparison, error) {
	container, err := bare.start(ctx, image)
	if err != nil {
		return nil, err
	}
	defer bare.remove(container)
	exec := func(argv ...string) error { return bare.exec(ctx, container, argv) }
	// Both ways change the same file back and forth.
	words := [2]string{"alpha", "omega"}
	text := strings.Repeat("a line of a file that has some 10 kB\n", 10_000/37) + words[0] + "\n"
	if err := errors.Join(
		s.call(ctx, "str_replace_editor", args{"command": "create", "path": "f.txt", "file_text": text}),
		exec("sh", "-c", "printf %s '"+text+"' > /tmp/f.txt"),
	); err != nil {
		return nil, err
	}
	var table []comparison
	for _, c := range []struct {
		what            string
		drydock, engine func(i int) error
	}{
		{
			"bash true", func(int) error { return s.call(ctx, "bash", args{"command": "true"}) },
			func(int) error { return exec("bash", "-c", "true") },
		},
		{
			"python pass", func(int) error { return s.call(ctx, "python_execute", args{"code": "pass"}) },
			func(int) error { return exec("python3", "-c", "pass") },
		},
		{
			"view 10 kB", func(int) error {
				return s.call(ctx, "str_replace_editor", args{"command": "view", "path": "f.txt"})
			},
			func(int) error { return exec("cat", "-n", "/tmp/f.txt") },
		},
		{"str_replace 10 kB", func(i int) error {
			return s.call(ctx, "str_replace_editor", args{"command": "str_replace", "path": "f.txt", "old_str": words[i%2], "new_str": words[1-i%2]})
		}, func(i int) error {
			return exec("sed", "-i", "s/"+words[i%2]+"/"+words[1-i%2]+"/", "/tmp/f.txt")
		}},
	} {
		line, err := compareOne(c.what, c.drydock, c.engine, calls)
		if err != nil {
			return nil, err
		}
		table = append(table, line)
	}
	return table, nil
}

// compareOne takes turns, so that a busy spell of the machine hits both. The
// first call of each kind warms up and does not count.
func compareOne(what string, fast, slow func(i int) error, calls int) (comparison, error) {
	c := comparison{what: what, faster: 60}
	const rounds = 10
	done, slowDone := 0, 0
	for range 2 { // an even number keeps words in step
		if err := errors.Join(fast(done), slow(slowDone)); err != nil {
			return c, err
		}
		done, slowDone = done+1, slowDone+1
	}
	for range rounds {
		s, err := measure(max(2, calls/rounds), func(int) error { done++; return fast(done - 1) })
		if err != nil {
			return c, err
		}
		c.drydock = append(c.drydock, s...)
		s, err = measure(max(2, calls/rounds/10), func(int) error { slowDone++; return slow(slowDone - 1) })
		if err != nil {
			return c, err
		}
		c.engine = append(c.engine, s...)
	}
	return c, nil
}

// compareStarts measures a sandbox until its guest has answered against a bare
// container until the engine says it runs, in turns.
func compareStarts(ctx context.Context, engine *docker.Engine, bare *engineAPI, image string, n int) (comparison, error) {
	c := comparison{what: "ready", slower: 1.3}
	policy := sandbox.DefaultPolicy()
	policy.Image = image
	for i := range n + 1 {
		began := time.Now()
		box, err := sandbox.Default().Create(ctx, engine, fmt.Sprintf("bench-%d-%s", i, runtime.NewRunID(began)), policy)
		if err != nil {
			return c, err
		}
		ready := time.Since(began)
		if err := box.Close(ctx); err != nil {
			return c, err
		}
		began = time.Now()
		id, err := bare.start(ctx, image)
		if err != nil {
			return c, err
		}
		started := time.Since(began)
		bare.remove(id)
		if i > 0 { // the first of each is cold
			c.drydock, c.engine = append(c.drydock, ready), append(c.engine, started)
		}
	}
	return c, nil
}
