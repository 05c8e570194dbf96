// Package generator recognises what builds a static site: which generator's project a
// folder holds, where that writes the site, and where the site will be served.
//
// [Recognise] looks for the files by which each generator knows its own projects, and
// reads their settings. It never runs the project's code. Of a configuration that is
// code, the literals are read; what is computed is said to be unknown, and nothing is
// invented in its place. Start reading at Recognise; each generator has a file.
//
// The folder may be hostile: nothing outside it is opened, files are read up to 1 MiB,
// and what they nest up to a depth.
package generator

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode"
)

// A Name is what a generator is called on the command line.
type Name string

// The generators, in the order in which they are looked for. A project may hold the
// files of several, as a program with pages of its own has the documentation of MkDocs
// in it: the first is chosen.
const (
	Hugo       Name = "hugo"
	Zola       Name = "zola"
	Docusaurus Name = "docusaurus"
	Astro      Name = "astro"
	Eleventy   Name = "eleventy"
	SvelteKit  Name = "sveltekit"
	NextJS     Name = "nextjs"
	MkDocs     Name = "mkdocs"
	Jekyll     Name = "jekyll"
	HTML       Name = "html" // pages that no generator has written
)

// generators says how each is called by people and looked for. A look returns false if
// there is nothing of the generator in the folder, unless it is forced: then it gives
// what the generator does by default.
var generators = []struct {
	name  Name
	title string
	look  func(s *survey, forced bool) bool
}{
	{Hugo, "Hugo", (*survey).hugo},
	{Zola, "Zola", (*survey).zola},
	{Docusaurus, "Docusaurus", (*survey).docusaurus},
	{Astro, "Astro", (*survey).astro},
	{Eleventy, "Eleventy", (*survey).eleventy},
	{SvelteKit, "SvelteKit", (*survey).svelteKit},
	{NextJS, "Next.js", (*survey).nextJS},
	{MkDocs, "MkDocs", (*survey).mkDocs},
	{Jekyll, "Jekyll", (*survey).jekyll},
	{HTML, "plain HTML", (*survey).plain},
}

// Names returns all generators, in the order in which they are looked for.
func Names() []Name {
	names := make([]Name, len(generators))
	for i, g := range generators {
		names[i] = g.name
	}
	return names
}

// Title returns what people call a generator, such as Next.js.
func (n Name) Title() string {
	for _, g := range generators {
		if g.name == n {
			return g.title
		}
	}
	return string(n)
}

// A Setting is a value and where it was found. It is unknown where Value is empty.
type Setting struct {
	Value string
	// Place is zero for what a generator does by default, and for what is given.
	Place Place
	// Given says that the value comes from the Options.
	Given bool
}

// Options say what is known better than the project tells. The zero value leaves all to
// it.
type Options struct {
	// Generator is taken for the project's, whatever is found.
	Generator Name
	// BaseURL and Docroot stand in for what the project's files say.
	BaseURL, Docroot string
}

// A Style is how the site's own links spell its pages, in the words of the
// configuration's urls.
type Style struct {
	Extension string // keep or strip
	Slash     string // auto, always or never
	// NamesIndex says that links have the names of index files: dir/index.html.
	NamesIndex bool
}

// usual is the style of the configuration's defaults.
var usual = Style{Extension: "keep", Slash: "auto"}

// IsUsual reports whether a style is that of the configuration's defaults.
func (s Style) IsUsual() bool { return s == usual }

// An OwnSitemap is one that the generator writes besides.
type OwnSitemap struct {
	// File is its name in the docroot.
	File string
	// Place is what has the generator write it; zero for what it does by default.
	Place Place
	// Mend says how to switch it off, as the end of "to switch it off, …".
	Mend string
}

// An Exclusion is a glob of what a generator writes that is no page, and why.
type Exclusion struct {
	Glob, Why string
	// Optional is set for pages that are listed unless somebody decides otherwise.
	Optional bool
}

// A Note is what people should know before they rely on what was found.
type Note struct {
	Code, Message string
	Place         Place
}

// The codes of notes.
const (
	NoteNotLiteral  = "not-literal"         // a setting is computed by code
	NoteUnreadable  = "settings-unreadable" // a file of settings cannot be read
	NoteNotStatic   = "not-static"          // the project is not built into static files
	NotePlaceholder = "base-url-example"    // the base URL is that of a starter
	NoteBaseURL     = "base-url-unknown"    // nothing says where the site is served
	NoteUnusable    = "base-url-unusable"   // what says it is no URL of a site
)

// A Project is what was found of one.
type Project struct {
	Generator Name
	// Recognised is the file that told the generator; zero if none did.
	Recognised Place
	// BaseURL is where the docroot is served; its Value is empty where nothing says so.
	BaseURL Setting
	// Path is the path of the site's URL, as far as it is known without the rest: it
	// begins and ends with a slash.
	Path string
	// Docroot is the folder in which the site is found once it is built: relative to
	// the project's, or absolute.
	Docroot Setting
	// Style is how links spell pages, where the project's settings, or the generator
	// without any, decide it; nil if not. StylePlace is zero for the generator's default.
	Style      *Style
	StylePlace Place
	// Canonicals says that the pages' canonicals, if they have any, tell the style.
	Canonicals bool
	// Host is where the project is published, as a preset of the configuration's urls
	// calls it; empty if nothing, or more than one thing, says so.
	Host       string
	HostPlace  Place
	Sitemaps   []OwnSitemap
	Exclusions []Exclusion
	// Generated says that a build writes all files anew, Git that the folder is the top
	// of a work tree.
	Generated, Git bool
	// Build is the command that builds the site; empty for none.
	Build string
	Notes []Note
	// Also are other generators that have files in the folder.
	Also []Name
}

