//go:build unix

package main

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A publishedSet is a set as a crawler finds it: by the root, the indexes beside
// it, and the shards that they name.
type publishedSet struct {
	pages  []listedPage
	shards []string          // names on disk
	xml    map[string][]byte // indexes and shards, uncompressed, by name
}

type listedPage struct {
	Loc        string  `xml:"loc"`
	LastMod    string  `xml:"lastmod"`
	ChangeFreq string  `xml:"changefreq"`
	Priority   *string `xml:"priority"`
	shard      string
}

// locs returns the URLs, sorted.
func (s *publishedSet) locs() []string {
	var locs []string
	for _, page := range s.pages {
		locs = append(locs, page.Loc)
	}
	return sorted(locs)
}

// protocol is what a set is held to.
type protocol struct {
	namespace  string
	maxURLs    int
	maxBytes   int
	maxEntries int    // of an index
	scope      string // what every URL begins with
}

var (
	protocol09 = protocol{
		namespace: "http://www.sitemaps.org/schemas/sitemap/0.9",
		maxURLs:   50_000, maxBytes: 52_428_800, maxEntries: 50_000,
	}
	protocol084 = protocol{
		namespace: "http://www.google.com/schemas/sitemap/0.84",
		maxURLs:   50_000, maxBytes: 10_485_760, maxEntries: 1_000,
	}
)

// checkSet reads the set in a folder and holds it to what the protocol says and
// the schemas do not. It knows nothing of the packages that made the set.
func checkSet(t *testing.T, folder string, p protocol) *publishedSet {
	t.Helper()
	set := &publishedSet{xml: map[string][]byte{}}
	roots := glob(t, folder, "sitemap.xml", "sitemap.xml.gz")
	if len(roots) != 1 {
		t.Fatalf("%s holds %d roots %q", folder, len(roots), roots)
	}
	named := map[string]bool{}
	indexes := roots
	for _, name := range glob(t, folder, "sitemap-index-*.xml", "sitemap-index-*.xml.gz") {
		if info, err := os.Lstat(filepath.Join(folder, name)); err == nil && info.Mode().IsRegular() {
			indexes = append(indexes, name)
		}
	}
	for _, name := range indexes {
		content := set.read(t, folder, name, p)
		if rootElement(t, content) == "urlset" {
			if len(indexes) > 1 {
				t.Errorf("%s is a shard but stands beside %q", name, indexes[1:])
			}
			set.addShard(t, name, content, p)
			continue
		}
		entries := parse[indexFile](t, name, content, p.namespace, "sitemapindex").Sitemaps
		if len(entries) == 0 || len(entries) > p.maxEntries {
			t.Errorf("%s names %d shards", name, len(entries))
		}
		for _, entry := range entries {
			shard, found := strings.CutPrefix(entry.Loc, p.scope)
			if !found || strings.Contains(shard, "/") || strings.HasPrefix(shard, "sitemap-index") {
				t.Errorf("%s names %q, which is no shard beside it", name, entry.Loc)
				continue
			}
			if named[shard] {
				t.Errorf("%s is named twice", shard)
			}
			named[shard] = true
			checkDate(t, entry.LastMod)
			set.addShard(t, shard, set.read(t, folder, shard, p), p)
		}
	}
	seen := map[string]string{}
	for _, page := range set.pages {
		if other, found := seen[page.Loc]; found {
			t.Errorf("%s is listed in %s and in %s", page.Loc, other, page.shard)
		}
		seen[page.Loc] = page.shard
		checkLoc(t, page.Loc, p.scope)
		checkDate(t, page.LastMod)
		checkHints(t, page)
	}
	checkWithItself(t, folder, p.scope)
	return set
}

type shardFile struct {
	XMLName xml.Name
	Pages   []listedPage `xml:"url"`
}

type indexFile struct {
	XMLName  xml.Name
	Sitemaps []listedPage `xml:"sitemap"`
}

