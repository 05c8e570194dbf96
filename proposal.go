package sitewalk

import (
	"encoding/json"
	"errors"
	"os"
	"path"
	"strings"

	"sitewalk/internal/generator"
	"sitewalk/mapper"
)

// ErrNoSite says that a folder holds neither the project of a site generator that is
// known, nor HTML.
var ErrNoSite = errors.New("no site was found")

// unsetBaseURL stands in for a base URL that nothing tells: documentation may use its
// host, and nobody else has it (https://www.rfc-editor.org/rfc/rfc2606).
const unsetBaseURL = "https://www.example.com/"

// ProposeOptions say what is known better than the project tells. Empty fields leave
// it to the project.
type ProposeOptions struct {
	// Generator is one of [Generators], whatever is found.
	Generator string
	// BaseURL is where the docroot is served.
	BaseURL string
	// Docroot is the folder that is served, slash-separated: relative to the project's
	// folder, or absolute.
	Docroot string
	// Project leads from the folder of the configuration to that of the project,
	// slash-separated, as paths in the configuration are relative to it; "" and "."
	// mean that it is the same.
	Project string
}

// A Proposal is a configuration for a project's site, and what it is made of.
type Proposal struct {
	// Generator is one of [Generators], and Title what people call it.
	Generator, Title string
	// BaseURL is a placeholder, https://www.example.com/ perhaps with a path, unless
	// BaseURLKnown.
	BaseURL      string
	BaseURLKnown bool
	// Docroot is slash-separated, and relative to the configuration's folder, or absolute.
	Docroot string
	// Build is the command that builds the site, in the project's folder; empty where
	// there is nothing to build.
	Build string
	// Evidence says where each setting was found.
	Evidence []Evidence
	// Warnings say what to look at before relying on the proposal.
	Warnings []Warning
	// YAML is the configuration: a file for [Load].
	YAML []byte
}

// Evidence is where in a project something was found.
type Evidence struct {
	// Setting is generator, base_url, docroot, urls, host or sitemap: the last two are
	// who publishes the site, and the sitemap that the generator writes by itself.
	Setting string
	Value   string
	// File is relative to the project's folder, and empty for what the generator does by
	// default or an option says. Line counts from 1; 0 means the file as such.
	File string
	Line int
}

// MarshalJSON writes the evidence with its file encoded by [PercentEncode].
func (e Evidence) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Setting string `json:"setting"`
		Value   string `json:"value"`
		File    string `json:"file"`
		Line    int    `json:"line,omitempty"`
	}{e.Setting, e.Value, PercentEncode(e.File), e.Line})
}

// Generators returns the names of the generators that [Propose] knows; html stands for
// pages that none has written.
func Generators() []string {
	var names []string
	for _, name := range generator.Names() {
		names = append(names, string(name))
	}
	return names
}

// Propose proposes a configuration for the site that the project in a folder builds. It
// reads the files of the project and no others, runs no code, and writes nothing. The
// error is [ErrNoSite], or a *[ConfigError] of an option that is none.
func Propose(project *os.Root, options ProposeOptions) (*Proposal, error) {
	if options.BaseURL != "" {
		if err := checkBaseURL(options.BaseURL); err != nil {
			return nil, err
		}
	}
	found, err := generator.Recognise(project, generator.Options{
		Generator: generator.Name(options.Generator), BaseURL: options.BaseURL, Docroot: options.Docroot,
	})
	var unknown *generator.UnknownError
	switch {
	case errors.As(err, &unknown):
		return nil, &noSiteError{unknown}
	case err != nil:
		return nil, &ConfigError{err}
	}
	p := &Proposal{
		Generator: string(found.Generator), Title: found.Generator.Title(), Build: found.Build,
		BaseURL: found.BaseURL.Value, BaseURLKnown: found.BaseURL.Value != "",
		Docroot: found.Docroot.Value, Warnings: []Warning{},
	}
	if p.BaseURLKnown && checkBaseURL(p.BaseURL) != nil {
		p.BaseURLKnown, found.BaseURL = false, generator.Setting{}
	}
	if !p.BaseURLKnown {
		p.BaseURL = strings.TrimSuffix(unsetBaseURL, "/") + found.Path
	}
	if !path.IsAbs(p.Docroot) {
		p.Docroot = path.Join(options.Project, p.Docroot)
	}
	p.tell(found)
	p.warn(found)
	p.YAML = proposalFile(p, found)
	return p, nil
}

