package scanner

import (
	"maps"
	"slices"
	"strings"
)

// A Selection is the part of a docroot that a walk is to see: of some folders all
// that is in them, of others only some names. The others' content is as it was, as
// far as the caller knows. A nil Selection is all of the docroot.
type Selection struct {
	all   bool // the folder with all that is below it
	names map[string]*Selection
}

// Select returns the selection of the files and folders at some paths, folders
// with all that is below them. Where a path names a .htaccess it is its folder that
// is selected: what it says concerns all files there. Paths need not exist.
func Select(paths ...string) *Selection {
	s := new(Selection)
	for _, path := range paths {
		s.add(path)
	}
	return s
}

func (s *Selection) add(path string) {
	if dir, name := split(path); name == accessFile {
		path = dir
	}
	for path != "" && !s.all {
		name, rest, _ := strings.Cut(path, "/")
		next := s.names[name]
		if next == nil {
			if s.names == nil {
				s.names = map[string]*Selection{}
			}
			next = new(Selection)
			s.names[name] = next
		}
		s, path = next, rest
	}
	s.all, s.names = true, nil
}

// Names returns the names that are selected in the folder at a path, sorted, or
// false if that is all of them.
func (s *Selection) Names(dir string) (names []string, some bool) {
	for dir != "" && s.isPart() {
		name, rest, _ := strings.Cut(dir, "/")
		s, dir = s.names[name], rest
		if s == nil {
			return nil, true
		}
	}
	if !s.isPart() {
		return nil, false
	}
	return slices.Sorted(maps.Keys(s.names)), true
}

// isPart reports whether only some names are selected.
func (s *Selection) isPart() bool { return s != nil && !s.all }

// below returns what is selected in the subfolder of a name, which is selected.
func (s *Selection) below(name string) *Selection {
	if !s.isPart() {
		return nil
	}
	return s.names[name]
}
