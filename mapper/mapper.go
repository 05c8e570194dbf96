// Package mapper turns files into pages: it builds a file's URL from its path
// and the base URL, applies the rules and robots.txt, judges what the head of the
// page says, and says why a file is not to be listed.
//
// Start at [New]. A [Mapper] is immutable and shared; each goroutine maps with
// a [Worker] of its own. [Worker.Map] judges a file by its path. What package head
// has read in it, [Worker.Distill] reduces to [Facts], which hold for as long as
// the file stays as it is, and [Worker.Judge] applies them. Pages that are not on
// disk come from [Mapper.ReadExtra], and URLs that two files share are found by
// [Taken], which must see the pages in the scanner's order. In which style pages name
// themselves, a [Survey] finds out.
//
// Package mapper opens no file and writes nothing: what it must know of others in
// the docroot it asks of [Options].
package mapper

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/encoding"

	"sitewalk/internal/glob"
	"sitewalk/internal/robots"
	"sitewalk/output"
	"sitewalk/scanner"
)

// MaxLoc is the length that the URL of a page must stay under, in bytes, before
// XML's entities. https://www.sitemaps.org/protocol.html#locdef
const MaxLoc = 2048

// A Page is a file that has a URL.
type Page struct {
	// Page is what the sitemap says of it. Its Loc is valid until the worker's
	// next call.
	output.Page
	// Section is the index of the page's section in [Mapper.Sections].
	Section int
	// Sources are where the page's date comes from; the first that answers wins.
	// The date itself is for the caller to find.
	Sources []Source
	// Style is the canonical's, where it names the page in another style.
	Style Style
	// Rules are the indexes of the rules that match the page, if [Options] ask for
	// details.
	Rules []int
	// KeyLength is the length of the beginning of the file's path that another
	// file may share together with the URL, or -1 if none can; see [Taken].
	KeyLength int
}

// A Mapper maps files to pages by one configuration. It is immutable.
type Mapper struct {
	config   Config
	urls     URLs // of config, without a preset
	base     base
	scope    string // what every URL of the sitemap begins with
	charset  encoding.Encoding
	index    []string
	rules    *glob.Set
	sections []string
	outcomes []outcome // what each rule sets
	robots   *robots.Group
	now      func() int64
	has      func(path string) bool
	details  bool
	masks    []*regexp.Regexp
	maskSize int
}

// outcome is what the rules say of a page.
type outcome struct {
	section              int // -1 for a rule that sets none
	changeFreq, priority string
	sources              []Source
	setsSources          bool
	list                 bool
	setsList             bool
}

// page returns a page of which nothing but the outcome is known.
func (o *outcome) page() Page {
	return Page{Page: output.Page{ChangeFreq: o.changeFreq, Priority: o.priority}, Section: o.section, Sources: o.sources, KeyLength: -1}
}

// Options are what a program sets beside the configuration.
type Options struct {
	// OutputDir is the folder of the sitemap, relative to the docroot: only
	// URLs below it can be listed.
	OutputDir string
	// Robots is what robots.txt says to the configured agent; nil if nothing does.
	Robots *robots.Group
	// Now returns the time after which a date is in the future, in seconds since
	// 1970. All workers call it. Without it there can be none: New then only checks.
	Now func() int64
	// Has reports whether the docroot has a regular file at a path; nil means that
	// it has none but the one at hand.
	Has func(path string) bool
	// Details asks for evidence: [scanner.File.Detail] and [Page.Rules].
	Details bool
}

