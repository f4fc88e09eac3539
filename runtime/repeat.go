package runtime

// After how many rounds of the same the agent is told, and then stopped. A round
// is a step, or up to a few that take turns, such as A B A B.
const (
	nudgeAfter   = 3
	stopAfter    = 6
	longestRound = 3
)

type repeatAction int

const (
	repeatNothing repeatAction = iota
	repeatNudge
	repeatStop
)

// repeatGuard watches for steps that come again and again.
type repeatGuard struct {
	recent []string // fingerprints, the newest last
	told   bool     // since the repetition began
}

func (g *repeatGuard) see(fingerprint string) repeatAction {
	if fingerprint == "" {
		*g = repeatGuard{}
		return repeatNothing
	}
	g.recent = append(g.recent, fingerprint)
	if len(g.recent) > longestRound*stopAfter {
		g.recent = g.recent[1:]
	}
	switch rounds := g.rounds(); {
	case rounds >= stopAfter:
		return repeatStop
	case rounds < nudgeAfter:
		g.told = false
	case !g.told:
		g.told = true
		return repeatNudge
	}
	return repeatNothing
}

// rounds is how often the same has come in a row by now, 1 if it is new.
func (g *repeatGuard) rounds() int {
	most := 1
	for length := 1; length <= longestRound; length++ {
		same := 0
		for i := len(g.recent) - 1; i >= length && g.recent[i] == g.recent[i-length]; i-- {
			same++
		}
		most = max(most, 1+same/length)
	}
	return most
}
