package docker

import "time"

// The kinds of leftovers.
const (
	KindContainer = "container"
	KindImage     = "image"
)

// Fate is what a sweep did with a leftover.
type Fate string

// The fates there are.
const (
	FateRemoved Fate = "removed"
	FateDoomed  Fate = "would_remove" // but for the dry run
	FateKept    Fate = "kept"
)

// Leftover is something on the engine whose owner is gone, or not known.
type Leftover struct {
	Kind   string
	ID     string
	Name   string
	Run    string // the run it was made for, where there is one
	Reason string // why it is a leftover, or why it was kept
	Fate   Fate
	Age    time.Duration
	// Size is what an image takes by itself, in bytes, and 0 where that is not
	// known. That of a container is never: some storage drivers compare the whole
	// file system for it.
	Size int64
}

// Leftovers are what a sweep found, in the order of the engine.
type Leftovers []Leftover

// Count says how many had a fate.
func (l Leftovers) Count(fate Fate) int {
	n := 0
	for _, left := range l {
		if left.Fate == fate {
			n++
		}
	}
	return n
}

// SweepOptions say what a sweep may do.
type SweepOptions struct {
	// DryRun finds out everything and removes nothing.
	DryRun bool
	// Quick looks for containers whose owner is certainly gone, and for nothing
	// else.
	Quick bool
	// All removes also what has an owner that is not known, if it does not run or
	// is at least as old as OlderThan.
	All       bool
	OlderThan time.Duration
}

// condemn is the fate of what may be removed.
func (o SweepOptions) condemn() Fate {
	if o.DryRun {
		return FateDoomed
	}
	return FateRemoved
}
