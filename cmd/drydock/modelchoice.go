package main

import (
	"cmp"
	"context"
	"strings"

	"drydock/cmd/config"
	"drydock/runtime"
)

// chooseModels makes the models of a run.
func (j *job) chooseModels(ctx context.Context) error {
	if err := j.knowModel(); err != nil {
		return err
	}
	var err error
	if j.model, err = j.models.makeMain(ctx, j.preset); err != nil {
		return err
	}
	return j.chooseSummary(ctx)
}

// knowModel finds what is known of the model that does the work, and whether the
// run's limits can be kept with that. No key is needed for it.
func (j *job) knowModel() error {
	j.models = newModelMaker(j.cfg, j.preset, &j.secrets, func(p runtime.Payload) { j.recorder.Emit(p) }, j.shown.say)
	asked, err := j.models.settings(j.models.main)
	if err != nil {
		return err
	}
	j.modelName, j.facts, j.reserve = asked.Model, j.models.facts(j.models.main), asked.MaxOutputTokens
	j.facts.Window = cmp.Or(j.cfg.Run.ContextWindow, j.facts.Window)
	if err := j.budget().Check(j.facts); err != nil {
		return usageError{err}
	}
	return nil
}

// chooseSummary makes the model that sums up turns, if one is to. Recorded turns
// cannot: asked for a summary, they would give the next of them. It is not part
// of a recording, which is of turns.
func (j *job) chooseSummary(ctx context.Context) error {
	if j.cfg.Run.Summary != config.SummaryModel || strings.HasPrefix(j.modelName, scriptPrefix) {
		return nil
	}
	j.summary, j.summaryFacts = j.model, j.facts
	profile := j.models.summary()
	if profile == "" || profile == j.models.main {
		return nil
	}
	var err error
	j.summary, err = j.models.make(ctx, profile)
	j.summaryFacts = j.models.facts(profile)
	return err
}
