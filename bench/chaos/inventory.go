package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"drydock/runtime"
)

// The kinds of things a run could leave.
const (
	containers  = "containers"   // of these runs
	volumes     = "volumes"      // anybody's on the engine
	networks    = "networks"     // anybody's on the engine
	temporaries = "temp entries" // in the runs' directory of temporary files
	halfWritten = "half-written" // in the directories of the runs
)

var kinds = []string{containers, volumes, networks, temporaries, halfWritten}

// inventory has the names of what is there, by kind.
type inventory map[string][]string

// take lists what is there now.
func take(ctx context.Context, engine *engineAPI, h home) (inventory, error) {
	all := inventory{}
	var err error
	all[volumes], all[networks], err = engine.others(ctx)
	if err != nil {
		return nil, err
	}
	ids, err := names(h.runs())
	if err != nil {
		return nil, err
	}
	if all[containers], err = engine.containersOf(ctx, ids); err != nil {
		return nil, err
	}
	if all[temporaries], err = names(h.temporary()); err != nil {
		return nil, err
	}
	kept := []string{runtime.EventsFile, runtime.RunFile, runtime.PatchFile, runtime.AnswerFile}
	for _, id := range ids {
		files, err := names(filepath.Join(h.runs(), id))
		if err != nil {
			return nil, err
		}
		for _, name := range files {
			if !slices.Contains(kept, name) {
				all[halfWritten] = append(all[halfWritten], filepath.Join(id, name))
			}
		}
	}
	return all, nil
}

func names(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("look for leftovers: %w", err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all, nil
}

// beyond names what is here and was not there before.
func (i inventory) beyond(before inventory) []string {
	var left []string
	for _, kind := range slices.Sorted(maps.Keys(i)) {
		for _, name := range i[kind] {
			if !slices.Contains(before[kind], name) {
				left = append(left, kind+" "+name)
			}
		}
	}
	return left
}

// own counts what can only be of these runs.
func (i inventory) own() int { return len(i[containers]) + len(i[temporaries]) + len(i[halfWritten]) }
