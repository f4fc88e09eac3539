package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
)

// engineAPI asks the engine itself, not through the code that is tried here.
type engineAPI struct{ http http.Client }

func dialEngine() (*engineAPI, error) {
	path := "/var/run/docker.sock"
	if host := os.Getenv("DOCKER_HOST"); host != "" {
		var local bool
		if path, local = strings.CutPrefix(host, "unix://"); !local {
			return nil, fmt.Errorf("the engine is at %s; only a local one can be looked at", host)
		}
	}
	var dialer net.Dialer
	return &engineAPI{http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dialer.DialContext(ctx, "unix", path) },
	}}}, nil
}

func (e *engineAPI) get(ctx context.Context, path string, out any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://engine/v1.41"+path, nil)
	if err != nil {
		return fmt.Errorf("ask the engine: %w", err)
	}
	resp, err := e.http.Do(req)
	if err != nil {
		return fmt.Errorf("ask the engine: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("ask the engine: %s: %s", path, resp.Status)
	}
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return fmt.Errorf("ask the engine: %s: %w", path, err)
	}
	return nil
}

// containersOf names the containers of runs, in whatever state.
func (e *engineAPI) containersOf(ctx context.Context, runs []string) ([]string, error) {
	var list []struct {
		ID     string
		Labels map[string]string
	}
	if err := e.get(ctx, "/containers/json?all=1", &list); err != nil {
		return nil, err
	}
	var all []string
	for _, c := range list {
		if slices.Contains(runs, c.Labels["drydock.run"]) {
			all = append(all, c.ID)
		}
	}
	return all, nil
}

// others names volumes and networks, which no label ties to a run.
func (e *engineAPI) others(ctx context.Context) (volumes, networks []string, err error) {
	var v struct{ Volumes []struct{ Name string } }
	if err := e.get(ctx, "/volumes", &v); err != nil {
		return nil, nil, err
	}
	for _, volume := range v.Volumes {
		volumes = append(volumes, volume.Name)
	}
	var n []struct{ ID string }
	if err := e.get(ctx, "/networks", &n); err != nil {
		return nil, nil, err
	}
	for _, network := range n {
		networks = append(networks, network.ID)
	}
	return volumes, networks, nil
}
