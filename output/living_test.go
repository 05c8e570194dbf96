package output

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// placedPage is a page with its place.
type placedPage struct {
	testPage
	dir, name string
	extra     bool
	hash      uint64
}

func (p *placedPage) position() string { return Position(p.dir, p.name, p.extra) }

// living is a site whose pages change, and that is followed by updates.
type living struct {
	*site
	dated     bool         // all pages have a lastmod
	heavy     bool         // many pages are so long that a shard has no room for them
	pages     []placedPage // in the order of their positions
	published *Published
	result    Result
}

func (l *living) rendered(renderer *Renderer, xml []byte, p *placedPage) *Rendered {
	return &Rendered{
		Section: p.section, Dir: p.dir, Name: p.name, Extra: p.extra, XML: renderer.Append(xml, &p.Page), Hash: p.hash,
		LastMod: p.LastMod, Loc: p.Loc, Namespaces: p.Namespaces(),
	}
}

// source returns the Pages of the site, and counts what is asked of it.
func (l *living) source(asked *int) Pages {
	renderer := NewRenderer(l.config.LastModFormat)
	var xml []byte
	return func(section int, from string, yield func(*Rendered) bool) error {
		at, _ := slices.BinarySearchFunc(l.pages, from, func(p placedPage, from string) int { return strings.Compare(p.position(), from) })
		for i := at; i < len(l.pages); i++ {
			if p := &l.pages[i]; section < 0 || p.section == section {
				*asked++
				rendered := l.rendered(renderer, xml[:0], p)
				if xml = rendered.XML; !yield(rendered) {
					break
				}
			}
		}
		return nil
	}
}

func (l *living) options() Options {
	return Options{
		URL: testURL, Sections: testSections, Namespaces: l.namespaces, Jobs: 1, IndexTime: l.now,
		Now: func() time.Time { return l.now }, Dry: l.dry,
	}
}

func (l *living) run(make func(*Folder, Config, Options) (*Set, error), fill func(*Set) error) (Result, *Published, error) {
	folder, err := OpenFolder(l.dir, l.dry)
	if err != nil {
		return Result{}, nil, err
	}
	defer folder.Close()
	set, err := make(folder, l.config, l.options())
	if err != nil {
		return Result{}, nil, err
	}
	defer set.Close()
	if l.maxIndex > 0 {
		set.maxIndex = l.maxIndex
	}
	if err := fill(set); err != nil {
		return Result{}, nil, err
	}
	result, err := set.Publish(context.Background())
	return result, set.Published(), err
}

// build publishes all pages.
func (l *living) build() (Result, *Published, error) {
	return l.run(NewSet, l.addAll)
}

func (l *living) addAll(set *Set) error {
	renderer := NewRenderer(l.config.LastModFormat)
	var xml []byte
	for i := range l.pages {
		page := l.rendered(renderer, xml[:0], &l.pages[i])
		if err := set.Add(page); err != nil {
			return err
		}
		xml = page.XML
	}
	return nil
}

// fresh returns what a new set in an empty folder would be.
func (l *living) fresh(t testing.TB) (Result, *Published) {
	t.Helper()
	other := *l
	other.site = l.with(filepath.Join(l.dir, "not there"))
	other.dry = true
	var set *Set
	result, _, err := other.run(func(folder *Folder, config Config, options Options) (_ *Set, err error) {
		set, err = NewSet(folder, config, options)
		return set, err
	}, other.addAll)
	must(t, err)
	return result, set.newPublished(nil)
}

// freshFiles returns what a new set writes into an empty folder.
func (l *living) freshFiles(t testing.TB) map[string]string {
	t.Helper()
	dir, err := os.MkdirTemp(filepath.Dir(l.dir), "sitewalk-fresh-")
	must(t, err)
	defer os.RemoveAll(dir)
	other := *l
	other.site = l.with(dir)
	_, _, err = other.build()
	must(t, err)
	return files(t, dir)
}

