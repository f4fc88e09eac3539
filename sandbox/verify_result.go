package sandbox

import (
	"bytes"
	"path"
	"strings"

	"drydock/sandbox/wire"
)

// maxExitCode is the largest exit code there is; 128+n is a signal's.
const maxExitCode = 255

// maxReplaced bounds the sentence about a new shell or interpreter, in bytes.
const maxReplaced = 400

var statuses = map[wire.Status]bool{
	wire.StatusOK: true, wire.StatusExitNonzero: true, wire.StatusTimeout: true,
	wire.StatusOOM: true, wire.StatusOutputLimit: true,
}

func verifyResult(r wire.Result, p Policy) error {
	c := claim{about: "a result"}
	c.holds(statuses[r.Status], "with status %.30q", r.Status)
	c.holds(r.ExitCode >= 0 && r.ExitCode <= maxExitCode, "with exit code %d", r.ExitCode)
	c.holds(r.Status != wire.StatusOK || r.ExitCode == 0, "with status ok and exit code %d", r.ExitCode)
	c.holds(r.Duration >= 0 && r.Duration <= p.MaxTimeout+overrun*beat, "of %s", r.Duration)
	c.counter("out of memory", r.OOMKills)
	c.counter("ended processes", int64(r.Killed))
	c.output(r, p)
	c.holds(len(r.Replaced) <= maxReplaced && plain(r.Replaced, maxReplaced), "with the reason %.60q", r.Replaced)
	if r.Dir != "" {
		c.location("directory", r.Dir)
	}
	c.late(r)
	c.jobs(r.Jobs)
	c.images(r.Images)
	return c.err
}

// output checks that the parts of an output make up the whole.
func (c *claim) output(r wire.Result, p Policy) {
	c.counter("output", r.Total)
	c.counter("dropped output", r.Dropped)
	kept := len(r.Head) + len(r.Tail)
	c.holds(r.Dropped == r.Total-int64(kept), "with %d bytes of %d and %d dropped", kept, r.Total, r.Dropped)
	if r.Dropped == 0 {
		c.holds(len(r.Tail) == 0 && len(r.Head) <= p.HeadBytes+p.TailBytes, "with %d bytes of output", kept)
		c.holds(r.Log == "", "with a log of nothing")
		return
	}
	c.holds(len(r.Head) <= p.HeadBytes && len(r.Tail) <= p.TailBytes, "with %d bytes of output", kept)
	if r.Log != "" {
		c.log(r.Log)
	}
}

// log checks the file of a full output.
func (c *claim) log(file string) {
	c.location("log", file)
	below := strings.HasPrefix(file, wire.OutputDir+"/") && path.Clean(file) == file
	c.holds(below && plain(file, wire.MaxPath), "with log %.60q", file)
}

func (c *claim) jobs(jobs []wire.Job) {
	c.holds(len(jobs) <= wire.MaxJobs, "with %d jobs", len(jobs))
	for _, j := range jobs {
		c.holds(j.PID > 0 && int64(j.PID) <= maxCounter, "with process %d", j.PID)
		c.holds(len(j.Command) <= wire.MaxJobCommand, "with a command line of %d bytes", len(j.Command))
	}
}

func (c *claim) images(images []wire.Image) {
	c.holds(len(images) <= wire.MaxImages, "with %d images", len(images))
	for _, img := range images {
		c.holds(len(img.Data) <= wire.MaxImage, "with an image of %d bytes", len(img.Data))
		magic, known := imageStarts[img.MIME]
		c.holds(known && bytes.HasPrefix(img.Data, []byte(magic)), "with an image that is no %.30q", img.MIME)
	}
}

// imageStarts is how the kinds of image begin that a result may have.
var imageStarts = map[string]string{"image/png": "\x89PNG\r\n\x1a\n", "image/jpeg": "\xff\xd8\xff"}

// late checks what is said of output that came after its call.
func (c *claim) late(r wire.Result) {
	c.holds(len(r.Late) <= wire.MaxLate, "with news of %d earlier calls", len(r.Late))
	files := []string{r.LateLog}
	for _, l := range r.Late {
		c.counter("late output", l.Bytes)
		files = append(files, l.File)
	}
	for _, file := range files {
		if file != "" {
			c.log(file)
		}
	}
}
