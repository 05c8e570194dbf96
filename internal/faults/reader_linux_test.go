//go:build amd64 || arm64

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

// A set is what a crawler finds in a folder. It is read without the packages that
// made it.
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
	if root.XMLName.Local == "urlset" {
		return s, s.add("sitemap.xml", root)
	}
	if root.XMLName.Local != "sitemapindex" || len(root.Shards) == 0 {
		return nil, fmt.Errorf("the root is %q and names %d shards", root.XMLName.Local, len(root.Shards))
	}
	for _, shard := range root.Shards {
		name := strings.TrimPrefix(shard.Loc, baseURL)
		content, err := s.read(folder, name)
		if err != nil {
			return nil, fmt.Errorf("the index names %s: %w", name, err)
		}
		if s.lastMods[name] = shard.LastMod; content.XMLName.Local != "urlset" {
			return nil, fmt.Errorf("%s is a %q", name, content.XMLName.Local)
		}
		if err := s.add(name, content); err != nil {
			return nil, err
		}
	}
	return s, nil
}

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

// read reads a file to its end, of both the compressed stream and the XML in it.
func (s *set) read(folder, name string) (*document, error) {
	raw, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		return nil, err
	}
	s.files[name] = string(raw)
	plain := raw
	if strings.HasSuffix(name, ".gz") {
		inflated, err := gzip.NewReader(bytes.NewReader(raw))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if plain, err = io.ReadAll(inflated); err != nil { // which checks length and checksum
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	var found document
	decoder := xml.NewDecoder(bytes.NewReader(plain))
	if err := decoder.Decode(&found); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if _, err := decoder.Token(); err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: behind its end: %w", name, err)
	}
	return &found, nil
}

func (s *set) add(name string, shard *document) error {
	if len(shard.Pages) == 0 {
		return fmt.Errorf("%s is empty", name)
	}
	for _, page := range shard.Pages {
		s.locs[page.Loc] = true
	}
	return nil
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

// temps returns the temporary files that the command has left in folders.
func temps(t testing.TB, folders ...string) (left []string) {
	t.Helper()
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if strings.HasPrefix(entry.Name(), ".") {
				left = append(left, entry.Name())
			}
		}
	}
	return left
}

func sorted(names []string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	return names
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
