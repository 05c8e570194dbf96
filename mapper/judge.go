package mapper

import (
	"fmt"
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
// folder entered last, and has the given loc.
func (w *Worker) Distill(name string, loc []byte, h *head.Head, reading *Reading) Facts {
	f := Facts{
		NoIndex: h.NoIndex, Expires: h.Expires,
		Modified: h.Modified, ModifiedDateOnly: h.ModifiedDateOnly,
	}
	said := head.FactRefresh
	if h.HasRefresh {
		f.Redirect = w.redirect(name, string(loc), h.Base, h.Refresh)
	}
	if f.Redirect == "" && h.HasURLMeta {
		f.Redirect = w.redirect(name, string(loc), "", h.URLMeta)
		said = head.FactURLMeta
	}
	switch {
	case f.Redirect != "":
	case h.NoIndex:
		said = head.FactNoIndex
	case h.Expires != 0:
		said = head.FactExpires
	case h.ResourceType != "" && h.ResourceType != "document":
		said = head.FactResourceType
	case len(h.Canonicals) > 0:
		said = head.FactCanonical
	}
	if h.ResourceType != "document" {
		f.ResourceType = h.ResourceType
	}
	if reading.Canonical {
		f.Canonical = w.canonical(name, string(loc), h)
	}
	if reading.Hints {
		f.ChangeFreq = changeFreqHint(h.DocumentState, h.RevisitAfter)
	}
	if reading.Alternates {
		f.Alternates = alternates(string(loc), h)
	}
	if reading.Images {
		f.Images = images(string(loc), h)
	}
	if said != head.FactCanonical || f.Canonical != "" {
		f.Evidence = evidence(h, said)
	}
	return f
}

// IsPlain reports whether a head says nothing that Distill would look at: that of
// most pages.
func IsPlain(loc []byte, h *head.Head) bool {
	return !h.NoIndex && h.Expires == 0 && h.ResourceType == "" && !h.HasRefresh && !h.HasURLMeta &&
		h.Modified == 0 && h.DocumentState == "" && h.RevisitAfter == "" &&
		len(h.Alternates) == 0 && len(h.Images) == 0 &&
		(len(h.Canonicals) == 0 || len(h.Canonicals) == 1 && h.Canonicals[0] == string(loc))
}

// redirect returns the URL of a link that sends visitors on, or "" if that is the
// page's own.
func (w *Worker) redirect(name, loc, baseHref, href string) string {
	to, ok := resolve(loc, baseHref, href)
	if !ok || w.relate(name, loc, &to) == itself {
		return ""
	}
	return to.asText
}

// leadsAway reports whether a redirect leads to another page. One in another
// style on this host does not: whoever asks for it is shown the same file.
func (w *Worker) leadsAway(name string, loc []byte, redirect string) bool {
	to, ok := resolve(redirect, "", redirect)
	return ok && (host(to.origin) != host(w.m.base.withoutDefaultPort()) || w.relate(name, string(loc), &to) == elsewhere)
}

// host returns an origin without its scheme.
func host(origin string) string {
	_, host, _ := strings.Cut(origin, "://")
	return host
}

// canonical returns the canonical that a head names, unless it is the page's loc.
// Of several that disagree, one that is the page itself counts: engines follow
// none of them.
func (w *Worker) canonical(name, loc string, h *head.Head) string {
	first, found := "", elsewhere
	for _, href := range h.Canonicals {
		to, ok := resolve(loc, h.Base, href)
		if !ok {
			continue
		}
		switch w.relate(name, loc, &to) {
		case itself:
			return ""
		case styled:
			if found != styled {
				first, found = to.asText, styled
			}
		case elsewhere:
			if first == "" {
				first = to.asText
			}
		}
	}
	return first
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
	if fields[0] == "daily" || fields[0] == "weekly" || fields[0] == "monthly" || fields[0] == "yearly" || fields[0] == "hourly" {
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
	days, known := map[string]float64{"": 1, "hour": 1.0 / 24, "day": 1, "week": 7, "month": 30, "year": 365}[strings.TrimSuffix(unit, "s")]
	if !known {
		return ""
	}
	days *= number
	nearest, distance := "", 0.0
	for _, word := range [...]struct {
		name string
		days float64
	}{{"always", 0}, {"hourly", 1.0 / 24}, {"daily", 1}, {"weekly", 7}, {"monthly", 30}, {"yearly", 365}} {
		if off := max(days-word.days, word.days-days); nearest == "" || off < distance {
			nearest, distance = word.name, off
		}
	}
	return nearest
}

// alternates returns the page in other languages. Engines want the page itself
// among them, so it is added if the head says which language it is in.
func alternates(loc string, h *head.Head) []output.Alternate {
	var all []output.Alternate
	own, spoken := false, false
	for _, a := range h.Alternates {
		to, ok := resolve(loc, h.Base, a.Href)
		if !ok || !isLanguage(a.Language) || len(to.asText) >= MaxLoc {
			continue
		}
		own = own || to.asText == loc
		spoken = spoken || strings.EqualFold(a.Language, h.Language)
		all = append(all, output.Alternate{Lang: a.Language, Loc: to.asText})
	}
	if len(all) > 0 && !own && !spoken && isLanguage(h.Language) {
		all = append(all, output.Alternate{Lang: h.Language, Loc: loc})
	}
	return all
}

// isLanguage reports whether a language tag has the form of one (RFC 5646).
func isLanguage(tag string) bool {
	if tag == "" || len(tag) > 35 || tag[0] == '-' || tag[len(tag)-1] == '-' {
		return false
	}
	return strings.Trim(tag, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == ""
}

// images returns the URLs of the images on a page.
func images(loc string, h *head.Head) []string {
	var all []string
	for _, src := range h.Images {
		if to, ok := resolve(loc, h.Base, src); ok && len(to.asText) < MaxLoc {
			all = append(all, to.asText)
		}
	}
	return all
}

// evidence returns the tag that said a fact.
func evidence(h *head.Head, said head.Fact) string {
	for _, e := range h.Evidence {
		if e.Fact == said {
			return fmt.Sprintf("line %d: %s", e.Line, e.Tag)
		}
	}
	return ""
}

// Style is a canonical that names a page in another style than the sitemap.
type Style struct {
	Canonical string
	// Setting is the configuration under which the sitemap would agree, or empty.
	Setting string
}

// Judge gives a page of the folder entered last what its facts say, or the file
// the verdict for which it is not listed, and then reports false. now is in
// seconds since 1970.
func (w *Worker) Judge(file *scanner.File, page *Page, f *Facts, now int64) bool {
	switch {
	case f.Redirect != "" && w.leadsAway(file.Name, page.Loc, f.Redirect):
		file.Verdict = scanner.Redirect
	case f.NoIndex:
		file.Verdict = scanner.NoIndex
	case f.Expires != 0 && f.Expires <= now:
		file.Verdict = scanner.Expired
	case f.ResourceType != "":
		file.Verdict = scanner.ResourceType
	}
	if file.Verdict == scanner.Listed && f.Canonical != "" {
		to, _ := resolve(f.Canonical, "", f.Canonical)
		if w.relate(file.Name, string(page.Loc), &to) == elsewhere {
			file.Verdict = scanner.Canonical
		} else {
			page.Style = Style{Canonical: f.Canonical, Setting: w.suggest(file.Name, &to)}
		}
	}
	if file.Verdict != scanner.Listed {
		if w.m.details {
			file.Detail = f.detail(file.Verdict)
		}
		return false
	}
	if page.ChangeFreq == "" {
		page.ChangeFreq = f.ChangeFreq
	}
	page.Alternates, page.Images = f.Alternates, f.Images
	return true
}

// detail returns the evidence for a verdict.
func (f *Facts) detail(verdict scanner.Verdict) string {
	says := f.Evidence
	switch verdict {
	case scanner.Redirect:
		return "to " + f.Redirect + "; " + says
	case scanner.Canonical:
		return "is " + f.Canonical + "; " + says
	case scanner.Expired:
		return "since " + time.Unix(f.Expires, 0).UTC().Format(time.RFC3339) + "; " + says
	}
	return says
}
