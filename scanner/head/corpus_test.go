package head

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/text/encoding/htmlindex"
)

var update = flag.Bool("update", false, "write what the pages of the corpus say into it")

// corpusCase is a page and what it says.
//
// The corpus is the txtar archives in testdata. A page is a file NAME.html or,
// served as XHTML, NAME.xhtml; what it says is in NAME.want. A page may begin
// with lines that are not part of it:
//
//	%encode NAME     the page is in this encoding; utf-16le-bom and utf-16be-bom begin with a mark
//	%limit N         Options.Limit
//	%images          Options.Images
//	%evidence        Options.Evidence
//
// In it, %{repeat N TEXT} stands for TEXT N times, in which a # is the number of
// the time, and %{hex 00 FF} for bytes, after all else is encoded.
type corpusCase struct {
	name    string
	page    []byte
	xml     bool
	options Options
	want    string
}

// minCorpus is how many cases there must be at least.
const minCorpus = 150

func readCorpus(t testing.TB) []corpusCase {
	t.Helper()
	entries, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	var cases []corpusCase
	for _, entry := range entries {
		if entry.Name() == "fuzz" || entry.Name() == "rapid" { // findings of those tests
			continue
		}
		if filepath.Ext(entry.Name()) != ".txtar" {
			t.Fatalf("testdata/%s is no archive of cases", entry.Name())
		}
		cases = append(cases, readArchive(t, entry.Name())...)
	}
	return cases
}

func readArchive(t testing.TB, name string) (cases []corpusCase) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.Files)%2 != 0 || len(archive.Files) == 0 {
		t.Fatalf("testdata/%s: not every page has a want, or not every want a page", name)
	}
	for i := 0; i < len(archive.Files); i += 2 {
		page, want := archive.Files[i], archive.Files[i+1]
		base, extension, _ := strings.Cut(page.Name, ".")
		if extension != "html" && extension != "xhtml" || want.Name != base+".want" {
			t.Fatalf("testdata/%s: %s and %s are no page and what it says", name, page.Name, want.Name)
		}
		c := corpusCase{name: strings.TrimSuffix(name, ".txtar") + "/" + base, xml: extension == "xhtml", options: allOptions(), want: string(want.Data)}
		c.page = c.build(t, string(page.Data))
		cases = append(cases, c)
	}
	return cases
}

var (
	repeatDirective = regexp.MustCompile(`%\{repeat (\d+) ([^}]*)\}`)
	hexDirective    = regexp.MustCompile(`%\{hex ([0-9A-F ]+)\}`)
)

// build obeys the directives of a page.
func (c *corpusCase) build(t testing.TB, text string) []byte {
	t.Helper()
	encodeTo := ""
	for strings.HasPrefix(text, "%") && !strings.HasPrefix(text, "%{") {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		directive, argument, _ := strings.Cut(line, " ")
		switch directive {
		case "%encode":
			encodeTo = argument
		case "%limit":
			limit, err := strconv.ParseInt(argument, 10, 64)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			c.options.Limit = limit
		case "%images":
			c.options.Images = true
		case "%evidence":
			c.options.Evidence = allFacts
		default:
			t.Fatalf("%s: %q is no directive", c.name, line)
		}
	}
	text = repeatDirective.ReplaceAllStringFunc(text, func(directive string) string {
		match := repeatDirective.FindStringSubmatch(directive)
		times, err := strconv.Atoi(match[1])
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var repeated strings.Builder
		for i := range times {
			repeated.WriteString(strings.ReplaceAll(match[2], "#", strconv.Itoa(i)))
		}
		return repeated.String()
	})
	page := []byte(text)
	if encodeTo != "" {
		page = encodePage(t, encodeTo, text)
	}
	return hexDirective.ReplaceAllFunc(page, func(directive []byte) []byte {
		var raw []byte
		for _, digits := range strings.Fields(string(hexDirective.FindSubmatch(directive)[1])) {
			b, err := strconv.ParseUint(digits, 16, 8)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			raw = append(raw, byte(b))
		}
		return raw
	})
}

