package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the build; a plain go build is a development version.
var version = "dev"

// buildInfo is what `drydock version` says.
type buildInfo struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Date    string `json:"date,omitempty"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

func readBuildInfo() buildInfo {
	b := buildInfo{Version: version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		}
	}
	return b
}

// String is the one line for people.
func (b buildInfo) String() string {
	text := fmt.Sprintf("drydock %s (%s, %s/%s)", b.Version, b.Go, b.OS, b.Arch)
	if b.Commit != "" {
		text += " commit " + b.Commit
	}
	return text
}

func newVersionCmd(streams Streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "version", Short: "Print the version", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			b := readBuildInfo()
			if asJSON {
				return json.NewEncoder(streams.Out).Encode(b)
			}
			_, err := fmt.Fprintln(streams.Out, b)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}
