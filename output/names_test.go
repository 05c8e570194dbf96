package output

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRootMustNotBeTheNameOfAnotherFile(t *testing.T) {
	for root, valid := range map[string]bool{
		"sitemap.xml": true, "sitemap_index.xml": true, "sitemap-index.xml": true, "map.xml": true, "Sitemap.xml": true,
		"map": false, "index.html": false,
		"": false, ".": false, "..": false, ".hidden": false, "a/b": false, `a\b`: false, "a b": false, "a&b": false, "-a": false,
		"sitemap.txt": false, "sitemap.xml.gz": false, "sitemap-pages.xml": false, "sitemap-index-2.xml": false,
		"sitemap\n.xml": false, "ü.xml": false, strings.Repeat("a", 201): false,
	} {
		config := DefaultConfig()
		config.Files.Root = root
		err := config.Validate()
		var mistake *ConfigError
		if valid != (err == nil) || err != nil && (!errors.As(err, &mistake) || mistake.Key != "output.root") {
			t.Errorf("%q: %v", root, err)
		}
	}
	config := DefaultConfig()
	config.Files.Root, config.Files.Gzip = "sitemap.xml.gz", GzipAll
	if err := config.Validate(); err != nil || config.Files.rootFile() != "sitemap.xml.gz" {
		t.Errorf("%v, %s", err, config.Files.rootFile())
	}
}

func TestLimitsMustBeThoseOfTheProtocol(t *testing.T) {
	for _, limit := range []struct {
		urls  int
		bytes int64
		valid bool
	}{
		{1, MaxBytes, true}, {0, MaxBytes, false}, {-1, MaxBytes, false}, {50_000, MaxBytes, true}, {50_001, MaxBytes, false},
		{10, 4096, true}, {10, 4095, false}, {10, 52_428_800, true}, {10, 52_428_801, false},
	} {
		config := DefaultConfig()
		config.Files.MaxURLs, config.Files.MaxBytes = limit.urls, limit.bytes
		if err := config.Validate(); limit.valid != (err == nil) {
			t.Errorf("%+v: %v", limit, err)
		}
	}
}

// sectionRules are package mapper's: what a section may be called, and with
// which other.
var (
	anySection  = regexp.MustCompile(`^[a-z0-9]{1,3}(-([a-z0-9]{1,3}|first|[0-9a-f]{10}|[0-9a-f]{16})){0,2}$`)
	indexWord   = regexp.MustCompile(`^index(-[0-9]+)?$`)
	shardSuffix = regexp.MustCompile(`^(.+)-(first|[0-9a-f]{10}|[0-9a-f]{16})$`)
)

func collides(a, b string) bool {
	m := shardSuffix.FindStringSubmatch(a)
	return m != nil && m[1] == b
}

func TestNoTwoShardsHaveOneName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		section := rapid.StringMatching(anySection.String()).Filter(func(s string) bool { return !indexWord.MatchString(s) })
		id := rapid.OneOf(rapid.Just(""), rapid.Just(firstShard),
			rapid.Custom(func(t *rapid.T) string {
				return shardID(rapid.Uint64().Draw(t, "hash"), rapid.Bool().Draw(t, "long"))
			}))
		a, b := section.Draw(t, "a"), section.Draw(t, "b")
		idA, idB := id.Draw(t, "id of a"), id.Draw(t, "id of b")
		// Half the time b is what a shard of a might be called.
		if idA != "" && rapid.Bool().Draw(t, "nested") {
			b, idB = a+"-"+idA, ""
		}
		if collides(a, b) || collides(b, a) {
			return // mapper refuses them
		}
		for _, gzip := range []bool{false, true} {
			nameA, nameB := shardFile(a, idA, gzip), shardFile(b, idB, gzip)
			if (nameA == nameB) != (a == b && idA == idB) {
				t.Fatalf("%s/%s is %s, %s/%s is %s", a, idA, nameA, b, idB, nameB)
			}
			files := DefaultConfig().Files
			if !isShardName(nameA) || isIndexName(nameA) || isTextName(nameA) || !files.isOwnName(nameA) || nameA == files.Root {
				t.Fatalf("%s is no shard's name", nameA)
			}
		}
	})
}

func TestShardsOfPagesWithOneHashHaveNamesOfTheirOwn(t *testing.T) {
	s := newSite(t)
	s.config.Files.MaxURLs = 1
	pages := makePages(0, 3)
	folder, err := OpenFolder(s.dir, false)
	must(t, err)
	defer folder.Close()
	set, err := NewSet(folder, s.config, Options{URL: testURL, Sections: testSections, Jobs: 1, IndexTime: s.now})
	must(t, err)
	defer set.Close()
	for i := range 4 {
		must(t, set.Add(&Rendered{XML: NewRenderer(DateTime).Append(nil, &pages[i%3].Page), Hash: 12345}))
	}
	result, err := set.Publish(t.Context())
	must(t, err)
	if got := shardURLs(t, s.dir); len(got) != 4 || result.Shards != 4 {
		t.Errorf("%d shards: %v", result.Shards, got)
	}
}

func TestOwnFilesAreKnownByNameAndMark(t *testing.T) {
	s := newSite(t)
	s.config.Files.MaxURLs, s.config.Files.Text = 40, true
	s.publish(t, append(makePages(0, 100), inSection(1, makePages(100, 102))...))
	own := names(files(t, s.dir))
	for name, content := range map[string]string{
		"sitemap-foreign.xml": "<urlset/>", "sitemap-foreign.xml.gz": "no gzip", "page.html": marker, "notes.txt": "", "robots.txt": "",
	} {
		must(t, os.WriteFile(filepath.Join(s.dir, name), []byte(content), 0o644))
	}
	folder, err := OpenFolder(s.dir, false)
	must(t, err)
	defer folder.Close()
	wrote := func(name string) bool {
		return s.config.Files.Wrote(name, true, func() (io.ReadCloser, error) {
			file, _, err := folder.open(name)
			return file, err
		})
	}
	for _, name := range append(own, ".sitewalk-"+strings.Repeat("a2", 13)+".tmp") {
		if !wrote(name) {
			t.Errorf("%s is not known as its own", name)
		}
	}
	for _, name := range []string{"sitemap-foreign.xml", "sitemap-foreign.xml.gz", "page.html", "notes.txt", "robots.txt", "sitemap-none.xml", ".sitewalk-x.tmp"} {
		if wrote(name) {
			t.Errorf("%s is taken for its own", name)
		}
	}
	s.config.Files.Text = false
	if wrote("sitemap.txt") {
		t.Error("sitemap.txt is taken for its own where no list is written")
	}
}
