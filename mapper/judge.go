package mapper

import (
	"strconv"
	"strings"
	"time"

	"sitewalk/output"
	"sitewalk/scanner"
	"sitewalk/scanner/head"
)

// Reading says what of a page's head matters.
type Reading struct {
	Canonical  bool // a canonical elsewhere unlists a page
	Alternates bool // hreflang links are listed
	Hints      bool // revisit-after and document-state give a changefreq
	Images     bool // images are listed
}

// Distill returns what matters of a head: of the page that is called name in the
// folder entered last, and has the given loc. It depends on nothing but that and
// the configuration, so that it holds for as long as the page stays as it is.
func (w *Worker) Distill(name string, loc []byte, h *head.Head, reading *Reading) Facts {
	f := Facts{
		NoIndex: h.NoIndex, Expires: h.Expires,
		OtherResource: h.ResourceType != "" && h.ResourceType != documentResource,
		Modified:      h.Modified, ModifiedDateOnly: h.ModifiedDateOnly && h.Modified != 0,
	}
	page := newDocument(string(loc), h.Base)
	if h.HasRefresh {
		f.Redirect = w.redirect(&page, string(loc), h.Refresh)
		f.addEvidence(f.Redirect != "", scanner.Redirect, h, head.FactRefresh, 0)
	}
	if f.Redirect == "" && h.HasURLMeta {
		bare := newDocument(string(loc), "")
		f.Redirect = w.redirect(&bare, string(loc), h.URLMeta)
		f.addEvidence(f.Redirect != "", scanner.Redirect, h, head.FactURLMeta, 0)
	}
	f.addEvidence(f.NoIndex, scanner.NoIndex, h, head.FactNoIndex, 0)
	f.addEvidence(f.Expires != 0, scanner.Expired, h, head.FactExpires, 0)
	f.addEvidence(f.OtherResource, scanner.ResourceType, h, head.FactResourceType, 0)
	if reading.Canonical {
		canonical, place := w.canonical(&page, name, string(loc), h.Canonicals)
		f.Canonical = canonical
		f.addEvidence(canonical != "", scanner.Canonical, h, head.FactCanonical, place)
	}
	if reading.Hints {
		f.ChangeFreq = changeFreqHint(h.DocumentState, h.RevisitAfter)
	}
	if reading.Alternates && len(h.Alternates) > 0 {
		f.Alternates = w.alternates(&page, name, string(loc), h)
	}
	if reading.Images {
		f.Images = images(&page, h.Images)
	}
	return f
}

// documentResource is the resource-type of what is a page.
const documentResource = "document"

// IsPlain reports whether a head says nothing that Distill would make a fact of:
// that of most pages.
func IsPlain(loc []byte, h *head.Head) bool {
	return !h.NoIndex && h.Expires == 0 && (h.ResourceType == "" || h.ResourceType == documentResource) &&
		!h.HasRefresh && !h.HasURLMeta &&
		h.Modified == 0 && h.DocumentState == "" && h.RevisitAfter == "" &&
		len(h.Alternates) == 0 && len(h.Images) == 0 &&
		(len(h.Canonicals) == 0 || len(h.Canonicals) == 1 && h.Canonicals[0] == string(loc))
}

// redirect returns the URL of a link that sends visitors on, or "" if that is the
// page's own.
func (w *Worker) redirect(page *document, loc, href string) string {
	to, ok := page.resolve(href)
	if !ok || w.isLoc(loc, &to) {
		return ""
	}
	return to.text
}

// leadsAway reports whether a redirect leads to another page. One in another
// style on this host does not, whatever its query: whoever asks for it is shown
// the same file.
func (w *Worker) leadsAway(name, redirect string) bool {
	to, ok := splitTarget(redirect)
	if !ok {
		return false
	}
	if host(to.origin) != host(w.m.base.withoutDefaultPort()) {
		return true
	}
	names, ok := w.namingOf(name, &to)
	return !ok || w.isOther(name, names.path)
}

// host returns an origin without its scheme.
func host(origin string) string {
	_, host, _ := strings.Cut(origin, "://")
	return host
}

