package scratch

import (
	"os"
	"strings"
)

// mountedBelow looks for a mount point at or below a directory.
func mountedBelow(dir string) bool {
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(table)) {
		const pointAt = 4 // id, parent, device, root, mount point
		fields := strings.Fields(line)
		if len(fields) <= pointAt {
			continue
		}
		if point := unescape.Replace(fields[pointAt]); point == dir || strings.HasPrefix(point, dir+"/") {
			return true
		}
	}
	return false
}

// unescape undoes how the kernel writes what would end a field.
var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
