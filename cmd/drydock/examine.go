package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	units "github.com/docker/go-units"

	"drydock/cmd/config"
	"drydock/images"
	"drydock/runtime"
	"drydock/sandbox"
	"drydock/sandbox/docker"
	"drydock/sandbox/wire"
)

// examine runs the checks; later ones are skipped when what they need failed.
func examine(ctx context.Context, cfg config.Config) []check {
	engine, err := docker.Connect(ctx)
	if err != nil {
		return []check{
			{ID: checkEngine, Status: checkFail, Detail: oneLine(err), Hint: "install and start Docker, or set DOCKER_HOST"},
			{ID: checkImage, Status: checkSkip, Detail: "no engine"},
			{ID: checkLimits, Status: checkSkip, Detail: "no engine"},
			{ID: checkOrphans, Status: checkSkip, Detail: "no engine"},
			examineModel(ctx, cfg),
		}
	}
	defer func() { _ = engine.Close() }()
	info := engine.Info()
	checks := []check{
		{ID: checkEngine, Status: checkOK, Detail: fmt.Sprintf("%s %s, API %s, %s/%s, %s", info.Name, info.Version, info.APIVersion, info.OS, info.Architecture, info.Host)},
	}
	checks = append(checks, examineFacts(ctx, engine, cfg.Sandbox)...)
	image := examineImage(ctx, engine, cfg.Sandbox.Image)
	checks = append(checks, image)
	if image.Status == checkOK {
		checks = append(checks, examineLimits(ctx, engine, cfg.Sandbox))
	} else {
		checks = append(checks, check{ID: checkLimits, Status: checkSkip, Detail: "no image to try them in"})
	}
	return append(checks, examineOrphans(ctx, engine), examineModel(ctx, cfg))
}

// examineOrphans looks for sandboxes without an owner, and removes none.
func examineOrphans(ctx context.Context, engine *docker.Engine) check {
	left, err := engine.Sweep(ctx, docker.SweepOptions{DryRun: true, Quick: true})
	switch {
	case err != nil:
		return check{ID: checkOrphans, Status: checkWarn, Detail: oneLine(err)}
	case len(left) > 0:
		return check{ID: checkOrphans, Status: checkWarn, Detail: fmt.Sprintf("%d sandbox(es) of killed runs", len(left)), Hint: "the next run removes them, or: drydock gc"}
	}
	return check{ID: checkOrphans, Status: checkOK, Detail: "no sandbox without its run"}
}

// examineImage looks for the image without building or pulling it.
func examineImage(ctx context.Context, engine *docker.Engine, ref string) check {
	list, err := images.NewBuilder(engine, engine.Info().Architecture, version).List(ctx)
	if err != nil {
		return check{ID: checkImage, Status: checkFail, Detail: oneLine(err)}
	}
	for _, s := range list {
		if s.Ref == ref && !s.Present {
			return check{ID: checkImage, Status: checkWarn, Detail: s.Ref + " is not built yet", Hint: "the first run builds it, or: drydock images build " + s.Name}
		}
		if s.Ref == ref && !s.UpToDate {
			return check{ID: checkImage, Status: checkWarn, Detail: s.Ref + " is outdated", Hint: "the next run rebuilds it, or: drydock images build " + s.Name}
		}
	}
	image, err := engine.InspectImage(ctx, ref)
	if err != nil {
		return check{ID: checkImage, Status: checkWarn, Detail: oneLine(err), Hint: "the first run pulls it"}
	}
	return check{ID: checkImage, Status: checkOK, Detail: fmt.Sprintf("%s, %s", image.Reference, units.HumanSize(float64(image.Size)))}
}

// examineLimits starts a sandbox and reads its limits from the inside.
func examineLimits(ctx context.Context, engine *docker.Engine, policy sandbox.Policy) check {
	fail := func(err error) check {
		return check{ID: checkLimits, Status: checkFail, Detail: oneLine(err)}
	}
	box, err := sandbox.Default().Create(ctx, engine, "doctor-"+runtime.NewRunID(time.Now()), policy)
	if err != nil {
		return fail(err)
	}
	defer func() { _ = box.Close(ctx) }()
	stats, err := box.Stats(ctx)
	if err != nil {
		return fail(err)
	}
	var wrong []string
	if stats.MemoryLimit != policy.MemoryBytes {
		wrong = append(wrong, fmt.Sprintf("memory is limited to %d bytes, not %d", stats.MemoryLimit, policy.MemoryBytes))
	}
	if stats.PidsLimit != policy.Pids {
		wrong = append(wrong, fmt.Sprintf("processes are limited to %d, not %d", stats.PidsLimit, policy.Pids))
	}
	if len(wrong) > 0 {
		return check{ID: checkLimits, Status: checkFail, Detail: strings.Join(wrong, "; "), Hint: "the engine's kernel lacks the memory or pids controller"}
	}
	c := check{ID: checkLimits, Status: checkOK, Detail: fmt.Sprintf("memory %s, %d processes, read inside a sandbox", units.BytesSize(float64(stats.MemoryLimit)), stats.PidsLimit)}
	if !box.Hello().Sentry {
		return c
	}
	c.Detail += " on gVisor's kernel"
	if res, err := box.Shell(ctx, "ls -d / && stat /", 0, false); err != nil || res.Status != wire.StatusOK {
		c.Status, c.Detail = checkWarn, c.Detail+", on which ls and stat of this image fail"
		c.Hint = "that gVisor is too old for the image: install a newer one, see docs/engines.md"
	}
	return c
}

// examineModel says whether there is a key, never what it is.
func examineModel(ctx context.Context, all config.Config) check {
	cfg, err := all.MainProfile(cmp.Or(all.Run.LLM, config.ProfileDefault))
	if err != nil {
		return check{ID: checkModel, Status: checkFail, Detail: oneLine(err)}
	}
	key, err := cfg.Key(ctx)
	switch {
	case strings.HasPrefix(cfg.Model, scriptPrefix):
		return check{ID: checkModel, Status: checkOK, Detail: cfg.Model + ", which needs no key"}
	case err != nil:
		return check{ID: checkModel, Status: checkFail, Detail: oneLine(err)}
	case key.IsSet():
		return check{ID: checkModel, Status: checkOK, Detail: fmt.Sprintf("%s, key %s", cfg.Model, key)}
	case cfg.BaseURL != "" && cfg.APIType != config.APITypeAzure:
		return check{ID: checkModel, Status: checkWarn, Detail: "no key; fine for a server that needs none"}
	}
	return check{ID: checkModel, Status: checkWarn, Detail: "no key", Hint: "set OPENAI_API_KEY"}
}
