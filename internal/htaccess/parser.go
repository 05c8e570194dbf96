package htaccess

import (
	"strings"
	"unicode/utf8"
)

// parser goes through the lines of a file in order, and settles what directives
// come to where the sections around them end.
type parser struct {
	file  *File
	path  string
	lines lines
	open  []frame // the file as a whole, then the sections around the next line
}

// frame is what a section, or the file as a whole, means for the directives in
// it. A section takes over the frame around it and changes what is different.
type frame struct {
	skipped     bool   // the directives do not count
	concernsGET bool   // they are not limited to other methods
	scope       *scope // what they belong to
	group       *group // what Require is a member of
}

// scope collects the directives that stand together: those outside of <Files>
// sections, or those in one of them.
type scope struct {
	access  accessDirectives
	require group

	// Of the section.
	pattern    string
	expression bool // the pattern is a regular expression
	opening    *Evidence
}

func parse(content, path string) *File {
	plain := &scope{}
	p := parser{
		file:  &File{},
		path:  path,
		lines: lines{rest: strings.TrimPrefix(content, "\ufeff")},
		open:  []frame{{concernsGET: true, scope: plain, group: &plain.require}},
	}
	for {
		text, ok := p.lines.next()
		if !ok {
			break
		}
		p.line(text)
	}
	for len(p.open) > 1 {
		p.closeSection()
	}
	p.file.rules = plain.rules()
	return p.file
}

func (p *parser) line(text string) {
	name, arguments := word(text)
	name = strings.ToLower(name)
	switch {
	case strings.HasPrefix(name, "</"):
		p.closeSection()
	case strings.HasPrefix(name, "<"):
		if end := strings.LastIndexByte(arguments, '>'); end >= 0 {
			arguments = arguments[:end]
		}
		p.openSection(strings.TrimSuffix(name[1:], ">"), arguments, text)
	default:
		p.directive(name, arguments, text)
	}
}

func (p *parser) directive(name, arguments, text string) {
	f := p.innermost()
	if f.skipped {
		return
	}
	switch name {
	case "require":
		f.group.add(requireOutcome(arguments), f.concernsGET, p.evidence(text))
	case "order", "allow", "deny", "satisfy":
		f.scope.access.used = true
		if f.concernsGET {
			f.scope.access.add(name, arguments, p.evidence(text))
		}
	}
}

func (p *parser) openSection(name, arguments, text string) {
	f := *p.innermost()
	if !f.skipped {
		p.enterSection(&f, name, arguments, text)
	}
	p.open = append(p.open, f)
}

// enterSection changes the frame around a section to that of the section.
func (p *parser) enterSection(f *frame, name, arguments, text string) {
	switch name {
	case "ifmodule", "ifdirective", "ifsection":
		f.skipped = negated(arguments)
	case "ifdefine", "iffile":
		f.skipped = !negated(arguments)
	case "ifversion":
		f.skipped = !versionHolds(arguments)
	case "limit":
		f.concernsGET = f.concernsGET && listsGET(arguments)
	case "limitexcept":
		f.concernsGET = f.concernsGET && !listsGET(arguments)
	case "requireall":
		f.group = &group{all: true}
	case "requireany":
		f.group = &group{}
	case "requirenone":
		f.group = &group{negated: true}
	case "files", "filesmatch":
		// Apache reads a <Files> within another but never applies it.
		f.skipped = f.scope != p.open[0].scope
		f.scope = p.newScope(name, arguments, text)
		f.group = &f.scope.require
	default:
		f.skipped = true
	}
}

// closeSection ends the innermost section, if there is one.
func (p *parser) closeSection() {
	last := len(p.open) - 1
	if last == 0 {
		return
	}
	f, around := p.open[last], p.open[last-1]
	p.open = p.open[:last]
	switch {
	case f.skipped:
	case f.scope != around.scope:
		p.addFiles(f.scope)
	case f.group != around.group:
		around.group.addGroup(f.group)
	}
}

func (p *parser) newScope(name, arguments, text string) *scope {
	s := &scope{expression: name == "filesmatch", opening: p.evidence(text)}
	s.pattern, arguments = word(arguments)
	if !s.expression && s.pattern == "~" {
		s.expression = true
		s.pattern, _ = word(arguments)
	}
	return s
}

// addFiles adds a <Files> section to the file, if it can make a difference.
func (p *parser) addFiles(s *scope) {
	r := s.rules()
	if r == (rules{}) || p.file.refused != nil {
		return
	}
	names, cost := newMatcher(s.pattern, s.expression)
	p.file.cost += cost
	if p.file.cost > maxCost {
		p.file.refused = s.opening
		return
	}
	if names != nil {
		p.file.sections = append(p.file.sections, section{names, r, s.opening})
	}
}

func (p *parser) innermost() *frame {
	return &p.open[len(p.open)-1]
}

// evidence returns the current directive. Its text is a copy, which does not
// keep the whole content in memory.
func (p *parser) evidence(text string) *Evidence {
	const ellipsis = "…"
	if len(text) > maxEvidence {
		end := maxEvidence - len(ellipsis)
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end] + ellipsis
	}
	return &Evidence{File: p.path, Line: p.lines.number, Text: strings.Clone(text)}
}

func (s *scope) rules() rules {
	return rules{access: s.access.outcome(), requirement: s.require.requirement()}
}
