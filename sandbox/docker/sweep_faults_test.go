package docker

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/sandbox"
)

// sweepable is an engine with one container; its removal is answered by remove.
type sweepable struct {
	listed, inspected map[string]string // labels
	state             string            // as JSON
	remove            http.HandlerFunc
	removals          atomic.Int32
}

func (s *sweepable) engine(t *testing.T) *Engine {
	encode := func(v any) string {
		raw, err := json.Marshal(v)
		assert.NilError(t, err)
		return string(raw)
	}
	if s.inspected == nil {
		s.inspected = s.listed
	}
	created := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339Nano)
	return serve(t, map[string]http.HandlerFunc{
		"GET /containers/json": answer(http.StatusOK, `[{"Id":"c1","Labels":`+encode(s.listed)+`}]`),
		"GET /containers/c1/json": answer(http.StatusOK, `{"Id":"c1","Name":"/drydock-r1","Image":"i1","Created":"`+created+`",
			"State":`+s.state+`,"Config":{"Labels":`+encode(s.inspected)+`}}`),
		"GET /images/i1/json": noImage,
		"GET /images/json":    answer(http.StatusOK, `[]`),
		"DELETE /containers/c1": func(w http.ResponseWriter, r *http.Request) {
			s.removals.Add(1)
			s.remove(w, r)
		},
	})
}

func labelled(o owner) map[string]string {
	all := o.labels()
	maps.Copy(all, map[string]string{labelApp: appSandbox, labelRun: "r1"})
	return all
}

func TestSweepOfADeadOwner(t *testing.T) {
	dead, alive := labelled(ended(t)), labelled(thisProcess())
	gone := answer(http.StatusNoContent, "")
	for name, tt := range map[string]struct {
		engine *sweepable
		opts   SweepOptions
		fate   Fate // "" for not in the list
		fails  string
	}{
		"removed":                    {&sweepable{listed: dead, remove: gone}, SweepOptions{}, FateRemoved, ""},
		"dry":                        {&sweepable{listed: dead, remove: gone}, SweepOptions{DryRun: true}, FateDoomed, ""},
		"dry, all":                   {&sweepable{listed: dead, remove: gone}, SweepOptions{DryRun: true, All: true}, FateDoomed, ""},
		"alive":                      {&sweepable{listed: alive, remove: gone}, SweepOptions{All: true}, "", ""},
		"alive, from an old list":    {&sweepable{listed: dead, inspected: alive, remove: gone}, SweepOptions{All: true}, "", ""},
		"gone already":               {&sweepable{listed: dead, remove: noImage}, SweepOptions{}, FateRemoved, ""},
		"the engine cannot":          {&sweepable{listed: dead, remove: answer(http.StatusInternalServerError, `{"message":"device busy"}`)}, SweepOptions{}, FateKept, "remove the sandbox: device busy"},
		"the engine says too little": {&sweepable{listed: dead, state: "null", remove: gone}, SweepOptions{}, "", "left out what was asked for"},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.engine.state == "" {
				tt.engine.state = `{"Running":true}`
			}
			all, err := tt.engine.engine(t).Sweep(t.Context(), tt.opts)
			if tt.fails != "" {
				var failed *sandbox.EngineError
				assert.Assert(t, errors.As(err, &failed), "%v", err)
				assert.ErrorContains(t, err, tt.fails)
			} else {
				assert.NilError(t, err)
			}
			if tt.fate == "" || tt.opts.DryRun {
				assert.Equal(t, tt.engine.removals.Load(), int32(0))
			}
			if tt.fate == "" {
				assert.Equal(t, len(all), 0)
				return
			}
			assert.Equal(t, len(all), 1)
			left := all[0]
			assert.Equal(t, left.Fate, tt.fate)
			assert.Equal(t, left.Name+" "+left.Run, "drydock-r1 r1")
			assert.Equal(t, left.Age.Round(time.Hour), time.Hour)
		})
	}
}

// An owner that is not known counts as alive, unless one asks for all.
func TestSweepOfAnUnknownOwner(t *testing.T) {
	unknown := map[string]string{labelApp: appSandbox}
	for name, tt := range map[string]struct {
		opts  SweepOptions
		state string
		fate  Fate
	}{
		"kept":                {SweepOptions{}, `{"Running":false}`, FateKept},
		"all, does not run":   {SweepOptions{All: true, OlderThan: 2 * time.Hour}, `{"Running":false,"Status":"created"}`, FateRemoved},
		"all, runs":           {SweepOptions{All: true, OlderThan: 2 * time.Hour}, `{"Running":true}`, FateKept},
		"all, paused":         {SweepOptions{All: true, OlderThan: 2 * time.Hour}, `{"Paused":true}`, FateKept},
		"all, runs for long":  {SweepOptions{All: true, OlderThan: time.Minute}, `{"Running":true}`, FateRemoved},
		"an age is not asked": {SweepOptions{OlderThan: time.Minute}, `{"Running":true}`, FateKept},
	} {
		t.Run(name, func(t *testing.T) {
			s := &sweepable{listed: unknown, state: tt.state, remove: answer(http.StatusNoContent, "")}
			all, err := s.engine(t).Sweep(t.Context(), tt.opts)
			assert.NilError(t, err)
			assert.Equal(t, len(all), 1)
			assert.Equal(t, all[0].Fate, tt.fate)
			assert.Equal(t, s.removals.Load() > 0, tt.fate == FateRemoved)
		})
	}
}

func TestSweepOfAHangingEngine(t *testing.T) {
	e := serve(t, map[string]http.HandlerFunc{"GET /containers/json": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }})
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := e.Sweep(ctx, SweepOptions{Quick: true})
	var failed *sandbox.EngineError
	assert.Assert(t, errors.As(err, &failed), "%v", err)
	assert.Assert(t, time.Since(began) < 10*time.Second)
}
