package faults

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// cutRobots is the file beside a set in which a line names it.
const cutRobots = "robots.txt"

// isCutTemp reports whether a file is one that the command gives another name later.
func isCutTemp(name string) bool { return strings.HasPrefix(name, ".sitewalk-") }

// readCutFolder returns the files of a set in a folder, robots.txt among them, and the
// names of temporary files.
func readCutFolder(folder string) (files map[string]string, temps []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, nil, err
	}
	files = map[string]string{}
	for _, entry := range entries {
		name := entry.Name()
		switch {
		case isCutTemp(name):
			temps = append(temps, name)
		case name == cutRobots || strings.HasPrefix(name, "sitemap"):
			content, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				return nil, nil, err
			}
			files[name] = string(content)
		}
	}
	return files, temps, nil
}

// cutElement is an index, a shard, or an entry of one.
type cutElement struct {
	XMLName  xml.Name
	Sitemaps []struct {
		Loc string `xml:"loc"`
	} `xml:"sitemap"`
	Pages []struct {
		Loc string `xml:"loc"`
	} `xml:"url"`
}

// namedShards returns the names of the shards that an index names, in its order.
func namedShards(index string) ([]string, error) {
	var parsed cutElement
	if err := xml.Unmarshal([]byte(index), &parsed); err != nil {
		return nil, fmt.Errorf("the index is torn: %w: %.80q", err, index)
	}
	if parsed.XMLName.Local != "sitemapindex" || len(parsed.Sitemaps) == 0 {
		return nil, fmt.Errorf("the index names nothing: %.80q", index)
	}
	var names []string
	for _, entry := range parsed.Sitemaps {
		names = append(names, path.Base(entry.Loc))
	}
	return names, nil
}

// shardPages returns the URLs that a shard lists.
func shardPages(name, content string) ([]string, error) {
	plain := []byte(content)
	if strings.HasSuffix(name, ".gz") {
		inflated, err := gzip.NewReader(strings.NewReader(content))
		if err == nil {
			plain, err = io.ReadAll(inflated)
		}
		if err != nil {
			return nil, fmt.Errorf("%s is torn, %d bytes: %w", name, len(content), err)
		}
	}
	var parsed cutElement
	if err := xml.Unmarshal(plain, &parsed); err != nil {
		return nil, fmt.Errorf("%s is torn: %w", name, err)
	}
	if len(parsed.Pages) == 0 || !bytes.HasSuffix(bytes.TrimSpace(plain), []byte("</urlset>")) {
		return nil, fmt.Errorf("%s lists nothing", name)
	}
	var locs []string
	for _, page := range parsed.Pages {
		locs = append(locs, page.Loc)
	}
	return locs, nil
}

// A cutGeneration is a set as it was published, and robots.txt.
type cutGeneration struct {
	files map[string]string
	since int // the moment from which it was told to be there
}

// The ways in which a set can be broken.
var (
	errCutTorn  = errors.New("torn")
	errCutNamed = errors.New("named and missing")
	errCutOld   = errors.New("older than what was told to be published")
	errCutMixed = errors.New("index newer than a shard")
)

// cutVerdict says what is wrong with the files that were found after a cut at a moment,
// where the sets that had been published by then, and later, are known: each file must
// be that of some set, byte for byte, and the index and its shards no older than the
// last set that somebody was told of. It returns the number of the index's set.
func cutVerdict(found map[string]string, generations []cutGeneration, moment int) (set int, err error) {
	for name, content := range found {
		if !slices.ContainsFunc(generations, func(g cutGeneration) bool { return g.files[name] == content && content != "" }) {
			return 0, fmt.Errorf("%w: %s, %d bytes, is of no set", errCutTorn, name, len(content))
		}
	}
	told := 0
	for i, g := range generations {
		if g.since <= moment {
			told = i
		}
	}
	index, robots := found["sitemap.xml"], found[cutRobots]
	if index == "" && generations[told].files["sitemap.xml"] == "" {
		return told, nil // the first set has only begun to be put in place
	}
	names, err := namedShards(index)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errCutTorn, err)
	}
	for _, name := range names {
		content, there := found[name]
		if !there {
			return 0, fmt.Errorf("%w: %s", errCutNamed, name)
		}
		if _, err := shardPages(name, content); err != nil {
			return 0, fmt.Errorf("%w: %w", errCutTorn, err)
		}
	}
	if !slices.ContainsFunc(generations[told:], func(g cutGeneration) bool { return g.files["sitemap.xml"] == index }) {
		return 0, fmt.Errorf("%w: the index", errCutOld)
	}
	if !slices.ContainsFunc(generations[told:], func(g cutGeneration) bool { return g.files[cutRobots] == robots }) {
		return 0, fmt.Errorf("%w: %s", errCutOld, cutRobots)
	}
	for i := told; i < len(generations); i++ {
		later := generations[i:]
		if later[0].files["sitemap.xml"] == index && !slices.ContainsFunc(names, func(name string) bool {
			return !slices.ContainsFunc(later, func(g cutGeneration) bool { return g.files[name] == found[name] })
		}) {
			return i, nil
		}
	}
	return 0, errCutMixed
}
