package images

import (
	"fmt"
	"strings"
)

// installLog follows what apt and dpkg print while they install, inside a
// build of the engine or under mmdebstrap, and turns it into progress. Counts
// run over all calls of apt; a recipe may need more than one.
type installLog struct {
	total                           int64 // packages that apt said it would install
	retrieved, unpacked, configured int64
	failure                         string
}

// step reports the progress that one line of output stands for, if any.
func (l *installLog) step(line string) (Step, bool) {
	line = strings.TrimSpace(line)
	fields := strings.Fields(line)
	switch {
	case len(fields) == 0:
		return Step{}, false
	case strings.Contains(line, " newly installed, "):
		return Step{}, l.plan(line)
	case strings.HasPrefix(fields[0], "Get:") && len(fields) >= 8: // shorter ones are indexes
		return l.count(StageRetrieve, &l.retrieved, fields[4]), true
	case fields[0] == "Unpacking" && len(fields) > 1:
		return l.count(StageUnpack, &l.unpacked, fields[1]), true
	case strings.HasPrefix(line, "Setting up ") && len(fields) > 2:
		return l.count(StageConfigure, &l.configured, fields[2]), true
	case fields[0] == "Step" && len(fields) > 3:
		return dockerfileStep(fields)
	}
	l.remember(line)
	return Step{}, false
}

// plan reads apt's summary: "0 upgraded, 89 newly installed, 0 to remove …".
func (l *installLog) plan(line string) bool {
	var upgraded, installed int64
	if _, err := fmt.Sscanf(line, "%d upgraded, %d newly installed,", &upgraded, &installed); err == nil {
		l.total += upgraded + installed
	}
	return false
}

func (l *installLog) count(stage Stage, n *int64, name string) Step {
	if *n < l.total || l.total == 0 { // a package outside the plan must not pass the total
		*n++
	}
	name, _, _ = strings.Cut(name, ":")
	return Step{Stage: stage, Detail: name, Current: *n, Total: l.total}
}

// dockerfileStep reads the engine's "Step 3/8 : RUN …".
func dockerfileStep(fields []string) (Step, bool) {
	s := Step{Stage: StageBuild, Detail: fields[3]}
	_, err := fmt.Sscanf(fields[1], "%d/%d", &s.Current, &s.Total)
	return s, err == nil
}

// remember keeps the first complaint: those that follow are about its
// consequences. One that ends with a colon has its reason on the next line.
func (l *installLog) remember(line string) {
	if strings.HasSuffix(l.failure, ":") {
		l.failure += " " + line
		return
	}
	for _, prefix := range []string{"E: ", "Err: ", "error: ", "dpkg: error "} {
		if l.failure == "" && strings.HasPrefix(line, prefix) {
			l.failure = strings.TrimPrefix(line, "E: ")
		}
	}
}