func encodePage(t testing.TB, name, text string) []byte {
	t.Helper()
	label, marked := strings.CutSuffix(name, "-bom")
	if marked {
		text = "\uFEFF" + text
	}
	to, err := htmlindex.Get(label)
	if err != nil {
		t.Fatalf("encode %s: %v", name, err)
	}
	page, err := to.NewEncoder().Bytes([]byte(text))
	if err != nil {
		t.Fatalf("encode %s: %v", name, err)
	}
	return page
}

// describe writes what a head says in the form of the corpus: a line for each
// fact, and nothing for what is not said.
func describe(h *Head) string {
	var out strings.Builder
	line := func(said bool, format string, args ...any) {
		if said {
			fmt.Fprintln(&out, strings.TrimRight(fmt.Sprintf(format, args...), " "))
		}
	}
	line(h.NoIndex, "noindex")
	line(h.Expires != 0, "expires %s", time.Unix(h.Expires, 0).UTC().Format(time.RFC3339))
	line(h.ResourceType != "", "resource-type %s", h.ResourceType)
	line(h.Base != "", "base %s", h.Base)
	for _, canonical := range h.Canonicals {
		line(true, "canonical %s", canonical)
	}
	line(h.HasRefresh, "refresh %s", h.Refresh)
	line(h.HasURLMeta, "url %s", h.URLMeta)
	layout := time.RFC3339
	if h.ModifiedDateOnly {
		layout = time.DateOnly
	}
	line(h.Modified != 0, "modified %s", time.Unix(h.Modified, 0).UTC().Format(layout))
	line(h.Language != "", "language %s", h.Language)
	line(h.DocumentState != "", "document-state %s", h.DocumentState)
	line(h.RevisitAfter != "", "revisit-after %s", h.RevisitAfter)
	for i, alternate := range h.Alternates {
		line(i < 3, "alternate %s %s", alternate.Language, alternate.Href)
		line(i == 3, "alternates %d", len(h.Alternates))
	}
	for i, image := range h.Images {
		line(i < 3, "image %s", image)
		line(i == 3, "images %d", len(h.Images))
	}
	line(h.Truncated, "truncated")
	for _, e := range h.Evidence {
		line(true, "line %d: %s", e.Line, e.Tag)
	}
	return out.String()
}

func TestCorpus(t *testing.T) {
	if *update {
		updateCorpus(t)
	}
	cases := readCorpus(t)
	if len(cases) < minCorpus {
		t.Errorf("%d cases, want at least %d", len(cases), minCorpus)
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			parser := NewParser(c.options)
			h := mustParse(t, parser, bytes.NewReader(c.page), c.xml)
			if got := describe(h); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
			if reference := referenceParse(c.page, c.options, c.xml); !sameHead(h, reference) {
				t.Errorf("got %+v\nreference %+v", *h, *reference)
			}
		})
	}
}

// updateCorpus writes the wants anew.
func updateCorpus(t *testing.T) {
	t.Helper()
	wants := map[string]string{}
	for _, c := range readCorpus(t) {
		wants[c.name] = describe(mustParse(t, NewParser(c.options), bytes.NewReader(c.page), c.xml))
	}
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range archive.Files {
			if base, ok := strings.CutSuffix(archive.Files[i].Name, ".want"); ok {
				archive.Files[i].Data = []byte(wants[strings.TrimSuffix(filepath.Base(name), ".txtar")+"/"+base])
			}
		}
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestChunkingMakesNoDifference reads every page a byte at a time, and cut in two
// all along.
func TestChunkingMakesNoDifference(t *testing.T) {
	for _, c := range readCorpus(t) {
		c.options.Evidence = allFacts
		parser := NewParser(c.options)
		want := describe(mustParse(t, parser, bytes.NewReader(c.page), c.xml))
		check := func(sizes ...int) {
			if got := describe(mustParse(t, parser, &chunks{rest: c.page, sizes: sizes}, c.xml)); got != want {
				t.Errorf("%s: in chunks of %d:\n%swant\n%s", c.name, sizes, got, want)
			}
		}
		check(1)
		// Every place of a page of usual size, and a few of a long one.
		step := 1 + len(c.page)/500
		if len(c.page) > 16<<10 {
			step = len(c.page)/4 + 1
		}
		for first := 1; first < len(c.page); first += step {
			check(first, len(c.page))
		}
	}
}