// New checks and compiles the configuration. Its error is a *ConfigError.
func New(config Config, options Options) (*Mapper, error) {
	m := &Mapper{config: config, urls: config.URLs.Resolve(), robots: options.Robots, now: options.Now, has: options.Has, details: options.Details}
	var err error
	if m.base, err = parseBase(config.BaseURL); err != nil {
		return nil, err
	}
	if err := config.URLs.checkPreset(); err != nil {
		return nil, err
	}
	if m.charset, err = lookupCharset(config.URLs.Charset); err != nil {
		return nil, err
	}
	var ok bool
	if m.scope, ok = m.fileURL(options.OutputDir, ""); !ok {
		return nil, &ConfigError{"output.dir", fmt.Sprintf("cannot be written in %s", config.URLs.Charset), "choose a name in ASCII"}
	}
	for i, name := range config.URLs.Index {
		if name == "" || strings.Contains(name, "/") {
			return nil, &ConfigError{fmt.Sprintf("urls.index[%d]", i), "must be the name of a file", ""}
		}
	}
	if config.Robots.Agent == "" {
		return nil, &ConfigError{"robots.agent", "is empty", `"*" stands for all crawlers`}
	}
	m.index = m.urls.Index
	if m.masks, m.maskSize, err = compileMasks(config.LastModIgnore); err != nil {
		return nil, err
	}
	if m.sections, err = config.sections(); err != nil {
		return nil, err
	}
	var globs []glob.Entry
	var total glob.Total
	for i, rule := range config.Rules {
		if len(rule.Match) == 0 {
			return nil, &ConfigError{fmt.Sprintf("rules[%d]", i), "matches nothing", `add match: "blog/**"`}
		}
		for j, pattern := range rule.Match {
			compiled, err := glob.Compile(pattern)
			if err == nil {
				err = total.Add(compiled)
			}
			if err != nil {
				return nil, &ConfigError{fmt.Sprintf("rules[%d].match[%d]", i, j), err.Error(), ""}
			}
			globs = append(globs, glob.Entry{ID: i, Pattern: compiled})
		}
		m.outcomes = append(m.outcomes, m.ruleOutcome(rule))
	}
	m.rules = glob.NewSet(globs...)
	return m, nil
}

func (m *Mapper) ruleOutcome(rule Rule) outcome {
	o := outcome{section: -1}
	if rule.Section != nil {
		o.section = slices.Index(m.sections, *rule.Section)
	}
	if rule.ChangeFreq != nil {
		o.changeFreq = string(*rule.ChangeFreq)
	}
	if rule.Priority != nil {
		o.priority = rule.Priority.String()
	}
	if rule.LastMod != nil {
		o.setsSources, o.sources = true, *rule.LastMod
	}
	if rule.List != nil {
		o.setsList, o.list = true, *rule.List
	}
	return o
}

// Sections returns the names of the sections that a page may be in.
func (m *Mapper) Sections() []string { return m.sections }

// BaseURL returns the base URL, normalised, with its last slash.
func (m *Mapper) BaseURL() string { return m.base.origin + m.base.path }

// Uses reports whether a page's date may come from a source.
func (m *Mapper) Uses(source Source) bool {
	return slices.Contains(m.config.LastMod, source) ||
		slices.ContainsFunc(m.outcomes, func(o outcome) bool { return slices.Contains(o.sources, source) })
}

// Masks returns what [SourceContent] overlooks in a page.
func (m *Mapper) Masks() []*regexp.Regexp { return m.masks }

// MaskSize returns how many steps all the masks together may take for each byte of a
// page.
func (m *Mapper) MaskSize() int { return m.maskSize }

// FileURL returns the URL of a file in a folder of the docroot, or of the
// folder itself, with its slash, for an empty name.
func (m *Mapper) FileURL(dir, name string) string {
	url, _ := m.fileURL(dir, name)
	return url
}

// fileURL is FileURL, and reports false if the path cannot be written in the
// charset.
func (m *Mapper) fileURL(dir, name string) (url string, ok bool) {
	encoder := newTranscoder(m.charset)
	encoded, ok := encoder.encode(name)
	loc := []byte(m.BaseURL())
	if dir != "" {
		for segment := range strings.SplitSeq(dir, "/") {
			inCharset, encodable := encoder.encode(segment)
			loc = append(appendEscaped(loc, inCharset), '/')
			ok = ok && encodable
		}
	}
	return string(appendEscaped(loc, encoded)), ok
}

// decide applies the rules of the given indexes, in order.
func (m *Mapper) decide(matching []int) outcome {
	result := outcome{list: true, sources: m.config.LastMod}
	for _, i := range matching {
		rule := &m.outcomes[i]
		if rule.section >= 0 {
			result.section = rule.section
		}
		if rule.changeFreq != "" {
			result.changeFreq = rule.changeFreq
		}
		if rule.priority != "" {
			result.priority = rule.priority
		}
		if rule.setsSources {
			result.sources = rule.sources
		}
		if rule.setsList {
			result.list = rule.list
		}
	}
	return result
}

