package docker

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/client"
	"go.uber.org/goleak"
	"gotest.tools/v3/assert"
	"gotest.tools/v3/poll"

	"drydock/sandbox"
	"drydock/sandbox/wire"
)

// soon is how long anything may take that must come within two seconds, on a
// machine that is busy with other tests.
const soon = 20 * time.Second

func testPolicy() sandbox.Policy {
	p := sandbox.DefaultPolicy()
	p.MemoryBytes = 256 << 20
	return p
}

// What happens on the way to the engine ends a call soon, as the sandbox's
// failure, and leaves nothing behind.
func TestCallsOnAFaultyRoad(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	t.Run("faults", func(t *testing.T) {
		for _, f := range []struct {
			name   string
			happen func(*road)
			heal   func(*road)
		}{
			{"engine stops", (*road).stop, (*road).restart},
			{"engine hangs", (*road).hold, (*road).heal},
			{"stream hangs", func(r *road) { r.onStreams((*tap).hold) }, (*road).heal},
			{"stream is cut in a frame", func(r *road) { r.onStreams((*tap).cutInFrame) }, (*road).heal},
			{"bit of a frame's head", func(r *road) { r.onStreams(func(s *tap) { s.flip(0) }) }, (*road).heal},
			{"bit of a frame's length", func(r *road) { r.onStreams(func(s *tap) { s.flip(6) }) }, (*road).heal},
			{"bit of the session", func(r *road) { r.onStreams(func(s *tap) { s.flip(headerSize) }) }, (*road).heal},
		} {
			for name, call := range map[string]func(*testing.T, *sandbox.Sandbox, func()) error{"shell": shellDuring, "read": readDuring} {
				t.Run(f.name+" during "+name, func(t *testing.T) {
					t.Parallel()
					r, engine := newRoad(t)
					id := runID(f.name, name)
					box, err := new(sandbox.Client).Create(t.Context(), engine, id, testPolicy())
					assert.NilError(t, err)
					var fact time.Time
					err = call(t, box, func() { fact = time.Now(); f.happen(r) })
					took := time.Since(fact)
					assertLost(t, err)
					t.Logf("%.1f s: %v", took.Seconds(), err)
					assert.Assert(t, took < allowed(f.name, name), "took %s", took)
					again := time.Now()
					_, err = box.Stats(t.Context())
					assertLost(t, err)
					assert.Assert(t, time.Since(again) < soon/5)
					_ = box.Close(t.Context()) // an engine that is gone says so
					assert.Assert(t, time.Since(again) < 2*soon)
					f.heal(r)
					assertGone(t, id)
				})
			}
		}
	})
	goleak.VerifyNone(t, ignore)
}

// allowed is the time a fault may take to end a call. Of a guest that is silent
// while its container runs nothing can be known; a file read has no deadline.
func allowed(fault, call string) time.Duration {
	if call == "read" && strings.HasSuffix(fault, "hangs") {
		return 10*time.Second + soon
	}
	return soon
}

// shellDuring has something happen during a command with a limit of three seconds.
func shellDuring(t *testing.T, box *sandbox.Sandbox, happen func()) error {
	ended := make(chan error, 1)
	go func() {
		res, err := box.Shell(context.Background(), "touch started; sleep 60", 3*time.Second, false)
		if err == nil {
			err = errors.New("an observation: " + string(res.Status))
		}
		ended <- err
	}()
	poll.WaitOn(t, func(poll.LogT) poll.Result {
		if _, _, err := box.ReadFile(t.Context(), "/workspace/started", 1); err != nil {
			return poll.Continue("%v", err)
		}
		return poll.Success()
	}, poll.WithTimeout(soon))
	happen()
	return <-ended
}

// readDuring has something happen while large files are read.
func readDuring(t *testing.T, box *sandbox.Sandbox, happen func()) error {
	_, err := box.WriteFile(t.Context(), "/workspace/large", make([]byte, 4<<20), wire.WriteOptions{})
	assert.NilError(t, err)
	first, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		for i := 0; ; i++ {
			if _, _, err := box.ReadFile(context.Background(), "/workspace/large", wire.MaxFile); err != nil {
				ended <- err
				return
			}
			if i == 0 {
				close(first)
			}
		}
	}()
	<-first
	happen()
	return <-ended
}

// A start that fails says why in one line and leaves nothing; one whose answer
// got lost goes on.
func TestStartOnAFaultyRoad(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	t.Run("faults", func(t *testing.T) {
		faults := map[string]fault{
			"500": status(http.StatusInternalServerError), "503": status(http.StatusServiceUnavailable), "409": status(http.StatusConflict),
			"garbage": garbage, "reset": reset, "unanswered": unanswered, "half": half,
		}
		for _, route := range []string{"create", "attach", "start"} {
			for name, f := range faults {
				if route+name == "attachunanswered" || route+name == "createhalf" {
					continue // the one never ends, the other succeeds: what was made is found by its name
				}
				t.Run(route+" "+name, func(t *testing.T) {
					t.Parallel()
					r, engine := newRoad(t)
					r.damage(route, f)
					assertNoStart(t, r, engine, runID(route, name), time.Hour)
				})
			}
			t.Run(route+" never", func(t *testing.T) {
				t.Parallel()
				r, engine := newRoad(t)
				r.damage(route, r.never)
				assertNoStart(t, r, engine, runID(route, "never"), time.Second)
			})
		}
		for name, f := range faults {
			t.Run("create once "+name, func(t *testing.T) {
				t.Parallel()
				r, engine := newRoad(t)
				r.damageOnce("create", f)
				id := runID("once", name)
				box, err := new(sandbox.Client).Create(t.Context(), engine, id, testPolicy())
				if name == "409" { // a considered answer
					assertEngineError(t, err, "create the sandbox")
					return
				}
				assert.NilError(t, err)
				_, err = box.Stats(t.Context())
				assert.NilError(t, err)
				assert.NilError(t, box.Close(t.Context()))
				assertGone(t, id)
			})
		}
	})
	goleak.VerifyNone(t, ignore)
}

