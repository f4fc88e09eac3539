package main

import (
	"fmt"
	"io"
	"time"

	units "github.com/docker/go-units"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"drydock/images"
)

// imageProgress shows how an image comes about: one bar per stage on a
// terminal, a line now and then elsewhere.
type imageProgress struct {
	out   io.Writer
	name  string
	bars  *mpb.Progress // nil where there is no terminal
	bar   *mpb.Bar
	stage images.Stage
	last  time.Time
}

// quietFor is how often a stage is reported where there is no terminal.
const quietFor = 10 * time.Second

func newImageProgress(streams Streams, name string) *imageProgress {
	p := &imageProgress{out: streams.Err, name: oneLineOf(name)}
	if isTerminal(streams.Err) {
		p.bars = mpb.New(mpb.WithOutput(streams.Err), mpb.WithWidth(40))
	}
	return p
}

func (p *imageProgress) step(s images.Step) {
	switch {
	case s.Stage == images.StageDecide || s.Stage == images.StageWait || s.Stage == images.StageWarning:
		p.say("image %s: %s", p.name, oneLineOf(s.Detail))
	case p.bars != nil:
		p.draw(s)
	case s.Stage != p.stage || time.Since(p.last) > quietFor:
		p.stage, p.last = s.Stage, time.Now()
		p.say("image %s: %s %s", p.name, s.Stage, amount(s))
	}
}

func (p *imageProgress) say(format string, args ...any) {
	out := p.out
	if p.bars != nil {
		out = p.bars
	}
	_, _ = fmt.Fprintf(out, format+"\n", args...)
}

func (p *imageProgress) draw(s images.Step) {
	if p.bar == nil || s.Stage != p.stage {
		p.finishBar()
		p.stage = s.Stage
		p.bar = p.bars.AddBar(0, mpb.PrependDecorators(decor.Name(fmt.Sprintf("%s: %-10s", p.name, s.Stage))),
			mpb.AppendDecorators(decor.CountersNoUnit("%d / %d")))
	}
	p.bar.SetTotal(max(s.Total, s.Current), false)
	p.bar.SetCurrent(s.Current)
}

func (p *imageProgress) finishBar() {
	if p.bar != nil {
		p.bar.SetTotal(-1, true)
	}
	p.bar = nil
}

func (p *imageProgress) end() {
	p.finishBar()
	if p.bars != nil {
		p.bars.Wait()
	}
}

func amount(s images.Step) string {
	if s.Stage == images.StageImport || s.Stage == images.StagePull {
		return units.HumanSize(float64(s.Current))
	}
	if s.Total > 0 {
		return fmt.Sprintf("%d of %d", s.Current, s.Total)
	}
	return fmt.Sprint(s.Current)
}
