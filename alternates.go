package sitewalk

import (
	"encoding/binary"
	"slices"

	"github.com/cespare/xxhash/v2"

	"sitewalk/mapper"
	"sitewalk/scanner"
)

// pageLink is a link from one page of the site to itself in another language, by
// the pages' mapper keys.
type pageLink struct{ from, to uint64 }

// link adds a page's links to other pages of the site to the result.
func (w *batchWorker) link(result *batchResult, page *mapper.Page) {
	m := w.builder.mapper
	from, ok := m.Key(string(page.Loc))
	if !ok {
		return
	}
	first := len(result.links)
	for _, alternate := range page.Alternates {
		to, ok := m.Key(alternate.Loc)
		link := pageLink{from, to}
		if ok && to != from && !slices.Contains(result.links[first:], link) {
			result.links = append(result.links, link)
		}
	}
}

// maxOpenLinks bounds the links that wait for the one that leads back. A large
// site's are sampled: what is wrong with many shows in some.
const maxOpenLinks = 1 << 16

// linkBook finds the links between languages that no link leads back.
type linkBook struct {
	open    map[uint64]openLink // by the pair of pages
	sampled uint                // one pair in 1<<sampled is looked at
}

type openLink struct {
	forward bool   // from the page with the lower key
	path    string // of the page that has the link
}

// add adds a link of the page of a name in the folder dir.
func (b *linkBook) add(link pageLink, dir, name string) {
	forward := link.from < link.to
	var pair [16]byte
	binary.LittleEndian.PutUint64(pair[:], min(link.from, link.to))
	binary.LittleEndian.PutUint64(pair[8:], max(link.from, link.to))
	hash := xxhash.Sum64(pair[:])
	if !b.isSampled(hash) {
		return
	}
	if before, found := b.open[hash]; found {
		if before.forward != forward {
			delete(b.open, hash)
		}
		return
	}
	if b.open == nil {
		b.open = map[uint64]openLink{}
	}
	b.open[hash] = openLink{forward, scanner.Join(dir, name)}
	for len(b.open) > maxOpenLinks {
		b.sampled++
		for hash := range b.open {
			if !b.isSampled(hash) {
				delete(b.open, hash)
			}
		}
	}
}

func (b *linkBook) isSampled(hash uint64) bool { return hash&(1<<b.sampled-1) == 0 }

// left returns how many links are not led back, about, and some of the pages
// that have them, by name.
func (b *linkBook) left() (count int64, paths []string) {
	for _, link := range b.open {
		paths = append(paths, link.path)
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	return int64(len(b.open)) << b.sampled, paths[:min(len(paths), maxExamples)]
}