func assertNoStart(t *testing.T, r *road, engine *Engine, id string, limit time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), limit, errors.New("enough"))
	defer cancel()
	began := time.Now()
	_, err := new(sandbox.Client).Create(ctx, engine, id, testPolicy())
	t.Logf("%.1f s: %v", time.Since(began).Seconds(), err)
	assert.Assert(t, time.Since(began) < 2*soon)
	var refused *sandbox.EngineError
	var lost *sandbox.LostError
	assert.Assert(t, errors.As(err, &refused) || errors.As(err, &lost), "%v", err)
	assert.Assert(t, !strings.Contains(err.Error(), "\n"), "more than one line: %q", err.Error())
	r.heal()
	assertGone(t, id)
}

// The engine goes away in the middle of a start, and comes back.
func TestEngineRestartsDuringAStart(t *testing.T) {
	t.Parallel()
	for _, route := range []string{"create", "attach", "start"} {
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			r, engine := newRoad(t)
			r.damage(route, func(http.ResponseWriter, *http.Request, http.Handler) {
				go func() {
					r.stop()
					time.Sleep(500 * time.Millisecond)
					r.restart()
				}()
				panic(http.ErrAbortHandler)
			})
			id := runID("restart", route)
			box, err := new(sandbox.Client).Create(t.Context(), engine, id, testPolicy())
			if err == nil {
				err = box.Close(t.Context())
				assert.NilError(t, err)
			} else {
				t.Log(err)
				assertEngineError(t, err, "the sandbox")
			}
			assertGone(t, id)
		})
	}
}

// A removal that fails is reported; the sandbox ends by itself all the same.
func TestRemoveOnAFaultyRoad(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	t.Run("faults", func(t *testing.T) {
		for _, row := range []struct {
			name  string
			order func(*road)
			heal  func(*road)
			want  string // of the error, "" for none
		}{
			{"500", func(r *road) { r.damage("remove", status(500)) }, (*road).heal, "something is wrong"},
			{"500 once", func(r *road) { r.damageOnce("remove", status(500)) }, (*road).heal, ""},
			{"409", func(r *road) { r.damage("remove", status(409)) }, (*road).heal, ""},
			{"reset", func(r *road) { r.damage("remove", reset) }, (*road).heal, "remove the sandbox"},
			{"reset once", func(r *road) { r.damageOnce("remove", reset) }, (*road).heal, ""},
			{"unanswered once", func(r *road) { r.damageOnce("remove", unanswered) }, (*road).heal, ""},
			{"half once", func(r *road) { r.damageOnce("remove", half) }, (*road).heal, ""},
			{"never", func(r *road) { r.damage("remove", r.never) }, (*road).heal, "remove the sandbox"},
			{"engine stops", (*road).stop, (*road).restart, "remove the sandbox"},
			{"engine hangs", (*road).hold, (*road).heal, "remove the sandbox"},
		} {
			t.Run(row.name, func(t *testing.T) {
				t.Parallel()
				r, engine := newRoad(t)
				id := runID("remove", row.name)
				box, err := new(sandbox.Client).Create(t.Context(), engine, id, testPolicy())
				assert.NilError(t, err)
				row.order(r)
				began := time.Now()
				err = box.Close(t.Context())
				t.Logf("%.1f s: %v", time.Since(began).Seconds(), err)
				assert.Assert(t, time.Since(began) < 2*soon)
				if row.want == "" {
					assert.NilError(t, err)
				} else {
					assertEngineError(t, err, row.want)
				}
				row.heal(r)
				assertGone(t, id)
			})
		}
	})
	goleak.VerifyNone(t, ignore)
}

func runID(parts ...string) string {
	return "test-" + strings.NewReplacer(" ", "-", "'", "").Replace(strings.Join(parts, "-"))
}

func assertLost(t *testing.T, err error) {
	t.Helper()
	var lost *sandbox.LostError
	assert.Assert(t, errors.As(err, &lost), "%v", err)
	assert.Assert(t, !strings.Contains(err.Error(), "\n"), "more than one line: %q", err.Error())
}

// assertGone waits until the engine has no container of a run.
func assertGone(t *testing.T, id string) {
	t.Helper()
	cli, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	assert.NilError(t, err)
	defer func() { _ = cli.Close() }()
	poll.WaitOn(t, func(poll.LogT) poll.Result {
		list, err := cli.ContainerList(t.Context(), container.ListOptions{All: true, Filters: filters.NewArgs(filters.Arg("label", labelRun+"="+id))})
		if err != nil {
			return poll.Error(err)
		}
		if len(list) > 0 {
			return poll.Continue("%s is %s", id, list[0].Status)
		}
		return poll.Success()
	}, poll.WithTimeout(3*soon), poll.WithDelay(50*time.Millisecond))
}
