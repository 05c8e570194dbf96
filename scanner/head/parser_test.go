package head

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

func TestTypicalPageAllocatesNothing(t *testing.T) {
	parser := NewParser(allOptions())
	reader := strings.NewReader(typicalHead)
	allocations := testing.AllocsPerRun(100, func() {
		reader.Reset(typicalHead)
		mustParse(t, parser, reader, false)
	})
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}

// counter counts what is read of a page.
type counter struct {
	source       io.Reader
	reads, bytes int
}

func (c *counter) Read(into []byte) (int, error) {
	n, err := c.source.Read(into)
	c.reads++
	c.bytes += n
	return n, err
}

func TestShortHeadTakesOneRead(t *testing.T) {
	reader := &counter{source: strings.NewReader(typicalHead)}
	mustParse(t, NewParser(allOptions()), reader, false)
	if reader.reads != 1 {
		t.Errorf("%d reads", reader.reads)
	}
}

func TestLimitBoundsWhatIsRead(t *testing.T) {
	const limit = 10_000
	long := strings.Repeat("<meta name=x>", 100_000)
	tests := []struct {
		name   string
		page   string
		images bool
		most   int
	}{
		{"utf-8", long, false, limit + 1},
		{"utf-16", "\xFF\xFE" + strings.Join(strings.Split(long, ""), "\x00") + "\x00", false, firstRead + 2*(limit+1)},
		{"iso-2022-jp", "<meta charset=iso-2022-jp>" + strings.Repeat("\x1B(B", 100_000), false, limit + 1 + 2*(limit+1)},
		{"images", "</head>" + strings.Repeat(long, 16), true, MaxImageBytes},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			options := allOptions()
			options.Limit = limit
			options.Images = test.images
			reader := &counter{source: strings.NewReader(test.page)}
			mustParse(t, NewParser(options), reader, false)
			if reader.bytes <= limit || reader.bytes > test.most {
				t.Errorf("%d bytes read, want more than %d and at most %d", reader.bytes, limit, test.most)
			}
		})
	}
}

func TestLimitHasDefaultAndMinimum(t *testing.T) {
	for _, test := range []struct{ limit, want int64 }{{0, DefaultLimit}, {-1, minLimit}, {1, minLimit}, {1 << 40, maxLimit}} {
		if got := int64(NewParser(Options{Limit: test.limit}).limit); got != test.want {
			t.Errorf("limit %d: got %d, want %d", test.limit, got, test.want)
		}
	}
}

func TestZeroOptionsWork(t *testing.T) {
	page := `<html lang=en><meta name=robots content=noindex><meta name=date content=2026-01-01><link rel=canonical href=/a></head><img src=a>`
	h := mustParse(t, NewParser(Options{}), strings.NewReader(page), false)
	if got, want := describe(h), "canonical /a\nlanguage en\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestErrorOfReaderIsReturned(t *testing.T) {
	broken := errors.New("disk on fire")
	pages := map[string]string{
		"at once":          "",
		"within the head":  "<head><meta name=robots content=noindex>",
		"within UTF-16":    "\xFF\xFE<\x00",
		"within the body":  "<head></head><img src=a.png>",
		"within much text": "<title>" + strings.Repeat("x", 3*firstRead),
	}
	for name, page := range pages {
		options := allOptions()
		options.Images = true
		reader := io.MultiReader(strings.NewReader(page), iotest.ErrReader(broken))
		if h, err := NewParser(options).Parse(reader, false); err != broken || h != nil {
			t.Errorf("%s: got %v, %v", name, h, err)
		}
	}
}

func TestEndOfPageMayComeWithItsLastBytes(t *testing.T) {
	for _, page := range []string{"", "<", typicalHead, richHead} {
		parser := NewParser(allOptions())
		want := describe(mustParse(t, parser, strings.NewReader(page), false))
		got := describe(mustParse(t, parser, iotest.DataErrReader(strings.NewReader(page)), false))
		if got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	}
}

type emptyReader struct{}

func (emptyReader) Read([]byte) (int, error) { return 0, nil }

func TestReaderThatGivesNothingIsLeft(t *testing.T) {
	if _, err := NewParser(allOptions()).Parse(emptyReader{}, false); err != io.ErrNoProgress {
		t.Errorf("got %v", err)
	}
}

