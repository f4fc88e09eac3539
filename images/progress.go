package images

import "sync"

// Stage says what is being done to an image.
type Stage string

// The stages, with what Current and Total count in each of them.
const (
	StageDecide    Stage = "decide"    // Detail says which way is taken and why; nothing is counted
	StageWait      Stage = "wait"      // another process builds this image; nothing is counted
	StageWarning   Stage = "warning"   // Detail is something the person should know; nothing is counted
	StagePull      Stage = "pull"      // bytes
	StageBuild     Stage = "build"     // steps of the Dockerfile
	StageRetrieve  Stage = "retrieve"  // packages
	StageUnpack    Stage = "unpack"    // packages
	StageConfigure Stage = "configure" // packages
	StageImport    Stage = "import"    // bytes
)

// Step is one report of progress. Total is 0 where it is not known, and it may
// grow while the work goes on.
type Step struct {
	Stage   Stage
	Detail  string
	Current int64
	Total   int64
}

// serial makes report safe to call from several goroutines, and from none of
// them once stop has returned. A nil report is fine.
func serial(report func(Step)) (send func(Step), stop func()) {
	var mu sync.Mutex
	send = func(s Step) {
		mu.Lock()
		defer mu.Unlock()
		if report != nil {
			report(s)
		}
	}
	stop = func() {
		mu.Lock()
		defer mu.Unlock()
		report = nil
	}
	return send, stop
}
