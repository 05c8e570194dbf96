package sitewalk

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"
	"pgregory.net/rapid"

	"sitewalk/mapper"
	"sitewalk/output"
)

// pageOf returns a path for the page of a key.
func pageOf(key uint64) string { return fmt.Sprintf("p%d.html", key) }

func bookOf(links []pageLink) *linkBook {
	book := new(linkBook)
	for _, link := range links {
		book.add(link, "", pageOf(link.from))
	}
	return book
}

func TestLinksWantOneBack(t *testing.T) {
	for _, test := range []struct {
		name  string
		links []pageLink
		count int64
		paths []string
	}{
		{"none", nil, 0, nil},
		{"a pair", []pageLink{{1, 2}, {2, 1}}, 0, nil},
		{"one way", []pageLink{{1, 2}}, 1, []string{"p1.html"}},
		{"one way, downwards", []pageLink{{2, 1}}, 1, []string{"p2.html"}},
		{"one way, twice", []pageLink{{1, 2}, {1, 2}}, 1, []string{"p1.html"}},
		{"a ring", []pageLink{{1, 2}, {2, 3}, {3, 1}}, 3, []string{"p1.html", "p2.html", "p3.html"}},
		{"two of one page", []pageLink{{5, 2}, {5, 3}}, 2, []string{"p5.html"}},
		{"a full set and one more", []pageLink{{1, 2}, {1, 3}, {2, 1}, {2, 3}, {3, 1}, {3, 2}, {3, 4}}, 1, []string{"p3.html"}},
	} {
		count, paths := bookOf(test.links).left()
		if count != test.count || !slices.Equal(paths, test.paths) {
			t.Errorf("%s: got %d, %q, want %d, %q", test.name, count, paths, test.count, test.paths)
		}
	}
}

func TestOneWayLinksAreFoundInAnyOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var links []pageLink
		for _, n := range rapid.SliceOfNDistinct(rapid.IntRange(0, 99), 0, 60, rapid.ID[int]).Draw(rt, "links") {
			if link := (pageLink{uint64(n / 10), uint64(n % 10)}); link.from != link.to {
				links = append(links, link)
			}
		}
		var want []string
		count := int64(0)
		for _, link := range links {
			if !slices.Contains(links, pageLink{link.to, link.from}) {
				count++
				want = append(want, pageOf(link.from))
			}
		}
		slices.Sort(want)
		want = slices.Compact(want)
		for range 2 {
			got, paths := bookOf(links).left()
			if got != count || !slices.Equal(paths, want[:min(len(want), maxExamples)]) {
				rt.Fatalf("%v: got %d, %q, want %d, %q", links, got, paths, count, want)
			}
			slices.Reverse(links)
		}
	})
}

func TestManyOneWayLinksAreSampled(t *testing.T) {
	const links = 5 * maxOpenLinks
	var book linkBook
	key := func(i uint64) uint64 { return xxhash.Sum64String(pageOf(i)) }
	for i := range uint64(links) {
		book.add(pageLink{key(2 * i), key(2*i + 1)}, "", "p.html")
		if len(book.open) > maxOpenLinks {
			t.Fatalf("%d links are remembered", len(book.open))
		}
	}
	if count, paths := book.left(); count < links*9/10 || count > links*11/10 || !slices.Equal(paths, []string{"p.html"}) {
		t.Errorf("about %d links of %d are found, of %q", count, links, paths)
	}
	// Those that are led back, wherever the sampling began, are none of them.
	for i := range uint64(links) {
		book.add(pageLink{key(2*i + 1), key(2 * i)}, "", "q.html")
	}
	if count, paths := book.left(); count != 0 {
		t.Errorf("about %d links are left, of %q", count, paths)
	}
}

func TestOnlyLinksToOtherPagesOfTheSiteCount(t *testing.T) {
	config := mapper.DefaultConfig()
	config.BaseURL = "https://h.test/"
	m, err := mapper.New(config, mapper.Options{Now: func() int64 { return 1 }})
	if err != nil {
		t.Fatal(err)
	}
	key := func(loc string) uint64 {
		key, ok := m.Key(loc)
		if !ok {
			t.Fatalf("%s has no key", loc)
		}
		return key
	}
	w := &batchWorker{builder: &builder{mapper: m}}
	result := batchResult{links: []pageLink{{key("https://h.test/en/"), key("https://h.test/de/")}}} // of the page before
	w.link(&result, &mapper.Page{Page: output.Page{
		Loc: []byte("https://h.test/en/"),
		Alternates: []output.Alternate{
			{Lang: "en", Loc: "https://h.test/en/"},
			{Lang: "x-default", Loc: "https://h.test/en"},
			{Lang: "de", Loc: "https://h.test/de/"},
			{Lang: "de-AT", Loc: "http://h.test/de"},
			{Lang: "fr", Loc: "https://fr.h.test/"},
			{Lang: "it", Loc: "https://h.test/it.html"},
		},
	}})
	want := []pageLink{{key("https://h.test/en/"), key("https://h.test/de/")}, {key("https://h.test/en/"), key("https://h.test/it/")}}
	if !slices.Equal(result.links[1:], want) {
		t.Errorf("got %v, want %v", result.links[1:], want)
	}
}
