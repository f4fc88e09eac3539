// Command abuse plays hostile programs against drydock's sandbox and prints
// which of them it held against.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"drydock/sandbox"
	"drydock/sandbox/docker"
	"drydock/sandbox/sandboxtest/abuse"
)

// options are what the command line asks for.
type options struct {
	runtime, image, kind, only string
	json, quick, endurance     bool
	lanes                      int
}

func main() {
	var o options
	flag.StringVar(&o.runtime, "runtime", "", "the engine's runtime, for example runsc; empty for its default")
	flag.StringVar(&o.image, "image", sandbox.DefaultPolicy().Image, "image to play in")
	flag.StringVar(&o.kind, "kind", "", "play only this kind of case")
	flag.StringVar(&o.only, "only", "", "play only cases whose id has this in it")
	flag.BoolVar(&o.json, "json", false, "print one JSON object per case instead of a table")
	flag.BoolVar(&o.quick, "quick", false, "leave out the slow cases")
	flag.BoolVar(&o.endurance, "endurance", false, "measure endurance instead of playing the cases")
	flag.IntVar(&o.lanes, "lanes", 1, "sandboxes at a time; with more than 1 the host's figures are coarse")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintf(os.Stderr, "abuse: %v\n", err)
		os.Exit(1)
	}
}

// errNotHeld ends the command when the table has said why already.
var errNotHeld = errors.New("not every case held")

func run(ctx context.Context, o options) error {
	engine, err := docker.Connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = engine.Close() }()
	outside, err := abuse.DialOutside(engine.Info().Host)
	if err != nil {
		return err
	}
	runner := &abuse.Runner{Engine: engine, Outside: outside, Policy: sandbox.DefaultPolicy(), Run: "abuse-" + strings.ToLower(rand.Text()[:6]), Lanes: o.lanes}
	runner.Policy.Image, runner.Policy.Runtime = o.image, o.runtime
	if o.endurance {
		return runner.Endure(ctx, func(line string) { fmt.Println(line) })
	}
	cases := pick(o)
	if len(cases) == 0 {
		return errors.New("no case is asked for")
	}
	var out report = &table{w: os.Stdout}
	if o.json {
		out = jsonLines{os.Stdout}
	}
	tried, held := 0, 0
	err = runner.Play(ctx, cases, func(v abuse.Verdict) {
		out.show(v)
		if v.Skipped != "" {
			return
		}
		tried++
		if v.Held() {
			held++
		}
	})
	out.end(tried, held)
	if err == nil && held < tried {
		err = errNotHeld
	}
	return err
}

// pick is the cases that the command line asks for.
func pick(o options) []abuse.Case {
	all := abuse.All()
	if o.quick {
		all = abuse.Quick()
	}
	var some []abuse.Case
	for _, c := range all {
		if (o.kind == "" || string(c.Kind) == o.kind) && strings.Contains(c.ID, o.only) {
			some = append(some, c)
		}
	}
	return some
}
