package scanner

import (
	"strings"

	"sitewalk/internal/glob"
)

// scope is what the patterns say of a folder's content.
type scope struct {
	include, exclude, allow *glob.State
	// target is what exclude says of the folder by its real path, where a link
	// led to it or to a folder above; nil elsewhere.
	target *glob.State
	// concealed is Sensitive or Hidden when the folder, or one above it, is so
	// named and not allowed: only files that allow matches are then candidates.
	concealed Verdict
	// lifted says that the folder, or one above it, is so named and allowed.
	lifted bool
}

func (s *Scanner) rootScope() scope {
	return scope{include: s.include.Root(), exclude: s.exclude.Root(), allow: s.allow.Root()}
}

// enter returns the verdict of the subfolder name, and its scope if that is
// Listed: then it must be descended into.
func (s *Scanner) enter(sc scope, name string) (scope, Verdict) {
	concealed, allowed := sc.conceals(name, true)
	next := scope{allow: s.allow.Enter(sc.allow, name), concealed: concealed, lifted: sc.lifted}
	if allowed {
		next.concealed, next.lifted = Listed, true
	}
	pruned := Listed
	if sc.excludes(name) {
		pruned = Excluded
	} else {
		next.exclude = s.exclude.Enter(sc.exclude, name)
		if sc.target != nil {
			next.target = s.exclude.Enter(sc.target, name)
		}
		if next.include = s.include.Enter(sc.include, name); next.include.Dead() {
			pruned = NotIncluded
		}
	}
	if next.concealed != Listed && (pruned != Listed || next.allow.Dead()) {
		return next, next.concealed
	}
	return next, pruned
}

// excludes reports whether exclude matches a name in the folder.
func (sc *scope) excludes(name string) bool {
	return sc.exclude.Any(name) || sc.target != nil && sc.target.Any(name)
}

// conceals returns Sensitive or Hidden if a name in the folder, or a folder above
// it, is so named, and whether allow lifts that.
func (sc *scope) conceals(name string, folder bool) (concealed Verdict, allowed bool) {
	concealed = sc.concealed
	if concealed != Sensitive {
		if isSensitive(name, folder) {
			concealed = Sensitive
		} else if isHidden(name) {
			concealed = Hidden
		}
	}
	return concealed, concealed != Listed && sc.allow.Any(name)
}

// judge returns the verdict that a regular file's name deserves, and whether
// allow lifted another.
func (sc *scope) judge(folder, name string) (verdict Verdict, allowed bool) {
	concealed, allowed := sc.conceals(name, false)
	switch {
	case concealed != Listed && !allowed:
		return concealed, false
	case sc.excludes(name):
		return Excluded, false
	case !sc.include.Any(name):
		return NotIncluded, false
	case isErrorPage(folder, name):
		return ErrorPage, false
	}
	return Listed, allowed || sc.lifted
}

// checkPath gives the verdict of the real path of a file or folder that a link
// leads to: a link must not publish what its target's own name forbids.
func (s *Scanner) checkPath(real string, folder bool) Verdict {
	sc := s.rootScope()
	for real != "" {
		name, rest, deeper := strings.Cut(real, "/")
		concealed, allowed := sc.conceals(name, deeper || folder)
		if concealed != Listed && !allowed && !deeper {
			return concealed
		}
		if sc.exclude.Any(name) {
			return Excluded
		}
		sc = scope{exclude: s.exclude.Enter(sc.exclude, name), allow: s.allow.Enter(sc.allow, name)}
		if !allowed {
			sc.concealed = concealed
		}
		real = rest
	}
	return Listed
}

// isOwn reports whether sitewalk wrote the file of a name in the folder at a
// real path.
func (s *Scanner) isOwn(dir, name string) bool {
	return s.options.Own != nil && s.options.Own(dir, name)
}

// excludeAt returns what exclude says of the content of the folder at a real
// path.
func (s *Scanner) excludeAt(real string) *glob.State {
	state := s.exclude.Root()
	for real != "" {
		name, rest, _ := strings.Cut(real, "/")
		state, real = s.exclude.Enter(state, name), rest
	}
	return state
}