// An UnknownError says that no generator was recognised, and no HTML was found.
type UnknownError struct {
	// Why tells of a project that is none of a static site, if there is one.
	Why string
}

func (e *UnknownError) Error() string {
	if e.Why != "" {
		return e.Why
	}
	return "no site generator was recognised, and no HTML was found"
}

// survey is a look at a folder for the files of one generator.
type survey struct {
	folder
	project  *Project
	given    Options
	packages *value // package.json, or nil
}

// Recognise says what builds the site in a folder. The error is an *UnknownError, or
// that of a name that is no generator's.
func Recognise(root *os.Root, options Options) (*Project, error) {
	var found *Project
	force := options.Generator
	packages := packageFile(folder{root})
	why := ""
	for _, g := range generators {
		if force != "" && g.name != force {
			continue
		}
		s := &survey{folder{root}, &Project{Generator: g.name, Generated: g.name != HTML, Path: "/"}, options, packages}
		switch {
		case !g.look(s, force != "" || g.name == HTML && options.Docroot != ""):
			continue
		case found == nil && force == "" && options.Docroot == "" && s.project.notStatic() != "":
			if why == "" {
				why = s.project.notStatic()
			}
			continue
		case found == nil:
			found = s.project
			s.published()
		case g.name != HTML && s.project.notStatic() == "":
			found.Also = append(found.Also, g.name)
		}
	}
	if found == nil && force != "" {
		return nil, fmt.Errorf("there is no generator %q; it is one of %s", force, joined(Names()))
	}
	if found == nil {
		return nil, &UnknownError{why}
	}
	return found, nil
}

func joined(names []Name) string {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = string(name)
	}
	return strings.Join(words, ", ")
}

// published adds what does not depend on the generator.
func (s *survey) published() {
	s.host()
	s.project.Git = s.isFolder(".git") || s.isFile(".git")
	if !s.project.Generated {
		return
	}
	for _, name := range [...]string{"static/sitemap.xml", "public/sitemap.xml"} {
		// Copied as it is, unless that is the very folder to which the site is written.
		if s.isFile(name) && !strings.HasPrefix(name, s.project.Docroot.Value+"/") {
			s.project.Sitemaps = append(s.project.Sitemaps, OwnSitemap{"sitemap.xml", Place{name, 0}, "remove " + name})
		}
	}
}

// note adds a note.
func (s *survey) note(code string, place Place, format string, args ...any) {
	s.project.Notes = append(s.project.Notes, Note{code, printable(fmt.Sprintf(format, args...)), place})
}

// notStatic returns why a project is none of static files, or an empty string.
func (p *Project) notStatic() string {
	if i := slices.IndexFunc(p.Notes, func(n Note) bool { return n.Code == NoteNotStatic }); i >= 0 {
		return p.Notes[i].Message
	}
	return ""
}

// settings reads a file of settings; nil if it cannot be read, which is noted.
func (s *survey) settings(name string) *value {
	data, err := s.read(name)
	if err == nil {
		var v *value
		if v, err = parse(name, data); err == nil {
			return v
		}
	}
	s.unreadable(name, err)
	return nil
}

// module is settings for a file of JavaScript.
func (s *survey) module(name string) *module {
	data, err := s.read(name)
	if err == nil {
		var m *module
		if m, err = parseModule(name, data); err == nil {
			return m
		}
	}
	s.unreadable(name, err)
	return nil
}

func (s *survey) unreadable(name string, err error) {
	s.note(NoteUnreadable, Place{name, 0}, "the settings in %s are not known: %v", name, err)
}

// computed notes that a setting is code.
func (s *survey) computed(what string, v *value) {
	s.note(NoteNotLiteral, v.place, "%s in %s is computed by code, which init does not run", what, v.place)
}

// folderOr takes the docroot from a setting, or else the generator's default.
func (s *survey) folderOr(what string, v *value, usual string) {
	s.project.Docroot = Setting{Value: usual}
	switch {
	case s.given.Docroot != "":
		s.project.Docroot = Setting{Value: s.given.Docroot, Given: true}
	case v.isCode():
		s.computed(what, v)
	case v.string() == "":
	case len(v.text) > maxName || printable(v.text) != v.text:
		s.note(NoteUnreadable, v.place, "%s in %s is no name of a folder", what, v.place)
	default:
		s.project.Docroot = Setting{Value: v.text, Place: v.place}
		s.mayDiffer(what, v)
	}
}

// maxName is more than any system takes for a path.
const maxName = 4096

// printable returns a text in which what cannot be printed in a line is replaced.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

// mayDiffer notes that code may put another value in the place of a literal.
func (s *survey) mayDiffer(what string, v *value) {
	if v.unsure {
		s.note(NoteNotLiteral, v.place, "%s in %s may be overridden by code or the environment, which init does not look at", what, v.place)
	}
}

// style sets how links spell pages.
func (s *survey) style(extension, slash string, place Place) {
	s.project.Style, s.project.StylePlace = &Style{Extension: extension, Slash: slash}, place
}

// configOr returns the file that told the generator, or what it is mostly called.
func (p *Project) configOr(usual string) string {
	if p.Recognised.File != "" {
		return p.Recognised.File
	}
	return usual
}