// checkBaseURL returns a *ConfigError unless a base URL can be one.
func checkBaseURL(baseURL string) error {
	config := DefaultConfig()
	config.Mapper.BaseURL = baseURL
	if _, err := mapper.New(config.Mapper, mapper.Options{}); err != nil {
		return config.blame(err)
	}
	return nil
}

// noSiteError is ErrNoSite with what was found instead.
type noSiteError struct{ unknown *generator.UnknownError }

func (e *noSiteError) Error() string    { return e.unknown.Error() }
func (e *noSiteError) Is(is error) bool { return is == ErrNoSite }

// tell notes where things were found.
func (p *Proposal) tell(found *generator.Project) {
	add := func(setting, value string, place generator.Place) {
		p.Evidence = append(p.Evidence, Evidence{setting, value, place.File, place.Line})
	}
	add("generator", p.Generator, found.Recognised)
	if p.BaseURLKnown {
		add("base_url", p.BaseURL, found.BaseURL.Place)
	}
	add("docroot", p.Docroot, found.Docroot.Place)
	if urls := urlsOf(found); urls.value != "" {
		add("urls", urls.value, urls.place)
	}
	if found.Host != "" {
		add("host", found.Host, found.HostPlace)
	}
	for _, own := range found.Sitemaps {
		add("sitemap", own.File, own.Place)
	}
}

// warn says what to look at.
func (p *Proposal) warn(found *generator.Project) {
	add := func(code, message string) {
		p.Warnings = append(p.Warnings, Warning{Code: code, Message: message, Paths: []string{}})
	}
	for _, note := range found.Notes {
		if note.Code != generator.NoteBaseURL {
			add(note.Code, note.Message)
		}
	}
	if !p.BaseURLKnown {
		add(generator.NoteBaseURL, "nothing in the project says where the site is served: set base_url, which is "+p.BaseURL+" for now, before you publish")
	}
	for _, own := range found.Sitemaps {
		message := p.Title + " writes a " + own.File + " of its own, "
		if own.File == "sitemap.xml" {
			message += "which sitewalk replaces after each build"
		} else {
			message += "so that there are two sitemaps"
		}
		add("own-sitemap", message+"; to have only one, "+own.Mend)
	}
	for _, also := range found.Also {
		add("other-generator", "the folder also has files of "+also.Title()+"; if it is that which builds the site, say --generator "+string(also))
	}
}

// An urlsSetting is what the configuration says of how URLs are spelled, and why.
type urlsSetting struct {
	value string // in YAML; empty for the defaults
	place generator.Place
	why   string
}

// urlsOf chooses how URLs are spelled: as the project's settings decide, else as the
// host that publishes it has them, else as the generator writes them, else as the
// pages' own canonicals say.
func urlsOf(found *generator.Project) urlsSetting {
	style := found.Style
	switch {
	case style != nil && style.NamesIndex:
		return urlsSetting{"{index: []}", found.StylePlace, "links name the files, also index.html"}
	case style != nil && !style.IsUsual():
		return urlsSetting{"{extension: " + style.Extension + ", slash: " + style.Slash + "}", found.StylePlace, "links are without .html"}
	case style != nil && found.StylePlace.File != "":
		return urlsSetting{}
	case found.Host != "":
		return preset(found.Host, found.HostPlace, "as that host spells them")
	case found.Generator == generator.Hugo:
		return preset("hugo", found.StylePlace, "as Hugo spells them")
	case found.Canonicals:
		return preset("auto", generator.Place{}, "as the pages' own canonicals spell them")
	}
	return urlsSetting{}
}

// preset returns the setting of one preset of urls.
func preset(name string, place generator.Place, why string) urlsSetting {
	return urlsSetting{"{preset: " + name + "}", place, why}
}
