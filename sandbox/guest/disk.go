package guest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"drydock/sandbox/wire"
)

// disk stops a run that has more on disk than it may. Most storage drivers have
// no quota per container, so free space is watched, which is cheap; only when
// as much has gone as the run might have taken is it counted what is the run's.
// While that is counted everything the model runs stands still.
type disk struct {
	g *Guest

	budget  usage
	reserve int64 // bytes that must stay free on the engine's disk
	since   time.Time

	mu     sync.Mutex
	anchor usage // what was free when the run's own use was last known
	used   usage // what it was then
	full   bool
	ended  time.Time // when calls were last ended for it
}

// usage is an amount of disk, used or free.
type usage struct {
	Bytes int64 `json:"bytes"`
	Files int64 `json:"files"`
}

func (u usage) over(limit usage) bool { return u.Bytes > limit.Bytes || u.Files > limit.Files }

const (
	diskTickBusy = 50 * time.Millisecond  // how often free space is looked at during a call
	diskTickIdle = 250 * time.Millisecond // and between calls, for background jobs
	countLimit   = 20 * time.Second       // for counting what is the run's
	// A run that is over its budget may still write a little, to be able to make room.
	slackBytes = 16 << 20
	slackFiles = 1000
	// maxDiskFiles bounds how many files a run may have, since inodes run out too.
	maxDiskFiles = 1_000_000
	maxReserve   = 2 << 30
	// patienceOverDisk is how long an interrupted call may take to stop writing.
	patienceOverDisk = 2 * time.Second
)

// newDisk takes the measure of the disk there is. It is nil where nothing needs
// to be watched: the root cannot be written to, and all else has a size.
func newDisk(g *Guest) *disk {
	free, writable := freeDisk()
	if !writable || g.setup.Disk <= 0 {
		return nil
	}
	return &disk{
		g: g, since: time.Now(), anchor: free,
		budget:  usage{min(g.setup.Disk, free.Bytes/4*3), min(maxDiskFiles, max(free.Files/4*3, slackFiles))},
		reserve: min(free.Bytes/8, maxReserve),
	}
}

// freeDisk says how much is free where the root file system is.
func freeDisk() (free usage, writable bool) {
	var st unix.Statfs_t
	if unix.Statfs("/", &st) != nil {
		return usage{}, false
	}
	free = usage{int64(st.Bavail) * st.Bsize, int64(st.Ffree)}
	if st.Files == 0 { // the file system has no fixed number of them
		free.Files = maxDiskFiles * 4
	}
	return free, st.Flags&unix.ST_RDONLY == 0
}

// watch never ends.
func (d *disk) watch() {
	for {
		d.look()
		if d.g.active.any() {
			time.Sleep(diskTickBusy)
		} else {
			time.Sleep(diskTickIdle)
		}
	}
}

// look counts when the run may have too much.
func (d *disk) look() {
	d.mu.Lock()
	defer d.mu.Unlock()
	free, _ := freeDisk()
	if !d.suspicious(free) {
		return
	}
	thaw := d.g.freeze(map[int]bool{d.g.worker.live(): true})
	used, err := d.count()
	if err != nil { // what cannot be counted is taken for the run's
		used = d.possible(free)
	}
	scarce := free.Bytes < d.reserve && d.possible(free).over(d.budget)
	d.full = used.over(d.budget) || scarce
	if d.full {
		d.end()
	}
	thaw()
	d.anchor, _ = freeDisk()
	d.used = used
}

// end stops the writing, also by what runs on terminals. What goes on although it
// was just asked to stop is ended with the shell and the interpreter.
func (d *disk) end() {
	d.g.active.overDisk()
	if time.Since(d.ended) < patienceOverDisk {
		_, _ = d.g.quiesce(struct{}{})
	} else {
		d.g.killAllBut(d.g.own)
	}
	d.ended = time.Now()
}

// possible is what the run has if all that went was taken by it.
func (d *disk) possible(free usage) usage {
	return usage{d.used.Bytes + d.anchor.Bytes - free.Bytes, d.used.Files + d.anchor.Files - free.Files}
}

func (d *disk) suspicious(free usage) bool {
	limit := d.budget
	if d.full {
		limit = usage{max(limit.Bytes, d.used.Bytes) + slackBytes, max(limit.Files, d.used.Files) + slackFiles}
	}
	return d.possible(free).over(limit)
}

// count asks the file worker, which sees what the tool user sees.
func (d *disk) count() (usage, error) {
	ctx, cancel := context.WithTimeout(context.Background(), countLimit)
	defer cancel()
	transport, err := d.g.worker.ensure()
	if err != nil {
		return usage{}, err
	}
	url := fmt.Sprintf("http://worker%s?since=%d", pathUsage, d.since.UnixNano())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return usage{}, err
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return usage{}, err
	}
	defer resp.Body.Close()
	var used usage
	return used, json.NewDecoder(resp.Body).Decode(&used)
}

// admit refuses a write to a run that has too much on disk. What it has removed
// since counts.
func (d *disk) admit() error {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.full {
		return nil
	}
	used, err := d.count()
	if err != nil {
		return err
	}
	d.used = used
	d.anchor, _ = freeDisk()
	if d.full = used.over(d.budget); !d.full {
		return nil
	}
	return &failure{wire.CodeNoSpace, fmt.Sprintf("disk full: the run has %d MiB in %d files, allowed are %d MiB in %d files; remove some first",
		used.Bytes>>20, used.Files, d.budget.Bytes>>20, d.budget.Files)}
}
