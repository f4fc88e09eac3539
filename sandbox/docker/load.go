package docker

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/docker/docker/api/types/container"
)

// load is what a container has used of the processors, as last seen. The zero
// value has seen nothing.
type load struct {
	mu   sync.Mutex
	used time.Duration
	when time.Time
}

// Two looks tell whether a container does anything when they are not too far
// apart. Up to one part in a hundred is nothing: some things wake now and then.
const (
	loadSpan  = 10 * time.Second
	idleShare = 100
)

// isIdle says whether nothing in the container has used a processor since the
// last look, a moment ago. An engine that cannot tell calls nothing idle.
func (l *load) isIdle(ctx context.Context, c *Container) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	used, err := c.used(ctx)
	if err != nil {
		return false
	}
	did, since := used-l.used, time.Since(l.when)
	l.used, l.when = used, time.Now()
	return since < loadSpan && did < since/idleShare
}

// used is the processor time that all in the container have used.
func (c *Container) used(ctx context.Context) (time.Duration, error) {
	answer, err := c.engine.cli.ContainerStatsOneShot(ctx, c.id)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	var stats container.StatsResponse
	if err := json.NewDecoder(answer.Body).Decode(&stats); err != nil {
		return 0, err
	}
	return time.Duration(stats.CPUStats.CPUUsage.TotalUsage), nil
}
