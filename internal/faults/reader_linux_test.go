package faults

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Published sets are read here without the packages that made them, as a crawler would.

const baseURL = "https://www.example.com/"

// document is a sitemap or an index.
type document struct {
	XMLName xml.Name
	Pages   []entry `xml:"url"`
	Shards  []entry `xml:"sitemap"`
}

type entry struct {
	Loc     string `xml:"loc"`
	LastMod string `xml:"lastmod"`
}

// readDocument reads a file to its end, that of the compressed stream and that of the XML
// in it.
func readDocument(name, content string) (*document, error) {
	plain := []byte(content)
	if strings.HasSuffix(name, ".gz") {
		inflated, err := gzip.NewReader(strings.NewReader(content))
		if err == nil {
			plain, err = io.ReadAll(inflated) // which checks length and checksum
		}
		if err != nil {
			return nil, fmt.Errorf("%s is torn, %d bytes: %w", name, len(content), err)
		}
	}
	var found document
	decoder := xml.NewDecoder(bytes.NewReader(plain))
	if err := decoder.Decode(&found); err != nil {
		return nil, fmt.Errorf("%s is torn: %w: %.80q", name, err, plain)
	}
	if rest := bytes.TrimSpace(plain[decoder.InputOffset():]); len(rest) > 0 {
		return nil, fmt.Errorf("%s goes on behind its end: %.80q", name, rest)
	}
	return &found, nil
}

// readIndex returns the shards that an index names, in its order, each by its name.
func readIndex(content string) ([]entry, error) {
	index, err := readDocument("sitemap.xml", content)
	if err != nil {
		return nil, err
	}
	if index.XMLName.Local != "sitemapindex" || len(index.Shards) == 0 {
		return nil, fmt.Errorf("the index is a %q and names %d shards", index.XMLName.Local, len(index.Shards))
	}
	for i := range index.Shards {
		name, within := strings.CutPrefix(index.Shards[i].Loc, baseURL)
		if !within || name != filepath.Base(name) {
			return nil, fmt.Errorf("the index names %q", index.Shards[i].Loc)
		}
		index.Shards[i].Loc = name
	}
	return index.Shards, nil
}

// namedShards returns the names of the shards that an index names, in its order.
func namedShards(index string) (names []string, err error) {
	shards, err := readIndex(index)
	for _, shard := range shards {
		names = append(names, shard.Loc)
	}
	return names, err
}

// shardPages returns the URLs that a shard lists.
func shardPages(name, content string) (locs []string, err error) {
	shard, err := readDocument(name, content)
	if err != nil {
		return nil, err
	}
	if shard.XMLName.Local != "urlset" || len(shard.Pages) == 0 {
		return nil, fmt.Errorf("%s is a %q and lists %d pages", name, shard.XMLName.Local, len(shard.Pages))
	}
	for _, page := range shard.Pages {
		locs = append(locs, page.Loc)
	}
	return locs, nil
}

// A set is what a crawler finds in a folder.
type set struct {
	files    map[string]string // the root and all that it names, as they are
	lastMods map[string]string // of the shards, in the index
	locs     map[string]bool
}

// readSet reads the set in a folder, which is empty if there is no root, and fails if
// a file is missing, cut off or malformed.
func readSet(folder string) (*set, error) {
	s := &set{files: map[string]string{}, lastMods: map[string]string{}, locs: map[string]bool{}}
	root, err := s.read(folder, "sitemap.xml")
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	if found, err := readDocument("sitemap.xml", root); err == nil && found.XMLName.Local == "urlset" {
		return s, s.add("sitemap.xml", root)
	}
	shards, err := readIndex(root)
	if err != nil {
		return nil, err
	}
	for _, shard := range shards {
		s.lastMods[shard.Loc] = shard.LastMod
		content, err := s.read(folder, shard.Loc)
		if err == nil {
			err = s.add(shard.Loc, content)
		}
		if err != nil {
			return nil, fmt.Errorf("the index names %s: %w", shard.Loc, err)
		}
	}
	return s, nil
}

func (s *set) read(folder, name string) (content string, err error) {
	raw, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		return "", err
	}
	s.files[name] = string(raw)
	return string(raw), nil
}

func (s *set) add(name, content string) error {
	locs, err := shardPages(name, content)
	for _, loc := range locs {
		s.locs[loc] = true
	}
	return err
}

// indexDates are the dates in an index, which tell when each shard changed.
var indexDates = regexp.MustCompile(`(<sitemap>.*?)<lastmod>[^<]*</lastmod>`)

// undated returns the files of a set, the index without its dates.
func (s *set) undated() map[string]string {
	files := maps.Clone(s.files)
	if root, found := files["sitemap.xml"]; found {
		files["sitemap.xml"] = indexDates.ReplaceAllString(root, "$1")
	}
	return files
}

// robotsName is the file beside a set in which a line names it.
const robotsName = "robots.txt"

// readFolder returns the files of a set in a folder, whether or not an index names them,
// and robots.txt, and the names of temporary files.
func readFolder(folder string) (files map[string]string, temps []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, nil, err
	}
	files = map[string]string{}
	for _, entry := range entries {
		name := entry.Name()
		switch {
		case isTemporary(name):
			temps = append(temps, name)
		case name == robotsName || strings.HasPrefix(name, "sitemap"):
			content, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				return nil, nil, err
			}
			files[name] = string(content)
		}
	}
	return files, temps, nil
}

// sameSet says in what a set differs from a fresh one, the dates in the index aside.
func sameSet(set, fresh map[string]string) error {
	names, err := namedShards(set["sitemap.xml"])
	if err != nil {
		return err
	}
	want, err := namedShards(fresh["sitemap.xml"])
	if err != nil {
		return err
	}
	if !slices.Equal(names, want) {
		return fmt.Errorf("%q are named, and by a fresh build %q", names, want)
	}
	for _, name := range names {
		if set[name] != fresh[name] {
			return fmt.Errorf("%s is not what a fresh build writes", name)
		}
	}
	return nil
}

// isTemporary reports whether a file is one that the command gives another name later:
// the tests have no other hidden files where sets and states are.
func isTemporary(name string) bool { return strings.HasPrefix(name, ".") && name != ".htaccess" }

// temps returns the temporary files that the command has left in folders.
func temps(t testing.TB, folders ...string) (left []string) {
	t.Helper()
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if isTemporary(entry.Name()) {
				left = append(left, entry.Name())
			}
		}
	}
	return left
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