// canonical returns the canonical that a head names, unless it is the page's loc,
// and its place among those that the head has. Of several that disagree, one that
// is the page itself counts, and then one that may be the page in another style:
// engines follow none of them.
func (w *Worker) canonical(page *document, name, loc string, hrefs []string) (canonical string, place int) {
	found := false
	for i, href := range hrefs {
		to, ok := page.resolve(href)
		if !ok {
			continue
		}
		if w.isLoc(loc, &to) {
			return "", 0
		}
		if names := w.mayBe(name, &to); canonical == "" || names && !found {
			canonical, place, found = to.text, i, names
		}
	}
	return canonical, place
}

// changeFreqHint returns the changefreq nearest to what a head says.
func changeFreqHint(documentState, revisitAfter string) string {
	if strings.EqualFold(documentState, "static") {
		return "never"
	}
	fields := strings.Fields(strings.ToLower(revisitAfter))
	if len(fields) == 0 {
		return ""
	}
	switch fields[0] {
	case "hourly", "daily", "weekly", "monthly", "yearly":
		return fields[0]
	}
	// The number may stand before its unit without a space.
	digits := strings.TrimRight(fields[0], "abcdefghijklmnopqrstuvwxyz")
	number, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(number >= 0) {
		return ""
	}
	unit := fields[0][len(digits):]
	if unit == "" && len(fields) > 1 {
		unit = fields[1]
	}
	days, known := daysIn[strings.TrimSuffix(unit, "s")]
	if !known {
		return ""
	}
	days = min(number*days, daysIn["year"])
	nearest, distance := "", 0.0
	for _, word := range [...]struct {
		name string
		days float64
	}{{"always", 0}, {"hourly", daysIn["hour"]}, {"daily", 1}, {"weekly", 7}, {"monthly", 30}, {"yearly", 365}} {
		if off := max(days-word.days, word.days-days); nearest == "" || off < distance {
			nearest, distance = word.name, off
		}
	}
	return nearest
}

// daysIn is the length of the units in which pages say when to come again; days
// are meant where there is none.
var daysIn = map[string]float64{"": 1, "minute": 1.0 / (24 * 60), "hour": 1.0 / 24, "day": 1, "week": 7, "month": 30, "year": 365}

// alternates returns the page in other languages, each link once. Engines want
// the page itself among them, so it is added if the head says which language it
// is in. Links to the page alone, which themes write where there is no
// translation, say nothing and are none.
func (w *Worker) alternates(page *document, name, loc string, h *head.Head) []output.Alternate {
	var all []output.Alternate
	type link struct{ language, loc string }
	seen := make(map[link]bool, len(h.Alternates))
	own, spoken, others := false, false, false
	room := maxLinks
	for _, a := range h.Alternates {
		language := strings.ToLower(a.Language)
		to, ok := page.resolve(a.Href)
		if !ok || !isLanguage(language) || len(to.text) >= MaxLoc || seen[link{language, to.text}] {
			continue
		}
		if room -= linkSize + len(to.text); room < 0 {
			break
		}
		seen[link{language, to.text}] = true
		all = append(all, output.Alternate{Lang: a.Language, Loc: to.text})
		// The same path on another host is another country's site.
		samePage := host(to.origin) == host(page.origin) && w.mayBe(name, &to)
		others = others || !samePage
		if language != anyLanguage {
			own = own || samePage
			spoken = spoken || strings.EqualFold(language, h.Language)
		}
	}
	if !others {
		return nil
	}
	if !own && !spoken && isLanguage(strings.ToLower(h.Language)) {
		all = append(all, output.Alternate{Lang: h.Language, Loc: loc})
	}
	return all
}

// anyLanguage is the hreflang of the page for those whose language there is none
// in. https://developers.google.com/search/docs/specialty/international/localized-versions#xdefault
const anyLanguage = "x-default"

