package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// engineAPI is the least that talks to an engine over its socket: no client
// library of any kind is in what is measured.
type engineAPI struct{ http http.Client }

func dialEngine(host string) (*engineAPI, error) {
	path, ok := strings.CutPrefix(host, "unix://")
	if !ok {
		return nil, fmt.Errorf("the engine is at %s; only a local one can be compared with", host)
	}
	var dialer net.Dialer
	return &engineAPI{http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dialer.DialContext(ctx, "unix", path) },
	}}}, nil
}

// do sends a request and decodes the answer into out, or reads it to its end.
func (e *engineAPI) do(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		body = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://engine/v1.41"+path, body)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := e.http.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= http.StatusBadRequest {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1000))
		return fmt.Errorf("%s: %s: %s", path, resp.Status, text)
	}
	if out == nil {
		_, err = io.Copy(io.Discard, resp.Body)
	} else {
		err = json.NewDecoder(resp.Body).Decode(out)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

type object = map[string]any

// start creates and starts a container that sleeps, without a network as
// sandboxes are.
func (e *engineAPI) start(ctx context.Context, image string) (string, error) {
	var created struct{ ID string }
	err := e.do(ctx, http.MethodPost, "/containers/create", object{
		"Image": image, "Entrypoint": []string{"sleep"}, "Cmd": []string{"600"},
		"Labels":     object{"drydock.bench": "1"},
		"HostConfig": object{"NetworkMode": "none", "AutoRemove": true},
	}, &created)
	if err == nil {
		err = e.do(ctx, http.MethodPost, "/containers/"+created.ID+"/start", nil, nil)
	}
	return created.ID, err
}

func (e *engineAPI) remove(id string) {
	_ = e.do(context.Background(), http.MethodDelete, "/containers/"+id+"?force=1", nil, nil)
}

// exec runs a program to its end and asks for its exit code, as a tool has to.
func (e *engineAPI) exec(ctx context.Context, container string, argv []string) error {
	var created struct{ ID string }
	err := e.do(ctx, http.MethodPost, "/containers/"+container+"/exec", object{"Cmd": argv, "AttachStdout": true, "AttachStderr": true}, &created)
	if err == nil {
		err = e.do(ctx, http.MethodPost, "/exec/"+created.ID+"/start", object{"Detach": false, "Tty": false}, nil)
	}
	var state struct{ ExitCode int }
	if err == nil {
		err = e.do(ctx, http.MethodGet, "/exec/"+created.ID+"/json", nil, &state)
	}
	if err == nil && state.ExitCode != 0 {
		err = fmt.Errorf("%s ended with %d", strings.Join(argv, " "), state.ExitCode)
	}
	return err
}
