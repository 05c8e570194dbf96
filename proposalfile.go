package sitewalk

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"sitewalk/internal/generator"
)

// proposalFile writes a proposal as a configuration file, with a comment for each
// decision.
func proposalFile(p *Proposal, found *generator.Project) []byte {
	var b strings.Builder
	line := func(text, comment string) {
		if comment == "" {
			fmt.Fprintf(&b, "%s\n", text)
			return
		}
		fmt.Fprintf(&b, "%-38s # %s\n", text, comment)
	}
	what := "pages that no generator writes"
	if found.Generator != generator.HTML {
		what = "this site of " + p.Title
	}
	line("# What sitewalk makes of "+what+". Paths are relative to this file; what is", "")
	line("# not here has its default, which config.example.yaml explains.", "")
	line("", "")
	line("base_url: "+scalar(p.BaseURL), p.baseURLComment(found))
	line("docroot: "+scalar(p.Docroot), docrootComment(p, found))
	if urls := urlsOf(found); urls.value != "" {
		line("urls: "+urls.value, because(urls.place, urls.why))
	}
	for _, exclusion := range found.Exclusions {
		comment := exclusion.Why
		setting := "exclude: [" + quote(exclusion.Glob) + "]"
		if exclusion.Optional {
			setting = "# " + setting
		}
		line(setting, comment)
	}
	line("", "")
	lastModLines(line, found)
	line("", "")
	line("# robots: {update: true}", "keeps a Sitemap: line in the docroot's robots.txt")
	for _, own := range found.Sitemaps {
		line("", "")
		line("# "+p.Title+" writes a "+own.File+" too. To have only one:", "")
		line("#   "+own.Mend, "")
	}
	return []byte(b.String())
}

func (p *Proposal) baseURLComment(found *generator.Project) string {
	switch {
	case !p.BaseURLKnown:
		return "SET THIS: nothing in the project says where the site is served"
	case found.BaseURL.Given:
		return ""
	}
	for _, note := range found.Notes {
		if note.Code == generator.NotePlaceholder {
			return "SET THIS: " + found.BaseURL.Place.String() + " still has the URL of an example"
		}
	}
	return "from " + found.BaseURL.Place.String()
}

func docrootComment(p *Proposal, found *generator.Project) string {
	switch {
	case found.Docroot.Given:
		return ""
	case found.Docroot.Place.File != "":
		return "from " + found.Docroot.Place.String()
	case found.Generated:
		return "where " + p.Title + " writes the site unless told otherwise"
	}
	return "where the pages are"
}

// because says why a value is there.
func because(place generator.Place, why string) string {
	if place.File == "" {
		return why
	}
	return place.String() + ": " + why
}

// lastModLines write where dates come from.
func lastModLines(line func(text, comment string), found *generator.Project) {
	switch {
	case found.Generated:
		line("# A build writes all files anew, so that their times say nothing. Pages are dated by", "")
		line("# what their heads say, or else by when their bytes last changed, which a state", "")
		line("# remembers. In a pipeline, name it here and keep the file from run to run.", "")
		line("lastmod: [meta, content]", "")
		line("# state: .sitewalk-state", "")
	case found.Git:
		line("# A checkout gives all files one time, so that commits date the pages first.", "")
		line("lastmod: [git, mtime]", "")
	default:
		line("lastmod: [mtime]", "the times of the files; [content, mtime] if copying loses them")
	}
}

// scalar returns a text as YAML writes it in one line.
func scalar(text string) string {
	written, err := yaml.Marshal(text)
	if line := strings.TrimSuffix(string(written), "\n"); err == nil && !strings.Contains(line, "\n") {
		return line
	}
	return quote(text)
}

// quote returns a text in double quotes, of which YAML knows the same escapes as Go for
// what can be printed.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