// A Worker maps files, one folder after the other. It belongs to one goroutine.
type Worker struct {
	m          *Mapper
	transcoder *transcoder
	now        int64

	dir     string
	levels  []level // one for each segment of dir, and one for the docroot
	url     []byte  // the URL of dir, with its slash, and scratch space behind
	uniform bool    // whether the rules say the same of all files in dir
	outcome outcome // what they say, if so
	matches []int   // scratch space
}

// level is what a folder on the way to the current one amounts to.
type level struct {
	end     int // of the segment in Worker.dir
	url     int // length of the folder's URL
	unnamed bool
	rules   *glob.State
}

// NewWorker returns a worker for one goroutine.
func (m *Mapper) NewWorker() *Worker {
	w := &Worker{m: m, transcoder: newTranscoder(m.charset), now: m.now()}
	w.url = append(w.url, m.BaseURL()...)
	w.levels = []level{{url: len(w.url), rules: m.rules.Root()}}
	w.settle()
	return w
}

// Enter makes dir, a path relative to the docroot, the folder of the files that
// follow. Folders that it shares with the one before cost nothing.
func (w *Worker) Enter(dir string) {
	if dir == w.dir {
		return
	}
	keep, same := 1, 0 // the first same bytes of the two paths agree
	for keep < len(w.levels) {
		end := w.levels[keep].end
		if len(dir) < end || dir[same:end] != w.dir[same:end] || len(dir) > end && dir[end] != '/' {
			break
		}
		keep, same = keep+1, end
	}
	w.levels = w.levels[:keep]
	w.dir = dir
	top := w.levels[keep-1]
	w.url = w.url[:top.url]
	for top.end < len(dir) {
		start := top.end
		if start > 0 {
			start++ // the slash
		}
		name, _, _ := strings.Cut(dir[start:], "/")
		top.end = start + len(name)
		top.rules = w.m.rules.Enter(top.rules, name)
		encoded, ok := w.transcoder.encode(name)
		top.unnamed = top.unnamed || !ok
		w.url = append(appendEscaped(w.url, encoded), '/')
		top.url = len(w.url)
		w.levels = append(w.levels, top)
	}
	w.settle()
}

// settle finds out whether the rules treat all files of the folder alike.
func (w *Worker) settle() {
	rules := w.top().rules
	if w.uniform = rules.Uniform(); w.uniform {
		w.matches = rules.AppendMatches(w.matches[:0], "")
		w.outcome = w.m.decide(w.matches)
	}
}

func (w *Worker) top() *level { return &w.levels[len(w.levels)-1] }

// Map turns a candidate in the folder entered last into a page. If the page
// cannot be listed it gives the file the verdict that says why, and reports false;
// the page then says no more than what was found before that. The verdict
// duplicate is for [Taken] to find.
func (w *Worker) Map(file *scanner.File) (Page, bool) {
	result := w.outcome
	if !w.uniform {
		w.matches = w.top().rules.AppendMatches(w.matches[:0], file.Name)
		result = w.m.decide(w.matches)
	}
	page := result.page()
	if w.m.details {
		page.Rules = slices.Clone(w.matches)
	}
	if !result.list {
		w.refuse(file, scanner.Rule)
		return page, false
	}
	var verdict scanner.Verdict
	if page.Loc, page.KeyLength, verdict = w.loc(file.Name); verdict != scanner.Listed {
		w.refuse(file, verdict)
		return page, false
	}
	if w.m.robots != nil {
		if allowed, rule := w.m.robots.Allowed(page.Loc[len(w.m.base.origin):]); !allowed {
			file.Verdict = scanner.Robots
			if w.m.details && rule != nil {
				file.Detail = fmt.Sprintf("robots.txt, line %d: %s", rule.Line, shorten(rule.Text))
			}
			return page, false
		}
	}
	return page, true
}

// maxQuoted is the length, in bytes, at which somebody else's line is cut.
const maxQuoted = 200

