package catalog

import (
	"slices"
	"sort"
	"strings"
)

// maxGroup is the number of subfolders up to which a group is left whole.
const maxGroup = 512

// A folder is what is known of a folder. There may be as many as there are
// pages, and it is kept small.
type folder struct {
	name   string
	parent *folder // nil of the docroot
	leaves []leaf  // of its files, in order; none is empty
	groups []group // of its subfolders, in order; none is empty
	mask   Sections
}

// A group is a run of subfolders, as a leaf is of files. It keeps a folder of
// a million others quick to change.
type group struct {
	folders []*folder
	mask    Sections
}

// groupOf returns the index of the group that the subfolder name is in, or would
// be, if there is any group.
func (f *folder) groupOf(name string) int {
	behind := sort.Search(len(f.groups), func(i int) bool { return f.groups[i].folders[0].name > name })
	return max(behind-1, 0)
}

// indexOf returns the index in the group of the first folder whose name is not
// before name.
func (g *group) indexOf(name string) int {
	return sort.Search(len(g.folders), func(i int) bool { return g.folders[i].name >= name })
}

// seek returns the group and the index in it of the first subfolder whose name
// is not before name. The index may be that behind the group's last.
func (f *folder) seek(name string) (g, i int) {
	if len(f.groups) == 0 {
		return 0, 0
	}
	g = f.groupOf(name)
	return g, f.groups[g].indexOf(name)
}

// subfolder returns the subfolder name, or nil.
func (f *folder) subfolder(name string) *folder {
	g, i := f.seek(name)
	if g == len(f.groups) || i == len(f.groups[g].folders) || f.groups[g].folders[i].name != name {
		return nil
	}
	return f.groups[g].folders[i]
}

// add adds an empty subfolder name, which is not there yet.
func (f *folder) add(name string) *folder {
	// The caller's name may be a piece of a long path.
	sub := &folder{name: strings.Clone(name), parent: f}
	if len(f.groups) == 0 {
		f.groups = []group{{folders: []*folder{sub}}}
		return sub
	}
	at, i := f.seek(name)
	g := &f.groups[at]
	g.folders = slices.Insert(g.folders, i, sub)
	if n := len(g.folders); n > maxGroup {
		second := group{folders: slices.Clone(g.folders[n/2:])}
		g.folders = slices.Clone(g.folders[:n/2])
		second.settle()
		g.settle()
		f.groups = slices.Insert(f.groups, at+1, second)
	}
	return sub
}

// remove removes the subfolder name, which is there.
func (f *folder) remove(name string) {
	at, i := f.seek(name)
	g := &f.groups[at]
	g.folders = slices.Delete(g.folders, i, i+1)
	if len(g.folders) == 0 {
		f.groups = slices.Delete(f.groups, at, at+1)
		return
	}
	if at+1 < len(f.groups) && len(g.folders)+len(f.groups[at+1].folders) <= maxGroup/2 {
		g.folders = append(g.folders, f.groups[at+1].folders...)
		f.groups = slices.Delete(f.groups, at+1, at+2)
	}
	g.settle()
}

// settle brings the group's mask up to date.
func (g *group) settle() {
	g.mask = 0
	for _, sub := range g.folders {
		g.mask |= sub.mask
	}
}

// settle brings the masks up to date after a change in the folder. It stops where
// nothing changes any more, and looks at no folder beside those that lead to it
// but at those of one group.
func (f *folder) settle() {
	for ; ; f = f.parent {
		before := f.mask
		f.mask = 0
		for i := range f.leaves {
			f.mask |= f.leaves[i].mask
		}
		for i := range f.groups {
			f.mask |= f.groups[i].mask
		}
		if f.mask == before || f.parent == nil {
			return
		}
		g := &f.parent.groups[f.parent.groupOf(f.name)]
		if before&^f.mask == 0 {
			g.mask |= f.mask
		} else {
			g.settle()
		}
	}
}

// leafOf returns the index of the leaf that the file name is in, or would be, if
// there is any leaf.
func (f *folder) leafOf(name string) int {
	behind := sort.Search(len(f.leaves), func(i int) bool { return f.leaves[i].first() > name })
	return max(behind-1, 0)
}
