package images

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

//go:embed Dockerfile dpkg.cfg setup.sh nosync.sh base/packages data/packages
var files embed.FS

// suite is the Debian release that the packages come from, the same in the
// Dockerfile.
const suite = "bookworm"

// The labels of drydock's own images.
const (
	LabelImage   = "drydock.image"       // the short name
	LabelVersion = "drydock.version"     // the drydock that built the image
	LabelDigest  = "drydock.list-digest" // Recipe.Digest at that time
)

// lists names the package lists that each image is made of.
var lists = map[string][]string{
	"base": {"base"},
	"data": {"base", "data"},
}

// Names returns the short names of drydock's own images, sorted.
func Names() []string { return []string{"base", "data"} }

// Recipe is everything that decides what is in an image.
type Recipe struct {
	Name     string   // short name, for example base
	Ref      string   // the name on the engine, for example drydock/base:latest
	Arch     string   // as Go and Debian name it, for example amd64
	Packages []string // Debian packages, sorted, none twice
	Digest   string   // changes whenever the image would
}

// NewRecipe returns the recipe of one of drydock's own images for an architecture.
func NewRecipe(name, arch string) (Recipe, error) {
	parts, ok := lists[name]
	if !ok {
		return Recipe{}, unknownName(name)
	}
	r := Recipe{Name: name, Ref: reference(name), Arch: debianArch(arch)}
	for _, part := range parts {
		packages, err := parseList(mustFile(part + "/packages"))
		if err != nil {
			return Recipe{}, fmt.Errorf("read package list %s: %w", part, err)
		}
		r.Packages = append(r.Packages, packages...)
	}
	slices.Sort(r.Packages)
	r.Packages = slices.Compact(r.Packages)
	r.Digest = r.digest()
	return r, nil
}

// debianArch gives Debian's name for a Go architecture; most are the same.
func debianArch(arch string) string {
	switch arch {
	case "386":
		return "i386"
	case "arm":
		return "armhf"
	case "ppc64le":
		return "ppc64el"
	case "x86_64":
		return "amd64"
	case "aarch64":
		return "arm64"
	}
	return arch
}

// parseList reads a package list: one name a line, # starts a comment.
func parseList(raw []byte) ([]string, error) {
	var packages []string
	scan := bufio.NewScanner(bytes.NewReader(raw))
	for n := 1; scan.Scan(); n++ {
		line, _, _ := strings.Cut(scan.Text(), "#")
		name := strings.TrimSpace(line)
		if name == "" {
			continue
		}
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789+-.") != "" {
			return nil, fmt.Errorf("line %d: %q is not the name of a package", n, name)
		}
		packages = append(packages, name)
	}
	return packages, scan.Err()
}

// digest covers every input with its length, so that no two recipes run together.
func (r Recipe) digest() string {
	sum := sha256.New()
	for _, part := range [][]byte{
		[]byte(r.Arch), r.packageFile(),
		mustFile("Dockerfile"), mustFile("dpkg.cfg"), mustFile("setup.sh"),
	} {
		_, _ = fmt.Fprintf(sum, "%d\n%s\n", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// packageFile is the list as both ways of building read it.
func (r Recipe) packageFile() []byte {
	return []byte(strings.Join(r.Packages, "\n") + "\n")
}

func (r Recipe) labels(version string) map[string]string {
	return map[string]string{LabelImage: r.Name, LabelVersion: version, LabelDigest: r.Digest}
}

// from is the image that the Dockerfile starts from.
func (r Recipe) from() string { return instructions("FROM")[0][len("FROM "):] }

// changes is the configuration of an imported image: the Dockerfile's own lines.
func (r Recipe) changes(version string) []string {
	changes := instructions("ENV", "WORKDIR", "CMD")
	labels := r.labels(version)
	for _, key := range []string{LabelImage, LabelVersion, LabelDigest} {
		changes = append(changes, "LABEL "+key+"="+dockerQuote(labels[key]))
	}
	return changes
}

// dockerQuote keeps the engine from expanding or splitting a value.
func dockerQuote(s string) string { return strings.ReplaceAll(strconv.Quote(s), "$", `\$`) }

// instructions returns the lines of the Dockerfile that start with one of the words.
func instructions(words ...string) []string {
	var found []string
	for line := range strings.Lines(string(mustFile("Dockerfile"))) {
		if word, _, _ := strings.Cut(line, " "); slices.Contains(words, word) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

// mustFile reads an embedded file; the embed directive guarantees that it is there.
func mustFile(name string) []byte {
	raw, _ := files.ReadFile(name)
	return raw
}
