package main

import (
	"fmt"
	"path/filepath"
	"sitewalk/internal/display"
	"strings"

	"sitewalk"
)

// proposed is what init --json prints.
type proposed struct {
	Event        string              `json:"event"` // written or printed
	Generator    string              `json:"generator"`
	BaseURL      string              `json:"base_url"`
	BaseURLKnown bool                `json:"base_url_known"` // or it is a placeholder
	Docroot      string              `json:"docroot"`
	Config       string              `json:"config,omitempty"`  // the file that was written
	Content      string              `json:"content,omitempty"` // or what would have been
	Next         string              `json:"next"`              // what to run
	Pipeline     string              `json:"pipeline"`          // what a pipeline is to run
	Evidence     []sitewalk.Evidence `json:"evidence"`
	Warnings     []sitewalk.Warning  `json:"warnings"`
}

// pipelineState is where a pipeline keeps the state, in a file for its cache.
const pipelineState = ".sitewalk-state"

// printProposal prints what was found and what to run next.
func (c *command) printProposal(p *sitewalk.Proposal, folder, file string, printed bool) error {
	next, pipeline := commandLines(p, folder, file)
	if c.flags.json {
		object := proposed{
			Event: "written", Generator: p.Generator, BaseURL: p.BaseURL, BaseURLKnown: p.BaseURLKnown,
			Docroot: sitewalk.PercentEncode(p.Docroot), Config: sitewalk.PercentEncode(filepath.ToSlash(file)),
			Next: next, Pipeline: pipeline, Evidence: p.Evidence, Warnings: p.Warnings,
		}
		if printed {
			object.Event, object.Config, object.Content = "printed", "", string(p.YAML)
		}
		return c.printJSON(object)
	}
	if printed {
		_, err := c.stdout.Write(p.YAML)
		return err
	}
	if c.flags.quiet {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "wrote %s for %s\n", display.Name(file), p.Title)
	for _, found := range p.Evidence {
		from := "by default"
		switch {
		case found.Line > 0:
			from = fmt.Sprintf("from %s:%d", found.File, found.Line)
		case found.File != "":
			from = "from " + found.File
		case found.Setting == "base_url" || found.Setting == "docroot" && c.flags.docroot != "" || found.Setting == "generator":
			from = "as given"
		}
		fmt.Fprintf(&b, "  %-9s  %s, %s\n", found.Setting, display.Text(found.Value), display.Text(from))
	}
	if !p.BaseURLKnown {
		next = "set base_url in " + display.Name(file) + ", then " + next
	}
	fmt.Fprintf(&b, "next:      %s\npipeline:  %s\n", next, pipeline)
	if pipeline != next {
		fmt.Fprintf(&b, "           with %s kept from run to run, as in a cache\n", pipelineState)
	}
	_, err := fmt.Fprint(c.stdout, b.String())
	return err
}

// commandLines returns what to run next, for a shell in the working directory, and what
// a pipeline is to run: there a state that dates pages by their content must be named,
// to be kept from run to run.
func commandLines(p *sitewalk.Proposal, folder, file string) (next, pipeline string) {
	build := p.Build
	next = "sitewalk build"
	if filepath.Clean(file) != configFile {
		next += " -c " + shellWord(file)
	}
	if build != "" && filepath.Clean(folder) != "." {
		build = "(cd " + shellWord(folder) + " && " + build + ")"
	}
	if build == "" {
		return next, next
	}
	return build + " && " + next, build + " && " + next + " --state " + pipelineState
}

// shellWord returns a name as a word for a shell, in one printable line.
func shellWord(name string) string {
	plain := strings.ContainsFunc(name, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./", r)
	})
	if !plain && !strings.HasPrefix(name, "-") {
		return name
	}
	return "'" + strings.ReplaceAll(display.Text(name), "'", `'\''`) + "'"
}
