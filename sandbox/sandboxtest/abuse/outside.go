package abuse

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Outside works on containers as another user of the engine would, without a
// client library that could share a mistake with what is tested.
type Outside struct {
	http http.Client
	dial func(context.Context) (net.Conn, error)
}

// DialOutside prepares to talk to a local engine at an address as the engine
// itself gives it, for example unix:///run/engine.sock.
func DialOutside(address string) (*Outside, error) {
	path, ok := strings.CutPrefix(address, "unix://")
	if !ok {
		return nil, fmt.Errorf("the engine is at %s; only a local one can be worked on from outside", address)
	}
	var dialer net.Dialer
	o := &Outside{dial: func(ctx context.Context) (net.Conn, error) { return dialer.DialContext(ctx, "unix", path) }}
	o.http.Transport = &http.Transport{
		DisableKeepAlives: true, // its connections must not look like a leak
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return o.dial(ctx) },
	}
	return o, nil
}

// do sends a request and decodes the answer into out, if there is one.
func (o *Outside) do(ctx context.Context, method, path string, out any) error {
	req, err := http.NewRequestWithContext(ctx, method, "http://engine/v1.41"+path, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	resp, err := o.http.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= http.StatusBadRequest {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1000))
		return fmt.Errorf("%s: %s: %s", path, resp.Status, text)
	}
	if out == nil {
		return nil
	}
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Running lists the run ids, with this prefix, of the containers there are,
// whatever state they are in.
func (o *Outside) Running(ctx context.Context, prefix string) ([]string, error) {
	var found []struct{ Labels map[string]string }
	filter := url.QueryEscape(`{"label":["drydock=sandbox"]}`)
	if err := o.do(ctx, http.MethodGet, "/containers/json?all=1&filters="+filter, &found); err != nil {
		return nil, err
	}
	var ids []string
	for _, c := range found {
		if id := c.Labels["drydock.run"]; strings.HasPrefix(id, prefix) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// Inspect gives all that the engine knows of a sandbox's container, as text.
func (o *Outside) Inspect(ctx context.Context, id string) (string, error) {
	var all json.RawMessage
	err := o.do(ctx, http.MethodGet, container(id)+"/json", &all)
	return string(all), err
}

// Kill sends the container's first process a signal.
func (o *Outside) Kill(ctx context.Context, id, signal string) error {
	return o.do(ctx, http.MethodPost, container(id)+"/kill?signal="+signal, nil)
}

// Act does to a container what is a route of its own, for example pause.
func (o *Outside) Act(ctx context.Context, id, action string) error {
	return o.do(ctx, http.MethodPost, container(id)+"/"+action, nil)
}

// Remove deletes a container, running or not.
func (o *Outside) Remove(ctx context.Context, id string) error {
	return o.do(ctx, http.MethodDelete, container(id)+"?force=1", nil)
}

func container(id string) string { return "/containers/drydock-" + id }

// Listen reads a container's output beside its owner, for a while.
func (o *Outside) Listen(ctx context.Context, id string, during time.Duration) error {
	return o.attach(ctx, id, "stream=1&stdout=1", during)
}

// Intrude attaches to a container's input and lets go of it.
func (o *Outside) Intrude(ctx context.Context, id string) error {
	return o.attach(ctx, id, "stream=1&stdin=1", 100*time.Millisecond)
}

func (o *Outside) attach(ctx context.Context, id, how string, during time.Duration) error {
	conn, err := o.dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(during))
	_, err = fmt.Fprintf(conn, "POST /v1.41%s/attach?%s HTTP/1.1\r\nHost: engine\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n", container(id), how)
	_, _ = io.Copy(io.Discard, conn) // until the deadline
	return err
}
