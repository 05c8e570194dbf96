//go:build unix

package output

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// damages are what others do to a file.
var damages = map[string]func(path string) error{
	"removed":     os.Remove,
	"overwritten": func(path string) error { return os.WriteFile(path, []byte("<html>"), 0o644) },
	"emptied":     func(path string) error { return os.Truncate(path, 0) },
	"touched":     func(path string) error { return os.Chtimes(path, time.Now(), time.Now().Add(time.Hour)) },
	"linked":      func(path string) error { return os.Link(path, path+".linked") },
	"made a link": func(path string) error { return errors.Join(os.Remove(path), os.Symlink("elsewhere", path)) },
	"forged": func(path string) error {
		content, err := os.ReadFile(path)
		return errors.Join(err, os.WriteFile(path, bytes.ReplaceAll(content, []byte("<lastmod>20"), []byte("<lastmod>&20")), 0o644))
	},
	"replaced": func(path string) error {
		content, err := os.ReadFile(path)
		return errors.Join(err, os.Remove(path), os.WriteFile(path, content, 0o644))
	},
}

func TestDamagedFilesAreRestoredWithTheirDates(t *testing.T) {
	t.Parallel()
	for what, damage := range damages {
		for _, text := range []bool{false, true} {
			l := newLiving(t, 90)
			l.config.Files.Text = text
			l.publish(t)
			l.now = l.now.Add(time.Minute)
			l.mustUpdate(t, l.edit(50)) // so that not all dates are those of pages
			wanted, said := files(t, l.dir), lastMods(t, l.dir)
			for name := range wanted {
				l.now = l.now.Add(time.Minute)
				laterThan(t, filepath.Join(l.dir, name))
				must(t, damage(filepath.Join(l.dir, name)))
				damaged := l.damaged(t)
				wantNames(t, "damaged", damaged, name)
				l.mustUpdate(t, nil)
				os.Remove(filepath.Join(l.dir, name+".linked"))
				// The links of the file that was replaced are gone with it.
				got := files(t, l.dir)
				for name := range wanted {
					if got[name] != wanted[name] && name != "sitemap.xml" {
						t.Errorf("%s %s: has not been restored", name, what)
					}
				}
				wantNames(t, name+" "+what, names(got), names(wanted)...)
				for shard, lastMod := range lastMods(t, l.dir) {
					if said[shard] != lastMod {
						t.Errorf("%s %s: the index says %s of %s, and said %s", name, what, lastMod, shard, said[shard])
					}
				}
				if what == "touched" {
					continue // its time is ahead of the index's, as long as nobody writes it
				}
				l.mustUpdate(t, nil)
				if again := l.result; len(again.Written) > 0 || len(again.Removed) > 0 || again.Unchanged != again.Shards {
					t.Errorf("%s %s: then %+v", name, what, again)
				}
				if result, _, err := l.build(); err != nil || len(result.Written) > 0 {
					t.Errorf("%s %s: a new set writes %q", name, what, result.Written)
				}
				l.publish(t)
			}
		}
	}
}