// update follows the published set. It returns the number of pages that were asked
// for.
func (l *living) update(changed [][]string, damaged []string) (asked int, err error) {
	result, published, err := l.run(NewUpdate, func(set *Set) error {
		return set.Update(l.published, changed, damaged, l.source(&asked))
	})
	if err == nil && !l.dry {
		l.published = published
	}
	l.result = result
	return asked, err
}

// changedSince returns the positions of what is not as it was, by section.
func changedSince(before, after []placedPage) [][]string {
	type key struct {
		section int
		place   string
	}
	describe := func(pages []placedPage) map[key]string {
		found := map[key]string{}
		for i := range pages {
			found[key{pages[i].section, pages[i].position()}] = fmt.Sprint(pages[i].Page)
		}
		return found
	}
	was, is := describe(before), describe(after)
	changed := make([][]string, len(testSections))
	for k, text := range was {
		if is[k] != text {
			changed[k.section] = append(changed[k.section], k.place)
		}
	}
	for k := range is {
		if _, there := was[k]; !there {
			changed[k.section] = append(changed[k.section], k.place)
		}
	}
	for _, positions := range changed {
		slices.Sort(positions)
	}
	return changed
}

// aPage returns a page of one of a few hundred places.
func (l *living) aPage(random *rand.Rand, narrow int) placedPage {
	p := placedPage{testPage: testPage{section: random.IntN(8) / 3}}
	dirs := []string{"", "a", "a-b", "a/b", "a/b/c", "b"}
	p.dir, p.name = dirs[random.IntN(len(dirs))], fmt.Sprintf("%c%03d.html", 'a'+random.IntN(3), random.IntN(400)/(narrow+1))
	p.Loc = []byte(testURL + p.dir + "/" + p.name)
	if random.IntN(8) == 0 {
		p.extra, p.dir = true, ""
		p.Loc = fmt.Appendf(nil, "%sextra/%03d", testURL, random.IntN(300))
		p.name = string(p.Loc)
	}
	p.hash = p.Hash()
	switch narrow {
	case 1: // ids meet
		p.hash = p.hash>>40<<40 | p.hash&1
	case 2: // whole hashes do
		p.hash = p.hash >> 61 << 61
	}
	l.restyle(random, &p)
	return p
}

// restyle changes what is said of a page.
func (l *living) restyle(random *rand.Rand, p *placedPage) {
	if l.dated || random.IntN(3) > 0 {
		p.LastMod = 1_600_000_000 + random.Int64N(3)*1000
	} else {
		p.LastMod = 0
	}
	p.Images, p.Alternates, p.Priority = nil, nil, []string{"", "0.5"}[random.IntN(2)]
	if random.IntN(12) == 0 {
		p.Images = []string{testURL + strings.Repeat("i", random.IntN(900)) + ".jpg"}
	}
	if l.heavy && random.IntN(4) == 0 {
		p.Images = []string{testURL + strings.Repeat("i", 1500+random.IntN(1000)) + ".jpg"}
	} else if random.IntN(40) == 0 {
		p.Alternates = []Alternate{{"de", testURL + strings.Repeat("d", random.IntN(2000))}}
	}
}

// put puts a page at its place.
func (l *living) put(p placedPage) {
	at, there := slices.BinarySearchFunc(l.pages, p, func(a, b placedPage) int { return strings.Compare(a.position(), b.position()) })
	if there {
		l.pages[at] = p
	} else {
		l.pages = slices.Insert(l.pages, at, p)
	}
}

