package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"drydock/cmd/config"
)

// loadConfig reads the configuration for a command with the flags of
// config.AddFlags, or without.
func loadConfig(cmd *cobra.Command) (config.Config, error) {
	cfg, _, err := loadOrigins(cmd)
	return cfg, err
}

func loadOrigins(cmd *cobra.Command) (config.Config, config.Origins, error) {
	return loadRecorded(cmd, nil)
}

// loadRecorded reads the configuration for a run that repeats a recorded one.
func loadRecorded(cmd *cobra.Command, recorded map[string]string) (config.Config, config.Origins, error) {
	sources, err := configSources(cmd)
	if err != nil {
		return config.Config{}, nil, err
	}
	sources.Recorded = recorded
	return config.Load(sources)
}

// configSources says where the layers of the configuration are.
func configSources(cmd *cobra.Command) (config.Sources, error) {
	dir, err := os.Getwd()
	if err != nil {
		return config.Sources{}, fmt.Errorf("find the current directory: %w", err)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = dir // a machine user without a home keeps its runs where it works
	}
	return config.Sources{Flags: cmd.Flags(), Getenv: os.Getenv, Dir: dir, Home: home}, nil
}
