package mapper

import (
	"slices"
	"strings"
)

// Kin returns the paths at which there may be files whose verdicts depend on
// whether there is a page at a path: those that may have the same URL, and, with
// styles, those whose heads may name it, or be taken to, in another style (see
// [Worker.Judge]). It may name too many.
func (m *Mapper) Kin(path string, styles bool) []string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	if !styles && m.urls.Extension == ExtensionKeep && !slices.Contains(m.index, name) {
		return nil // such a file shares its URL with none
	}
	bases := []string{m.styleKey(path)}
	if m.isIndex(name) { // a folder may be called as a page is
		bases = append(bases, strings.TrimSuffix(path[:len(path)-len(name)], "/"))
	}
	if styles {
		// dir/index.html is dir/index too, and page.html.html is page.html.
		bases = append(bases, cutExtension(path), path)
	}
	slices.Sort(bases)
	var kin []string
	for _, base := range slices.Compact(bases) {
		kin = m.appendNamed(kin, base)
	}
	slices.Sort(kin)
	kin = slices.Compact(kin)
	return slices.DeleteFunc(kin, func(other string) bool { return other == path })
}

// appendNamed appends the paths of the files that a base may be short for: itself,
// with an extension, or the index files of a folder of that path.
func (m *Mapper) appendNamed(paths []string, base string) []string {
	folder := ""
	if base != "" {
		folder = base + "/"
		paths = append(paths, base)
		for _, extension := range extensions {
			// As names on disk are written, though servers may take other letters.
			title := extension[:1] + strings.ToUpper(extension[1:2]) + extension[2:]
			paths = append(paths, base+extension, base+strings.ToUpper(extension), base+title)
		}
	}
	for _, names := range [...][]string{m.index, defaultIndex} {
		for _, name := range names {
			paths = append(paths, folder+name)
		}
	}
	return paths
}