// shorten cuts a line that is too long to be shown.
func shorten(line string) string {
	if len(line) <= maxQuoted {
		return line
	}
	return line[:maxQuoted] + "…"
}

// IsBelievable reports whether a time, in seconds since 1970, can be that of a
// change: not at or before the epoch, where tools put files whose time they do
// not know, and not in the future.
func (w *Worker) IsBelievable(seconds int64) bool {
	if seconds > w.now {
		w.now = w.m.now() // files may be written while the worker works
	}
	return seconds > 0 && seconds <= w.now
}

// refuse gives a file the verdict that its path deserves.
func (w *Worker) refuse(file *scanner.File, verdict scanner.Verdict) {
	file.Verdict = verdict
	if !w.m.details {
		return
	}
	switch verdict {
	case scanner.Rule:
		for _, i := range w.matches {
			if rule := &w.m.outcomes[i]; rule.setsList && !rule.list {
				file.Detail = fmt.Sprintf("rule %d says list: false", i+1)
			}
		}
	case scanner.Unencodable:
		file.Detail = "its name, or a folder's, cannot be written in " + w.m.config.URLs.Charset
	case scanner.OutOfScope:
		file.Detail = "a sitemap in " + w.m.scope + " may list only what is below"
	case scanner.TooLong:
		file.Detail = fmt.Sprintf("its URL has %d bytes or more", MaxLoc)
	}
}

// loc returns the URL of a file and the length of its key.
func (w *Worker) loc(name string) (loc []byte, keyLength int, verdict scanner.Verdict) {
	url, keyLength, ok := w.spell(&w.m.urls, name)
	switch {
	case !ok:
		return nil, 0, scanner.Unencodable
	case len(url) < len(w.m.scope) || string(url[:len(w.m.scope)]) != w.m.scope:
		return nil, 0, scanner.OutOfScope
	case len(url) >= MaxLoc:
		return nil, 0, scanner.TooLong
	}
	return url, keyLength, scanner.Listed
}

// spell returns the URL of a file in some style and the length of its key. It
// reports false if the path cannot be written in the charset.
func (w *Worker) spell(urls *URLs, name string) (url []byte, keyLength int, ok bool) {
	top := w.top()
	if top.unnamed {
		return nil, 0, false
	}
	url = w.url[:top.url]
	keyLength = -1
	slashBefore := 0 // in the path, between folder and name
	if w.dir != "" {
		slashBefore = 1
	}
	if slices.Contains(urls.Index, name) {
		keyLength = len(w.dir) + slashBefore
		if urls.Slash != SlashAuto {
			keyLength = len(w.dir)
		}
		if urls.Slash == SlashNever && w.dir != "" {
			url = url[:len(url)-1]
		}
		return url, keyLength, true
	}
	bare := name
	if urls.Extension == ExtensionStrip {
		bare = urls.strip(name)
		keyLength = len(w.dir) + slashBefore + len(bare)
	}
	encoded, ok := w.transcoder.encode(bare)
	if !ok {
		return nil, 0, false
	}
	url = appendEscaped(url, encoded)
	w.url = url[:top.url] // keep what append may have grown
	if urls.Slash == SlashAlways {
		if len(bare) < len(name) || !strings.Contains(bare, ".") {
			url = append(url, '/')
		} else {
			keyLength = -1 // no other file is left without a slash
		}
	}
	return url, keyLength, true
}

// extensions are those of pages, which some servers do without.
var extensions = [...]string{".html", ".htm", ".xhtml", ".shtml"}

// extensionOf returns the extension of a page, or "".
func extensionOf(name string) string {
	for _, extension := range extensions {
		if strings.HasSuffix(name, extension) {
			return extension
		}
	}
	return ""
}

// strip cuts off the extension of a page, if it is one that falls away. A name that
// is nothing else stays, and so does one that would mean another folder.
func (u *URLs) strip(name string) string {
	extension := extensionOf(name)
	if u.stripped != nil && !slices.Contains(u.stripped, extension) {
		return name
	}
	switch bare := strings.TrimSuffix(name, extension); bare {
	case "", ".", "..":
		return name
	default:
		return bare
	}
}
