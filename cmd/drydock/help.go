package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"drydock/cmd/config"
)

// newHelpCmd is cobra's help command, except that an unknown topic is an error.
func newHelpCmd() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Show the help of a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			at := cmd.Root()
			for _, name := range args {
				next := subcommand(at, name)
				if next == nil {
					return usageError{unknownCommand(at, name)}
				}
				at = next
			}
			at.InitDefaultHelpFlag()
			return at.Help()
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return commandNames(cmd.Root()), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func subcommand(parent *cobra.Command, name string) *cobra.Command {
	for _, sub := range parent.Commands() {
		if sub.Name() == name {
			return sub
		}
	}
	return nil
}

func newExitCodesTopic() *cobra.Command {
	return &cobra.Command{
		Use: "exit-codes", Short: "What the exit codes mean", Long: exitCodeHelp,
	}
}

// flagSections are the headings of a command's settings, in order.
var flagSections = []struct{ section, heading string }{
	{"", "Flags"},
	{config.SectionRun, "Run"},
	{config.SectionLLM, "Model"},
	{config.SectionSandbox, "Sandbox"},
}

// explain prepares a command for its help to be shown.
func explain(cmd *cobra.Command) {
	tellVariables(cmd)
	hasSettings := false
	cmd.Flags().VisitAll(func(f *pflag.Flag) { hasSettings = hasSettings || config.SectionOf(f) != "" })
	if hasSettings {
		showBySection(cmd)
	}
}

// showBySection shows a command's flags by section, because one list of thirty is
// hard to read. The key has no flag, so it is told in words.
func showBySection(cmd *cobra.Command) {
	cmd.InitDefaultHelpFlag()
	var text strings.Builder
	for _, s := range flagSections {
		group := pflag.NewFlagSet(s.section, pflag.ContinueOnError)
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if config.SectionOf(f) == s.section {
				group.AddFlag(f)
			}
		})
		if group.HasFlags() {
			fmt.Fprintf(&text, "%s:\n%s\n", s.heading, group.FlagUsagesWrapped(helpWidth()))
		}
	}
	if cmd.Flags().Lookup("model") != nil {
		text.WriteString("The model's key comes from OPENAI_API_KEY, OPENAI_API_KEY_FILE or a configuration\nfile. ")
	}
	text.WriteString("In brackets: the variable that does the same as the flag.")
	const flags = "Flags:\n{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}"
	cmd.SetUsageTemplate(strings.Replace(cmd.UsageTemplate(), flags, text.String(), 1))
}

// helpWidth is what the terminal offers, in reason.
func helpWidth() int {
	const usual = 100
	width, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return usual
	}
	return min(max(width, 60), 120)
}
