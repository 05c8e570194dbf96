// Package robots reads robots.txt as RFC 9309 says, and where that leaves
// room, or files in the wild do not keep to it, as Google's own parser does:
// https://github.com/google/robotstxt. It also brings the Sitemap lines of such
// a file up to date.
//
// Start reading at [Parse]. [File.Group] picks the rules of one crawler,
// [Group.Allowed] applies them to a URL, and [UpdateSitemaps] edits.
//
// Google compares rules and URLs byte by byte, and so does this package: it
// decodes nothing, and in a rule it escapes only what is not ASCII. "/%7Eme"
// and "/my folder" therefore match neither "/~me" nor "/my%20folder". The
// package fetches nothing and reads no other directives, such as Crawl-delay.
package robots

import "strings"

// MaxSize is the number of bytes that Parse reads: RFC 9309, section 2.5, has
// crawlers read 500 KiB at least, and Google reads no more.
// https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt#file-format
const MaxSize = 500 << 10

// File is a robots.txt. It is immutable and safe for concurrent use.
type File struct {
	sections []section
	sitemaps []Sitemap
}

// section is one or more User-agent lines and the rules below them, which RFC
// 9309 calls a group. Several sections may name one crawler.
type section struct {
	everyone bool     // a User-agent line says "*"
	tokens   []string // product tokens of the other User-agent lines
	rules    []Rule
}

// Rule is a line that allows or disallows URLs.
type Rule struct {
	Line  int    // counted from 1
	Text  string // the line as it is in the file, trimmed; any bytes, of any length
	Allow bool   // else it disallows

	pattern []byte // escaped, and never empty
}

// Parse reads robots.txt. Nothing is an error: what is not understood is
// skipped. So is all that follows the first MaxSize bytes, and the line that
// these cut in two. The File keeps no reference to content.
func Parse(content []byte) *File {
	f := &File{}
	rest := trimMark(wholeLines(content))
	rulesSeen := false // since the last User-agent line
	for number := 1; rest != ""; number++ {
		var line string
		line, _, rest = cutLine(rest)
		name, value := splitLine(line)
		switch directive := directiveNamed(name); directive {
		case userAgent:
			if len(f.sections) == 0 || rulesSeen {
				f.sections = append(f.sections, section{})
				rulesSeen = false
			}
			f.sections[len(f.sections)-1].addAgent(value)
		case allow, disallow:
			if len(f.sections) == 0 {
				continue // the rule is nobody's
			}
			rulesSeen = true
			if value == "" {
				continue // it matches everything, but anything outweighs it
			}
			s := &f.sections[len(f.sections)-1]
			s.rules = append(s.rules, Rule{
				Line:    number,
				Text:    trimSpace(line),
				Allow:   directive == allow,
				pattern: escapePattern(value),
			})
		case sitemap:
			if value != "" {
				f.sitemaps = append(f.sitemaps, Sitemap{Line: number, URL: value})
			}
		}
	}
	return f
}

// wholeLines returns what fits into MaxSize, without the line that does not.
func wholeLines(content []byte) string {
	if len(content) <= MaxSize {
		return string(content)
	}
	// The line may end right where the limit is.
	within := string(content[:MaxSize+1])
	return within[:strings.LastIndexAny(within, "\r\n")+1]
}

// addAgent adds the value of a User-agent line.
func (s *section) addAgent(value string) {
	// Google takes "* and more" for "*".
	if value != "" && value[0] == '*' && (len(value) == 1 || strings.IndexByte(space, value[1]) >= 0) {
		s.everyone = true
		return
	}
	if token := productToken(value); token != "" {
		s.tokens = append(s.tokens, token)
	}
}

// productToken returns the letters, hyphens and underscores at the beginning
// of a User-agent line's value: no more can name a crawler (RFC 9309, section
// 2.2.1), and Google ignores what follows.
func productToken(value string) string {
	end := 0
	for end < len(value) {
		b := value[end]
		if !('a' <= b|0x20 && b|0x20 <= 'z' || b == '-' || b == '_') {
			break
		}
		end++
	}
	return value[:end]
}

// names reports whether a User-agent line of the section has agent's name.
func (s *section) names(agent string) bool {
	for _, token := range s.tokens {
		if equalFold(agent, token) {
			return true
		}
	}
	return false
}

// Group returns the rules for a crawler: those of all groups that name it or,
// if none does, those of all groups for "*". It is never nil, but may hold no
// rule. Making it takes time in proportion to the file, so keep it.
//
// agent is the crawler's product token in any case, such as "Googlebot-Image".
// A version after it ("Googlebot-Image/1.0") is ignored. The token must agree
// as a whole: Googlebot-Image does not obey what is said to Googlebot. "*", and
// all that is no product token, gets the rules for "*".
func (f *File) Group(agent string) *Group {
	agent, _, _ = strings.Cut(agent, "/")
	named := false
	var own, everyones []*Rule
	for i := range f.sections {
		s := &f.sections[i]
		isOwn := s.names(agent)
		named = named || isOwn
		for j := range s.rules {
			if isOwn {
				own = append(own, &s.rules[j])
			}
			if s.everyone {
				everyones = append(everyones, &s.rules[j])
			}
		}
	}
	if named {
		return newGroup(own)
	}
	return newGroup(everyones)
}

// Sitemaps returns the Sitemap lines in their order. They belong to no group.
// The caller must not change the slice.
func (f *File) Sitemaps() []Sitemap {
	return f.sitemaps
}