// TestParserForgetsTheLastPage reads all pages with one parser, in two orders.
func TestParserForgetsTheLastPage(t *testing.T) {
	options := allOptions()
	options.Images, options.Evidence = true, allFacts
	used := NewParser(options)
	cases := readCorpus(t)
	for _, i := range append(rangeOf(0, len(cases), 1), rangeOf(len(cases)-1, -1, -1)...) {
		c := cases[i]
		want := mustParse(t, NewParser(options), bytes.NewReader(c.page), c.xml)
		got := mustParse(t, used, bytes.NewReader(c.page), c.xml)
		if !sameHead(got, want) || len(got.Evidence) > 0 && !reflect.DeepEqual(got.Evidence, want.Evidence) {
			t.Errorf("%s: got\n%swant\n%s", c.name, describe(got), describe(want))
		}
	}
}

func rangeOf(from, to, step int) (list []int) {
	for i := from; i != to; i += step {
		list = append(list, i)
	}
	return list
}

func TestHugeBuffersAreNotKept(t *testing.T) {
	options := allOptions()
	options.Images = true
	parser := NewParser(options)
	page := "<body><!--" + strings.Repeat("x", 3<<20) + "--><img src=a.png>"
	h := mustParse(t, parser, strings.NewReader(page), false)
	if len(h.Images) != 1 {
		t.Errorf("images %q", h.Images)
	}
	if kept := cap(parser.page.data); kept > maxKept {
		t.Errorf("%d bytes kept", kept)
	}
}

func TestImagesEndAtTheirBound(t *testing.T) {
	options := allOptions()
	options.Images = true
	const image = "<img src=a.png>"
	for _, beyond := range []int{0, 1} {
		const start = "<body>"
		page := start + strings.Repeat(" ", MaxImageBytes-len(start)-len(image)+beyond) + image
		h := mustParse(t, NewParser(options), strings.NewReader(page), false)
		if got, want := len(h.Images), 1-beyond; got != want {
			t.Errorf("%d bytes beyond the bound: %d images, want %d", beyond, got, want)
		}
	}
}

func TestImagesStandBehindTheLongestHead(t *testing.T) {
	options := allOptions()
	options.Images = true
	options.Limit = 2 * maxLimit
	for _, beyond := range []int{0, 1} {
		const start, end = "<title>", "</title><body>"
		page := start + strings.Repeat(" ", maxLimit-len(start)-len(end)+beyond) + end + "<img src=a.png>"
		if h := mustParse(t, NewParser(options), strings.NewReader(page), false); len(h.Images) != 1 || h.Truncated != (beyond > 0) {
			t.Errorf("%d bytes beyond the bound: images %q, truncated %v", beyond, h.Images, h.Truncated)
		}
	}
}

// pieces of which pages are made that are nearly right: any order of them is
// likely to be in the middle of something.
var pieces = []string{
	"<", ">", "/", "</", "/>", "<!--", "-->", "--!>", "--", "-", "!", "<!", "<?", "=", `"`, "'", " ", "\n", "\x00", "a", "&", "&amp;", "&#x6e;", ";",
	"<script", "</script", "<script>", "</script>", "<style>", "</style>", "<title>", "</title", "</title>", "<noscript>", "</noscript>",
	"<template>", "</template>", "<template", "<head>", "</head>", "<html lang=en>", "<body>", "<p>", "<svg>", "<plaintext>", "<textarea>", "</textarea>",
	"<meta", "<meta name=robots content=noindex>", "<meta charset=gbk>", "<meta charset=windows-1251>", "<meta charset=utf-8>",
	" name=", " content=", " http-equiv=", " property=", "robots", "noindex", "none,", "refresh", "0;url=/a", "unavailable_after: ", "2026-01-01", ",",
	"article:modified_time", "date", "<link", " rel=", " href=", " hreflang=", " media=", "canonical", "alternate", "<base", "<img src=", "<img",
	"\xE9", "\xC3\xA9", "\x81", "\x40", "\xEF\xBB\xBF",
}

func TestPagesOfPiecesReadAsTheReferenceSays(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		chosen := rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 40).Draw(rt, "pieces")
		xml := rapid.Bool().Draw(rt, "xml")
		limit := rapid.SampledFrom([]int64{0, 0, 50, 90}).Draw(rt, "limit")
		size := rapid.IntRange(1, 20).Draw(rt, "size")
		checkPage(rt, []byte(strings.Join(chosen, "")), xml, limit, size)
	})
}
