package drydock_test

import (
	"bufio"
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// allowed says which packages of this module a package may import. The longest
// prefix of the importer counts; "…" stands for everything below a path.
var allowed = map[string][]string{
	"sandbox/wire":         {},
	"sandbox/guest":        {"sandbox/guest/screen", "sandbox/wire"},
	"sandbox/guest/screen": {},
	"sandbox/guestbin":     {"internal/scratch"},
	"sandbox":              {"sandbox/wire"},
	"sandbox/docker":       {"sandbox", "sandbox/wire", "sandbox/guestbin"},
	"sandbox/sandboxtest":  {"sandbox", "sandbox/wire"}, // its fake engine too
	"images":               {"sandbox", "sandbox/docker", "internal/scratch"},
	"tools":                {"tools…", "sandbox", "sandbox/wire"},
	"runtime/llm":          {"runtime/llm…"},
	"runtime/llm/script":   {"runtime/llm", "internal/jsonline"},
	"runtime/memory":       {"runtime/llm"},
	"runtime/workspace":    {"runtime/workspace…", "internal/scratch"},
	"runtime/replay":       {"runtime", "runtime/llm", "runtime/llm/script"},
	"runtime":              {"runtime/llm", "internal/jsonline", "internal/scratch"},
	"agents":               {"runtime…", "tools…", "sandbox", "sandbox/wire", "internal/scratch"},
	"internal/fakellm":     {},
	"internal/jsonline":    {},
	"internal/redact":      {},
	"internal/scratch":     {},
	"cmd/config":           {"cmd/suggest", "sandbox"},
	"cmd/suggest":          {},
	"cmd/attach":           {"runtime", "sandbox/wire"},
	"cmd/drydock":          {"cmd/attach", "cmd/config", "cmd/suggest", "agents", "images", "runtime…", "tools", "tools/mcp…", "sandbox", "sandbox/docker", "sandbox/wire", "internal/redact", "internal/scratch"},
	"cmd/drydock-guest":    {"sandbox/guest"},
	"bench":                {"agents", "runtime", "sandbox", "sandbox/docker", "sandbox/wire", "tools"},
	"examples":             {"examples…"},
	"scripts":              {},

	"sandbox/sandboxtest/abuse": {"sandbox", "sandbox/wire"},
	"bench/steps":               {"agents", "runtime", "runtime/llm/openai", "tools"},
	"bench/abuse":               {"sandbox", "sandbox/docker", "sandbox/sandboxtest/abuse"},
}

// owners are the only packages that may import a library.
var owners = map[string]string{
	"github.com/docker/docker":           "sandbox/docker",
	"github.com/sashabaranov/go-openai":  "runtime/llm/openai",
	"github.com/spf13/cobra":             "cmd/drydock",
	"github.com/hashicorp/yamux":         "sandbox",
	"github.com/vbauerster/mpb":          "cmd/drydock",
	"github.com/google/jsonschema-go":    "tools",
	"github.com/containerd/errdefs":      "sandbox/docker",
	"github.com/cenkalti/backoff":        "runtime/llm/openai",
	"github.com/tmaxmax/go-sse":          "runtime/llm/openai",
	"golang.org/x/time":                  "runtime/llm/openai",
	"github.com/creack/pty":              "sandbox/guest",
	"github.com/charmbracelet/x/vt":      "sandbox/guest/screen",
	"github.com/opencontainers/image-sp": "sandbox/docker",
	"github.com/aymanbagabas/go-udiff":   "runtime/replay",
	"github.com/modelcontextprotocol/go": "tools/mcp",
}

func TestImportsFollowTheArchitecture(t *testing.T) {
	list := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...")
	out, err := list.Output()
	assert.NilError(t, err)
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		pkg := inModule(fields[0])
		rule, ok := ruleFor(pkg)
		if pkg != "" && !ok {
			t.Errorf("no rule says what %s may import: add one", pkg)
		}
		for _, imported := range fields[1:] {
			checkImport(t, pkg, imported, rule)
		}
	}
	assert.NilError(t, lines.Err())
}

func checkImport(t *testing.T, pkg, imported string, rule []string) {
	t.Helper()
	if !strings.HasPrefix(imported, "drydock/") {
		for library, owner := range owners {
			if strings.HasPrefix(imported, library) && !under(pkg, owner) {
				t.Errorf("%s imports %s, which only %s may", pkg, imported, owner)
			}
		}
		return
	}
	target := inModule(imported)
	for _, a := range rule {
		if a == target || (strings.HasSuffix(a, "…") && under(target, strings.TrimSuffix(a, "…"))) {
			return
		}
	}
	t.Errorf("%s must not import %s", pkg, target)
}

func ruleFor(pkg string) ([]string, bool) {
	best, found := "", false
	for prefix := range allowed {
		if under(pkg, prefix) && len(prefix) >= len(best) {
			best, found = prefix, true
		}
	}
	return allowed[best], found
}

func under(pkg, prefix string) bool { return pkg == prefix || strings.HasPrefix(pkg, prefix+"/") }

func inModule(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, "drydock"), "/")
}