// mutate changes pages.
func (l *living) mutate(random *rand.Rand, narrow int) {
	l.pages = slices.Clone(l.pages)
	at := func() int { return random.IntN(len(l.pages)) }
	if len(l.pages) == 0 {
		l.put(l.aPage(random, narrow))
	}
	switch random.IntN(12) {
	case 0, 1:
		l.restyle(random, &l.pages[at()])
	case 2:
		l.put(l.aPage(random, narrow))
	case 3:
		i := at()
		l.pages = slices.Delete(l.pages, i, i+1)
	case 4:
		l.pages[at()].section = random.IntN(3)
	case 5: // a section empties
		section := random.IntN(3)
		l.pages = slices.DeleteFunc(l.pages, func(p placedPage) bool { return p.section == section && random.IntN(30) > 0 })
	case 6:
		for range random.IntN(120) {
			l.put(l.aPage(random, narrow))
		}
	case 7: // a folder goes, or most of one
		from := at()
		l.pages = slices.Delete(l.pages, from, min(len(l.pages), from+random.IntN(40)))
	case 8:
		for range random.IntN(5) {
			l.restyle(random, &l.pages[at()])
			l.put(l.aPage(random, narrow))
		}
	default: // at the boundaries of shards
		for range 1 + random.IntN(2) {
			l.mutateBoundary(random, narrow)
		}
	}
}

func (l *living) mutateBoundary(random *rand.Rand, narrow int) {
	section := random.IntN(3)
	shards := l.published.sections[section]
	if len(shards) == 0 {
		return
	}
	position := shards[random.IntN(len(shards))].position
	at, there := slices.BinarySearchFunc(l.pages, position, func(p placedPage, position string) int { return strings.Compare(p.position(), position) })
	if !there || random.IntN(2) == 0 { // the page before
		for at--; at >= 0 && l.pages[at].section != section; at-- {
		}
		if at < 0 {
			return
		}
	}
	switch random.IntN(4) {
	case 0:
		l.restyle(random, &l.pages[at])
	case 1:
		l.pages = slices.Delete(l.pages, at, at+1)
	case 2:
		l.pages[at].section = random.IntN(3)
	case 3:
		if p := l.pages[at]; !p.extra {
			p.name += string(rune('a' + random.IntN(3)))
			p.Loc = []byte(testURL + p.dir + "/" + p.name)
			if p.hash = p.Hash(); narrow > 0 {
				p.hash = l.pages[at].hash
			}
			l.put(p)
		}
	}
}

// newLiving returns a published site of two sections, one of them divided.
func newLiving(t testing.TB, pages int) *living {
	t.Helper()
	l := &living{site: newSiteInMemory(t)}
	l.now = time.Now()
	l.config.Files.MaxURLs = 40
	for i := range pages {
		p := placedPage{testPage: onePage(i), dir: "articles", name: string(onePage(i).Loc[len(testURL+"articles/"):])}
		p.hash = p.Hash()
		l.pages = append(l.pages, p)
	}
	other := placedPage{testPage: onePage(pages), dir: "blog", name: "x.html"}
	other.section, other.hash = 1, other.Hash()
	l.pages = append(l.pages, other)
	l.publish(t)
	return l
}

func (l *living) publish(t testing.TB) {
	t.Helper()
	var err error
	l.result, l.published, err = l.build()
	must(t, err)
}

// damaged returns what differs from what was published.
func (l *living) damaged(t testing.TB) []string {
	t.Helper()
	folder, err := OpenFolder(l.dir, false)
	must(t, err)
	defer folder.Close()
	var all []string
	for name := range l.published.all() {
		all = append(all, name)
	}
	slices.Sort(all)
	return l.published.Changed(folder, append(all, "robots.txt", "sitemap-other.xml"))
}

func (l *living) mustUpdate(t testing.TB, changed [][]string) (asked int) {
	t.Helper()
	asked, err := l.update(changed, l.damaged(t))
	must(t, err)
	return asked
}

// edit changes a page, and returns what changed.
func (l *living) edit(at int) [][]string {
	l.pages[at].LastMod += 60
	changed := make([][]string, len(testSections))
	changed[l.pages[at].section] = []string{l.pages[at].position()}
	return changed
}