// isLanguage reports whether a tag, in lower case, has the form of a language's:
// subtags of up to eight letters and digits, the first of letters alone.
// https://www.rfc-editor.org/rfc/rfc5646#section-2.1
func isLanguage(tag string) bool {
	if tag == anyLanguage {
		return true
	}
	const letters = "abcdefghijklmnopqrstuvwxyz"
	first, rest, more := strings.Cut(tag, "-")
	if len(tag) > maxLanguage || len(first) < 2 || len(first) > 8 || strings.Trim(first, letters) != "" {
		return false
	}
	for more {
		var subtag string
		subtag, rest, more = strings.Cut(rest, "-")
		if subtag == "" || len(subtag) > 8 || strings.Trim(subtag, letters+"0123456789") != "" {
			return false
		}
	}
	return true
}

// maxLanguage is the length that programs should expect of a language's tag.
// https://www.rfc-editor.org/rfc/rfc5646#section-4.4.1
const maxLanguage = 35

// images returns the URLs of the images on a page, each once.
func images(page *document, sources []string) []string {
	if len(sources) == 0 {
		return nil
	}
	var all []string
	seen := make(map[string]bool, len(sources))
	room := maxLinks
	for _, source := range sources {
		to, ok := page.resolve(source)
		if !ok || len(to.text) >= MaxLoc || seen[to.text] {
			continue
		}
		if room -= linkSize + len(to.text); room < 0 {
			break
		}
		seen[to.text] = true
		all = append(all, to.text)
	}
	return all
}

// A page may have a thousand links and as many images, and a base that makes two
// kilobytes of each few bytes. Only the first are listed, up to maxLinks bytes of either,
// where each counts with its URL and linkSize for what the sitemap says around it.
const (
	maxLinks = 128 << 10
	linkSize = 64
)

// Judge gives a page of the folder entered last what its facts say, or the file
// the verdict for which it is not listed, and then reports false. now is in
// seconds since 1970. Which files there are in the docroot matters too: a link to
// the page in another style may be one to another file.
func (w *Worker) Judge(file *scanner.File, page *Page, f *Facts, now int64) bool {
	switch {
	case f.Redirect != "" && w.leadsAway(file.Name, f.Redirect):
		file.Verdict = scanner.Redirect
	case f.NoIndex:
		file.Verdict = scanner.NoIndex
	case f.Expires != 0 && f.Expires <= now:
		file.Verdict = scanner.Expired
	case f.OtherResource:
		file.Verdict = scanner.ResourceType
	}
	if file.Verdict == scanner.Listed && f.Canonical != "" {
		if to, ok := splitTarget(f.Canonical); ok {
			switch w.relate(file.Name, string(page.Loc), &to) {
			case elsewhere:
				file.Verdict = scanner.Canonical
			case styled:
				page.Style = Style{Canonical: f.Canonical, Setting: w.suggest(file.Name, &to)}
			}
		}
	}
	if file.Verdict != scanner.Listed {
		if w.m.details {
			file.Detail = f.detail(file.Verdict)
		}
		return false
	}
	page.Tell(f)
	return true
}

// Tell has the sitemap tell of a page what its head says.
func (p *Page) Tell(f *Facts) {
	if p.ChangeFreq == "" {
		p.ChangeFreq = f.ChangeFreq
	}
	p.Alternates, p.Images = f.Alternates, f.Images
}

// detail returns the evidence for a verdict.
func (f *Facts) detail(verdict scanner.Verdict) string {
	says := ""
	for _, e := range f.Evidence {
		if e.Verdict == verdict {
			says = e.Tag
		}
	}
	switch verdict {
	case scanner.Redirect:
		return "the page leads to " + f.Redirect + "; " + says
	case scanner.Canonical:
		return "the page names " + f.Canonical + "; " + says
	case scanner.Expired:
		return "since " + time.Unix(f.Expires, 0).UTC().Format(time.RFC3339) + "; " + says
	}
	return says
}

// addEvidence adds the tag by which a head said something, if that is a fact for
// which the page may get a verdict. Where several tags say such things, it is the
// one at the given place among them, counted from 0.
func (f *Facts) addEvidence(is bool, verdict scanner.Verdict, h *head.Head, said head.Fact, place int) {
	if !is {
		return
	}
	for _, e := range h.Evidence {
		if e.Fact != said {
			continue
		}
		if place == 0 {
			tag := "line " + strconv.Itoa(e.Line) + ": " + e.Tag
			f.Evidence = append(f.Evidence, Evidence{verdict, tag})
			return
		}
		place--
	}
}
