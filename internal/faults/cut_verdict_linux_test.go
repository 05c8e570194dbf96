package faults

import (
	"errors"
	"fmt"
	"slices"
)

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
	index, robots := found["sitemap.xml"], found[robotsName]
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
	if !slices.ContainsFunc(generations[told:], func(g cutGeneration) bool { return g.files[robotsName] == robots }) {
		return 0, fmt.Errorf("%w: %s", errCutOld, robotsName)
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