func (s *publishedSet) addShard(t *testing.T, name string, content []byte, p protocol) {
	t.Helper()
	pages := parse[shardFile](t, name, content, p.namespace, "urlset").Pages
	if len(pages) == 0 || len(pages) > p.maxURLs {
		t.Errorf("%s lists %d URLs", name, len(pages))
	}
	for _, page := range pages {
		page.shard = name
		s.pages = append(s.pages, page)
	}
	s.shards = append(s.shards, name)
}

// read reads a file of the set, uncompressed if its name says so.
func (s *publishedSet) read(t *testing.T, folder, name string, p protocol) []byte {
	t.Helper()
	content := gunzipped(t, filepath.Join(folder, name))
	if len(content) > p.maxBytes {
		t.Errorf("%s has %d bytes uncompressed", name, len(content))
	}
	s.xml[name] = content
	return content
}

// gunzipped returns a file's content; what a .gz file holds must bear neither
// name nor time, which would change its bytes from run to run.
func gunzipped(t *testing.T, path string) []byte {
	t.Helper()
	content := []byte(readFile(t, path))
	if !strings.HasSuffix(path, ".gz") {
		return content
	}
	reader, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if reader.Name != "" || !reader.ModTime.IsZero() {
		t.Errorf("%s carries the name %q and the time %v", path, reader.Name, reader.ModTime)
	}
	if content, err = io.ReadAll(reader); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return content
}

func rootElement(t *testing.T, content []byte) string {
	t.Helper()
	decoder := xml.NewDecoder(bytes.NewReader(content))
	for {
		token, err := decoder.Token()
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok {
			return start.Name.Local
		}
	}
}

func parse[T any](t *testing.T, name string, content []byte, namespace, element string) T {
	t.Helper()
	var file T
	if !bytes.HasPrefix(content, []byte(`<?xml version="1.0" encoding="UTF-8"?>`)) {
		t.Errorf("%s does not begin with an XML declaration", name)
	}
	if err := xml.Unmarshal(content, &file); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if want := "<" + element + ` xmlns="` + namespace + `"`; !bytes.Contains(content, []byte(want)) {
		t.Errorf("%s does not hold %s", name, want)
	}
	return file
}

// locForm is RFC 3986's scheme, authority and path, with every percent sign part
// of an encoded byte, and, for extra URLs, a query.
var locForm = regexp.MustCompile(`^https?://[a-z0-9.-]+(:[0-9]+)?(/([A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-F]{2})*)+(\?([A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-F]{2})*)?$`)

func checkLoc(t *testing.T, loc, scope string) {
	t.Helper()
	if !strings.HasPrefix(loc, scope) {
		t.Errorf("%q is outside %s", loc, scope)
	}
	if !locForm.MatchString(loc) {
		t.Errorf("%q is not encoded as RFC 3986 has it", loc)
	}
	if len(loc) >= 2048 {
		t.Errorf("%q has %d characters", loc, len(loc))
	}
}

func checkDate(t *testing.T, lastMod string) {
	t.Helper()
	if lastMod == "" {
		return
	}
	date, err := time.Parse("2006-01-02T15:04:05+00:00", lastMod)
	if err != nil {
		date, err = time.Parse(time.DateOnly, lastMod)
	}
	if err != nil {
		t.Errorf("lastmod %q has neither of the two forms", lastMod)
	} else if date.After(time.Now()) || date.Unix() <= 0 {
		t.Errorf("lastmod %q is not believable", lastMod)
	}
}

func checkHints(t *testing.T, page listedPage) {
	t.Helper()
	switch page.ChangeFreq {
	case "", "always", "hourly", "daily", "weekly", "monthly", "yearly", "never":
	default:
		t.Errorf("%s: changefreq is %q", page.Loc, page.ChangeFreq)
	}
	if page.Priority != nil {
		if value, err := strconv.ParseFloat(*page.Priority, 64); err != nil || value < 0 || value > 1 {
			t.Errorf("%s: priority is %q", page.Loc, *page.Priority)
		}
	}
}

// glob returns the names in a folder that match one of some patterns, links among
// them.
func glob(t *testing.T, folder string, patterns ...string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		for _, pattern := range patterns {
			if matched, _ := filepath.Match(pattern, entry.Name()); matched {
				names = append(names, entry.Name())
			}
		}
	}
	return names
}
