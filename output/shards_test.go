package output

import (
	"slices"
	"testing"
)

// wantShards fails the test unless shards are what is on disk.
func wantShards(t *testing.T, s *site, shards []Shard, published bool) {
	t.Helper()
	onDisk := files(t, s.dir)
	var pages int64
	for _, shard := range shards {
		content, there := onDisk[shard.Name]
		if !there || shard.Size != int64(len(content)) {
			t.Errorf("%+v is of %d bytes on disk", shard, len(content))
		}
		plain := content
		if s.config.Files.Gzip == GzipShards && shard.Name != "sitemap.xml" {
			plain = gunzip(t, content)
		}
		if shard.Length != int64(len(plain)) || shard.Published != published || shard.Section == "" {
			t.Errorf("%+v is of %d bytes, uncompressed", shard, len(plain))
		}
		pages += shard.Pages
	}
	if !slices.IsSortedFunc(shards, func(a, b Shard) int {
		return slices.Index([]string{"blog", "docs", "pages"}, a.Section) - slices.Index([]string{"blog", "docs", "pages"}, b.Section)
	}) {
		t.Errorf("the sections are not in order: %v", shards)
	}
	if want := int64(40); pages != want {
		t.Errorf("the shards have %d pages, not %d", pages, want)
	}
}

func TestShardsAreAsTheyAreOnDisk(t *testing.T) {
	for _, gzip := range []Gzip{GzipShards, GzipNone} {
		l := &living{site: newSite(t)}
		l.config.Files.Gzip, l.config.Files.MaxURLs = gzip, 10
		for i, page := range append(makePages(0, 30), inSection(1, makePages(100, 110))...) {
			l.pages = append(l.pages, placedPage{testPage: page, dir: "d", name: string(page.Loc), hash: uint64(i)})
		}
		var set *Set
		all := func(made *Set) error {
			set = made
			return l.addAll(made)
		}
		run := func(make func(*Folder, Config, Options) (*Set, error), fill func(*Set) error) []Shard {
			t.Helper()
			_, published, err := l.run(make, fill)
			must(t, err)
			if !l.dry {
				l.published = published
			}
			return set.Shards()
		}
		built := run(NewSet, all)
		wantShards(t, l.site, built, true)

		l.dry = true
		if dry := run(NewSet, all); !slices.Equal(dry, built) {
			t.Errorf("a dry run has %v, not %v", dry, built)
		}
		l.pages[3].LastMod = 1_700_000_000
		dry := run(NewSet, all)
		changed := 0
		for i, shard := range dry {
			if !shard.Published {
				changed++
				if shard.Newest != 1_700_000_000 || shard.Name != built[i].Name {
					t.Errorf("%+v changed, which was %+v", shard, built[i])
				}
			}
		}
		if changed != 1 {
			t.Errorf("%d shards are not published: %v", changed, dry)
		}

		l.dry = false
		update := run(NewUpdate, func(made *Set) error {
			set = made
			asked := 0
			return set.Update(l.published, [][]string{{l.pages[3].position()}, nil, nil}, nil, l.source(&asked))
		})
		wantShards(t, l.site, update, true)
	}
}

func TestOnlyShardOfASiteIsItsRoot(t *testing.T) {
	s := newSite(t)
	s.publish(t, makePages(0, 40))
	folder, err := OpenFolder(s.dir, true)
	must(t, err)
	defer folder.Close()
	set, err := NewSet(folder, s.config, Options{URL: testURL, Sections: testSections, Jobs: 1, IndexTime: s.now, Dry: true})
	must(t, err)
	defer set.Close()
	must(t, addAll(set, makePages(0, 40)))
	if _, err := set.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
	shards := set.Shards()
	wantShards(t, s, shards, true)
	if len(shards) != 1 || shards[0].Name != "sitemap.xml" || shards[0].Newest != 1_600_000_039 {
		t.Errorf("%+v", shards)
	}
}