// Whatever others do, the next update leaves what a new set would, and the one after
// that has nothing to do.
func TestUpdatesSurviveWhatOthersDo(t *testing.T) {
	t.Parallel()
	kinds := slices.Sorted(func(yield func(string) bool) {
		for kind := range damages {
			if kind != "linked" && kind != "touched" && !yield(kind) {
				return
			}
		}
	})
	rapid.Check(t, func(r *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 0))
		l := &living{site: newSiteInMemory(t), dated: true}
		l.config.Files.MaxURLs, l.config.Files.StaleGrace, l.namespaces = 20, 0, XHTML|Image
		l.config.Files.Text = random.IntN(3) == 0
		if random.IntN(3) == 0 {
			l.maxIndex = 1000
		}
		l.config.Files.Gzip = []Gzip{GzipNone, GzipNone, GzipShards, GzipAll}[random.IntN(4)]
		l.now = time.Now()
		for range 90 {
			l.put(l.aPage(random, 0))
		}
		l.publish(t)
		for range 3 {
			old := l.pages
			l.now = l.now.Add(time.Minute)
			l.mutate(random, 0)
			if random.IntN(4) == 0 { // another run, at another time
				before := l.published
				l.publish(t)
				l.published = before
				l.mutate(random, 0)
			}
			if random.IntN(4) == 0 { // a publication that is stopped
				changed := changedSince(old, l.pages)
				folder, err := OpenFolder(l.dir, false)
				must(t, err)
				set, err := NewUpdate(folder, l.config, l.options())
				must(t, err)
				asked := 0
				must(t, set.Update(l.published, changed, nil, l.source(&asked)))
				ctx, cancel := context.WithCancel(context.Background())
				cancel()
				if _, err := set.Publish(ctx); err == nil || set.Published() != nil {
					r.Fatal("it was not stopped")
				}
				set.Close()
				folder.Close()
				l.mutate(random, 0)
			}
			for range random.IntN(4) {
				all := names(files(t, l.dir))
				if len(all) == 0 { // others have removed the only file
					break
				}
				name := all[random.IntN(len(all))]
				if random.IntN(3) == 0 {
					name = l.config.Files.rootFile()
				}
				_ = damages[kinds[random.IntN(len(kinds))]](filepath.Join(l.dir, name))
			}
			if len(l.pages) == 0 {
				l.pages = old
			}
			damaged := l.damaged(t)
			if _, err := l.update(changedSince(old, l.pages), damaged); err != nil {
				r.Fatal(err)
			}
			want := timeless(t, l.freshFiles(t))
			got := files(t, l.dir)
			for name := range got { // what is not marked any more is not removed
				if _, wanted := want[name]; !wanted {
					must(t, os.Remove(filepath.Join(l.dir, name)))
					delete(got, name)
				}
			}
			got = timeless(t, got)
			for name := range want {
				if got[name] != want[name] {
					r.Fatalf("%s is not what a new set writes (%q were damaged)", name, damaged)
				}
			}
			if _, err := l.update(nil, l.damaged(t)); err != nil || len(l.result.Written)+len(l.result.Removed) > 0 {
				r.Fatalf("then %+v, %v", l.result, err)
			}
		}
	})
}

func TestGraceOfAnUpdate(t *testing.T) {
	l := newLiving(t, 300)
	gone := "sitemap-blog.xml.gz"
	l.pages = l.pages[:300]
	start := l.now
	l.mustUpdate(t, [][]string{nil, {Position("blog", "x.html", false)}, nil})
	if at, waits := l.published.NextRemoval(); !waits || !at.Equal(start.Add(time.Hour)) || len(l.result.Removed) > 0 || l.published.Has(gone) {
		t.Fatalf("%v, %t: %+v", at, waits, l.result)
	}
	// Nobody begins the grace anew, and a new set knows of it.
	l.now = start.Add(30 * time.Minute)
	l.mustUpdate(t, l.edit(7))
	updated := l.published
	l.publish(t)
	for _, published := range []*Published{updated, l.published} {
		if at, waits := published.NextRemoval(); !waits || at.Sub(start).Round(time.Minute) != time.Hour {
			t.Errorf("%v, %t", at, waits)
		}
	}
	// An index of another set names it.
	other := filepath.Join(l.dir, "other.xml")
	must(t, os.WriteFile(other, []byte("<?xml?>"+marker+"<sitemapindex><sitemap><loc>"+testURL+gone+"</loc></sitemap></sitemapindex>"), 0o644))
	l.now = start.Add(61 * time.Minute)
	named := *l
	named.mustUpdate(t, nil)
	if len(named.result.Removed) > 0 {
		t.Fatalf("%+v", named.result)
	}
	must(t, os.Remove(other))
	l.mustUpdate(t, nil)
	wantNames(t, "removed", l.result.Removed, gone)
	if _, waits := l.published.NextRemoval(); waits || len(l.result.Written) > 0 {
		t.Errorf("%+v", l.result)
	}
}

func TestNoPageLeavesWhatWasPublished(t *testing.T) {
	l := newLiving(t, 60)
	before, published := stamps(t, l.dir), l.published
	changed := changedSince(l.pages, nil)
	pages := l.pages
	l.pages = nil
	if _, err := l.update(changed, nil); !errors.Is(err, ErrNoPages) || l.published != published {
		t.Fatalf("got %v", err)
	}
	l.pages = pages
	l.mustUpdate(t, changed)
	for name, stamp := range stamps(t, l.dir) {
		if stamp != before[name] && name != "." {
			t.Errorf("%s was touched", name)
		}
	}
}

