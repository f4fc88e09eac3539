package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"drydock/cmd/config"
)

// check is one thing that doctor looks at.
type check struct {
	ID     string `json:"id"`
	Status string `json:"status"` // ok, warn, fail or skip
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"`
}

// What is checked, in this order.
const (
	checkEngine  = "engine"
	checkImage   = "image"
	checkLimits  = "limits"
	checkOrphans = "orphans"
	checkModel   = "model"
)

// The verdicts of a check.
const (
	checkOK   = "ok"
	checkWarn = "warn"
	checkFail = "fail"
	checkSkip = "skip"
)

func newDoctorCmd(streams Streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check that everything a run needs is there",
		Long: `Check that everything a run needs is there: the engine, its API, the image, whether
limits take effect inside a sandbox, what killed runs left behind, and the model
key. Nothing is sent to a model. The exit code is 6 when the engine, the image or the limits fail, and 4
when there is a key that cannot be read.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			preset, err := loadPreset(cfg.Run.Agent, cfg.Run.Tools)
			if err != nil {
				return err
			}
			if cfg.Sandbox.Image == "" {
				cfg.Sandbox.Image = preset.Image
			}
			checks := examine(cmd.Context(), cfg)
			if asJSON {
				err = json.NewEncoder(streams.Out).Encode(checks)
			} else {
				err = printChecks(streams, checks)
			}
			return errors.Join(err, verdict(checks))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	config.AddFlags(cmd.Flags())
	completeSettings(cmd)
	return cmd
}

// verdict is the exit code that a run would fail with.
func verdict(checks []check) error {
	code := exitDone
	for _, c := range checks {
		switch {
		case c.Status != checkFail || code != exitDone:
		case c.ID == checkModel:
			code = exitAuth
		default:
			code = exitEngine
		}
	}
	if code == exitDone {
		return nil
	}
	return codeError(code)
}

func printChecks(streams Streams, checks []check) error {
	p := progress{colour: streams.colour(os.Getenv) && isTerminal(streams.Out)}
	styles := map[string]string{checkOK: styleGood, checkWarn: styleWarn, checkFail: styleBad, checkSkip: styleDim}
	for _, c := range checks {
		line := fmt.Sprintf("%s %-7s %s", p.style(styles[c.Status], fmt.Sprintf("%-4s", c.Status)), c.ID, clean(c.Detail))
		if c.Hint != "" {
			line += "\n             " + c.Hint
		}
		if _, err := fmt.Fprintln(streams.Out, line); err != nil {
			return fmt.Errorf("print checks: %w", err)
		}
	}
	return nil
}