func TestDryUpdateWritesNothing(t *testing.T) {
	l := newLiving(t, 300)
	before := stamps(t, l.dir)
	changed := l.edit(7)
	l.dry = true
	l.mustUpdate(t, changed)
	dry := l.result
	for name, stamp := range stamps(t, l.dir) {
		if stamp != before[name] {
			t.Errorf("%s was touched", name)
		}
	}
	l.dry = false
	l.mustUpdate(t, changed)
	if !slices.Equal(dry.Written, l.result.Written) || len(dry.Written) != 2 {
		t.Errorf("said %q, wrote %q", dry.Written, l.result.Written)
	}
}

func TestForeignIndexIsReplacedAndTheDatesAreKept(t *testing.T) {
	l := newLiving(t, 300)
	l.now = l.now.Add(time.Minute)
	l.mustUpdate(t, l.edit(7))
	want := lastMods(t, l.dir)
	must(t, os.WriteFile(filepath.Join(l.dir, "sitemap.xml"), []byte("<sitemapindex><sitemap><loc>a</loc></sitemap></sitemapindex>"), 0o644))
	l.now = l.now.Add(time.Minute)
	changed := l.edit(8)
	edited := ""
	l.mustUpdate(t, changed)
	for _, name := range l.result.Written {
		if name != "sitemap.xml" {
			edited = name
		}
	}
	wantNames(t, "foreign", l.result.Foreign, "sitemap.xml")
	want[edited] = w3c(l.now)
	for name, lastMod := range lastMods(t, l.dir) {
		if lastMod != want[name] {
			t.Errorf("the index says %s of %s, want %s", lastMod, name, want[name])
		}
	}
}

func TestPositionsAreInTheOrderOfTheWalk(t *testing.T) {
	ordered := []string{
		Position("", "a", false), Position("a/b", "c", false), Position("a/b-", "c", false), Position("a", "z", false), Position("", "a-b", false),
		Position("a.b", "c", false), Position("", "\xff", false), Position("", "http://a/", true), Position("ignored", "http://b/", true),
	}
	if !slices.IsSorted(ordered) || len(slices.Compact(slices.Clone(ordered))) != len(ordered) {
		t.Errorf("%q", ordered)
	}
	if strings.Contains(Position("a/b", "c", false), "/") {
		t.Error("a slash sorts behind other bytes")
	}
}

// A shard that ended because the next page was too long has room for what comes in
// place of that.
func TestPageThatFitsNowJoinsTheShardBefore(t *testing.T) {
	for what, change := range map[string]func(l *living){
		"shorter": func(l *living) { l.pages[3].Images = nil },
		"removed": func(l *living) { l.pages = slices.Delete(slices.Clone(l.pages), 3, 4) },
	} {
		l := &living{site: newSiteInMemory(t)}
		l.now, l.namespaces, l.config.Files.MaxBytes = time.Now(), Image, minBytes
		for i := range 40 {
			p := placedPage{testPage: onePage(i), name: string(rune('0' + i)), hash: ^uint64(0)}
			if i == 3 {
				p.Images = []string{testURL + strings.Repeat("i", 3400)}
			}
			l.pages = append(l.pages, p)
		}
		l.publish(t)
		if first := l.published.sections[0][0]; !first.overflowed || first.pages != 3 {
			t.Fatalf("the first shard is %+v", first)
		}
		old := slices.Clone(l.pages)
		change(l)
		l.mustUpdate(t, changedSince(old, l.pages))
		_, wanted := l.fresh(t)
		got, want := l.published.sections[0], wanted.sections[0]
		if got[0].pages <= 3 || !slices.EqualFunc(got, want, func(a, b *publishedShard) bool { return a.name == b.name && a.sum == b.sum }) {
			t.Errorf("%s: %d pages in the first of %d shards, want %d in one of %d", what, got[0].pages, len(got), want[0].pages, len(want))
		}
	}
}

func TestDatesOfAnotherRunCount(t *testing.T) {
	l := newLiving(t, 300)
	before := l.published
	changed := l.edit(50)
	l.now = l.now.Add(time.Minute)
	l.publish(t)
	want := lastMods(t, l.dir)
	l.published, l.now = before, l.now.Add(time.Minute)
	changed[0] = append(changed[0], l.edit(250)[0]...)
	l.mustUpdate(t, changed)
	for _, name := range l.result.Written {
		if name != "sitemap.xml" {
			want[name] = w3c(l.now)
		}
	}
	if got := lastMods(t, l.dir); len(l.result.Written) != 2 || !maps.Equal(got, want) {
		t.Errorf("wrote %q, the index says %v, want %v", l.result.Written, got, want)
	}
}
