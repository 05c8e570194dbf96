//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"sitewalk/internal/htmlreport"
	"sitewalk/scanner"
)

// focused is what has the focus, in a few words.
const focused = `(document.activeElement.id || document.activeElement.textContent)`

func TestReportPageInABrowser(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	file := writeReport(t, "-c", filepath.FromSlash("../../testdata/site.yaml"))

	t.Run("search finds by path, by URL and by verdict", func(t *testing.T) {
		tab := openPage(t, browser, file, chromedp.EmulateViewport(1280, 900))
		wantValue(t, tab, "document.getElementById('search-status').textContent", "20 files")
		results := "Array.from(document.querySelectorAll('#results .path'), (e) => e.textContent).join()"
		for _, test := range []struct{ query, results string }{
			{"sourdough", "blog/2026/sourdough.html"},
			{"SOUR BLOG", "blog/2026/sourdough.html"},
			{"https://bakery.example/blog/", "blog/2026/sourdough.html,blog/2026/summer-break.html,blog/index.html"},
			{"bakery.example/de/ über", "de/über-uns.html"},
			{"%C3%BCber", "de/über-uns.html"},
			{"/opening hours", "opening hours.html"},
			{"about", "about.html,about.html.bak"},
			{".bak about", "about.html.bak"},
			{"nothing of the kind", ""},
		} {
			act(t, tab, chromedp.Focus("#query"))
			press(t, tab, kb.Escape, test.query)
			wantValue(t, tab, results, test.results)
		}
		press(t, tab, kb.Escape)
		act(t, tab, chromedp.SendKeys("#verdict", "noindex"))
		wantValue(t, tab, results, "thanks.html")
		wantValue(t, tab, "document.querySelector('#results p').textContent", `left out: noindex · line 5: <meta name="robots" content="noindex">`)
		press(t, tab, kb.Escape)
		wantValue(t, tab, "document.querySelector('#verdict').value", "")
		act(t, tab, chromedp.SendKeys("#section", "blog"))
		wantValue(t, tab, "document.getElementById('search-status').textContent", "3 files")
		wantValue(t, tab, "document.querySelector('#results a').href", "https://bakery.example/blog/2026/sourdough.html")
		wantValue(t, tab, "document.querySelector('#results a').rel", "noopener noreferrer")
	})

	t.Run("keys lead everywhere, and the focus can be seen", func(t *testing.T) {
		tab := openPage(t, browser, file, chromedp.EmulateViewport(1280, 900))
		wantValue(t, tab, "document.getElementById('search-status').textContent", "20 files")
		press(t, tab, kb.Tab)
		wantValue(t, tab, focused, "Skip to the report")
		wantValue(t, tab, "document.activeElement.getBoundingClientRect().left >= 0", "true")
		press(t, tab, kb.Enter)
		wantValue(t, tab, focused, "main")

		for range 30 {
			press(t, tab, kb.Tab)
			if evaluate[string](t, tab, focused) == "query" {
				break
			}
		}
		wantValue(t, tab, focused, "query")
		press(t, tab, "blog")
		wantValue(t, tab, "document.getElementById('search-status').textContent", "3 files")
		names := []string{"blog/2026/sourdough.html", "blog/2026/summer-break.html", "blog/index.html"}
		for _, step := range []struct{ key, focused string }{
			{kb.ArrowDown, names[0]}, {kb.ArrowDown, names[1]}, {kb.End, names[2]}, {kb.ArrowDown, names[2]},
			{kb.Home, names[0]}, {kb.ArrowUp, "query"}, {kb.Tab, "verdict"}, {kb.Tab, "section"}, {kb.Tab, names[0]},
			{kb.ArrowDown, names[1]},
		} {
			press(t, tab, step.key)
			wantValue(t, tab, focused, step.focused)
			wantValue(t, tab, "getComputedStyle(document.activeElement).outlineStyle", "solid")
		}
		press(t, tab, kb.Tab)
		wantValue(t, tab, "document.getElementById('results').contains(document.activeElement)", "false")
		act(t, tab, chromedp.Focus("#query"))
		press(t, tab, kb.ArrowDown, kb.Escape)
		wantValue(t, tab, focused, "query")
		wantValue(t, tab, "document.getElementById('query').value + document.getElementById('results').children.length", "0")

		// The folders open by key.
		act(t, tab, chromedp.Focus(".tree details details summary"))
		press(t, tab, kb.Enter)
		wantValue(t, tab, "document.querySelector('.tree details details').open", "true")
	})

	t.Run("without scripts all but the search is there", func(t *testing.T) {
		tab := openPage(t, browser, file, send(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
		text, err := chromedp.Run(tab, chromedp.Text("main"))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"The search needs scripts", "lastmod-uniform", "To mend it:", "sitemap-blog.xml.gz", "noindex", "blog/", "9 pages"} {
			if !strings.Contains(text, want) {
				t.Errorf("the page does not say %q", want)
			}
		}
		if strings.Contains(text, "Path or URL") {
			t.Error("the search is there")
		}
	})

	t.Run("texts contrast, in both themes, and nothing sticks out", func(t *testing.T) {
		for _, theme := range []string{"light", "dark"} {
			for _, width := range []int64{360, 1280} {
				tab := openPage(t, browser, file, chromedp.EmulateViewport(width, 900),
					send(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}}))
				wantValue(t, tab, "document.getElementById('search-status').textContent", "20 files")
				act(t, tab, chromedp.Focus("#query"))
				press(t, tab, "html")
				background := map[string]string{"light": "rgb(255, 255, 255)", "dark": "rgb(21, 24, 28)"}[theme]
				wantValue(t, tab, "getComputedStyle(document.body).backgroundColor", background)
				if pale := evaluate[[]string](t, tab, paleTexts); len(pale) > 0 {
					t.Errorf("%s: these are hard to read: %q", theme, pale)
				}
				if seen := evaluate[int](t, tab, "document.documentElement.scrollWidth"); seen > int(width) {
					t.Errorf("%s: the page is %d wide, in a window of %d", theme, seen, width)
				}
			}
		}
	})
}

// paleTexts returns the texts of a page whose contrast is below 4.5.
// https://www.w3.org/TR/WCAG22/#contrast-minimum
const paleTexts = `(() => {
	const parts = (color) => color.match(/[\d.]+/g).map(Number);
	const luminance = (color) => {
		const [r, g, b] = parts(color).map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const background = (element) => {
		for (; element; element = element.parentElement) {
			const color = getComputedStyle(element).backgroundColor;
			if (parts(color).length === 3) {
				return color;
			}
		}
		return "rgb(255, 255, 255)";
	};
	const pale = [];
	for (const element of document.body.querySelectorAll("*")) {
		const own = Array.from(element.childNodes).filter((node) => node.nodeType === 3 && node.data.trim() !== "");
		if (own.length === 0 || ["SCRIPT", "NOSCRIPT", "title", "desc"].includes(element.tagName)) {
			continue;
		}
		const [a, b] = [luminance(getComputedStyle(element).color), luminance(background(element))].sort((a, b) => b - a);
		if ((a + 0.05) / (b + 0.05) < 4.5) {
			pale.push(element.textContent);
		}
	}
	return pale;
})()`

func TestReportPageOfHostileNamesInABrowser(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	docroot := publicDir(t)
	names := []string{
		`<img src=x onerror=alert(1)>.html`, `"onmouseover="alert(1).html`, `javascript:alert(1).html`, "a\u202egpj.html", "b\xff\n.html",
		`c\n.html`, "<script>alert(1)<\\script>.html", strings.Repeat("d", 250) + ".bak", "<b>/<i>.html", "שלום.html", "{{.}}.html", "e\u0301.html",
	}
	writePages(t, docroot, names...)
	writeFile(t, filepath.Join(docroot, "no.html"), `<meta name=robots content="noindex <script>alert(1)</script>">`)
	tab := openPage(t, browser, writeReport(t, "--docroot", docroot, "--base-url", "https://hostile.example/"), chromedp.EmulateViewport(360, 900))
	wantValue(t, tab, "document.getElementById('search-status').textContent", "13 files")
	act(t, tab, chromedp.Focus("#query"))
	press(t, tab, "/")
	wantValue(t, tab, "document.getElementById('results').children.length", "13")
	shown := evaluate[[]string](t, tab, "Array.from(document.querySelectorAll('#results .path'), (e) => e.textContent)")
	want := slices.Clone(names)
	want[3], want[4], want[5], want[6] = `a\u202egpj.html`, `b\xff\n.html`, `c\\n.html`, `<script>alert(1)<\\script>.html`
	for _, name := range append(want, "no.html") {
		if !slices.Contains(shown, name) {
			t.Errorf("%q is not among %q", name, shown)
		}
	}
	wantValue(t, tab, "document.images.length + document.querySelectorAll('#results *:not(li, a, span, p)').length", "0")
	wantValue(t, tab, "Array.from(document.querySelectorAll('#results a')).every((a) => a.href.startsWith('https://hostile.example/'))", "true")
	if seen := evaluate[int](t, tab, "document.documentElement.scrollWidth"); seen > 360 {
		t.Errorf("the page is %d wide, in a window of 360", seen)
	}
	press(t, tab, kb.Escape, "\u00c9.HTML") // in one character, and the name has it in two
	wantValue(t, tab, "document.querySelector('#results .path').textContent.length", "7")
}

// largeReport writes the report of a site of a number of pages that is nowhere on disk.
func largeReport(t *testing.T, pages int) (file string, paths []string) {
	t.Helper()
	document := htmlreport.New("https://www.example.com/")
	words := strings.Fields("bread rolls sourdough summer opening hours about thing notes from the bakery wedding cakes prices")
	for i := range pages {
		path := fmt.Sprintf("part-%03d/%s-%s-%d/index.html", i/1000, words[i%len(words)], words[i/7%len(words)], i)
		f := htmlreport.File{Path: path, URL: "https://www.example.com/" + strings.TrimSuffix(path, "index.html"), Section: "pages"}
		f.LastMod = firstDate.Add(time.Duration(i) * time.Hour).Format(time.RFC3339)
		if i%20 == 0 {
			f.Verdict, f.Detail = scanner.NoIndex, `line 5: <meta name="robots" content="noindex">`
		}
		document.Add(&f)
		paths = append(paths, path)
	}
	file = filepath.Join(publicDir(t), "report.html")
	to, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	if err := document.Write(to, &htmlreport.Site{BaseURL: "https://www.example.com/", Docroot: "public", Time: firstDate, MaxURLs: 1, MaxBytes: 1}); err != nil {
		t.Fatal(err)
	}
	return file, paths
}

func TestSearchOverAHundredThousandPagesIsQuick(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	file, paths := largeReport(t, 100_000)
	tab := openPage(t, browser, file, chromedp.EmulateViewport(1280, 900))
	wantValue(t, tab, "document.getElementById('search-status').textContent", "100,000 files")
	// How long the page is busy with a keystroke: search, results and layout. The best
	// of five rounds counts, and of more where these are slow, so that what else runs on
	// the machine does not.
	times := evaluate[[]float64](t, tab, `(() => {
		const query = document.getElementById("query"), times = [], begun = performance.now();
		const slow = () => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] > 50;
		for (let round = 0; round < 5 || slow() && performance.now() - begun < 30_000; round++) {
			let stroke = 0;
			for (const text of ["sourdough summer 9", "index.html part-09", "e", "no such page", "wedding-prices-99"]) {
				for (let i = 1; i <= text.length; i++, stroke++) {
					const start = performance.now();
					query.value = text.slice(0, i);
					query.dispatchEvent(new Event("input"));
					document.getElementById("results").getBoundingClientRect();
					times[stroke] = Math.min(times[stroke] ?? Infinity, performance.now() - start);
				}
			}
		}
		return times;
	})()`)
	slices.Sort(times)
	median, most, longest := times[len(times)/2], times[len(times)*95/100], times[len(times)-1]
	t.Logf("%d keystrokes: median %.1f ms, 95 %% within %.1f ms, longest %.1f ms", len(times), median, most, longest)
	if most > 50 {
		t.Errorf("of a hundred keystrokes, five take more than %.1f ms", most)
	}
	found := 0
	for _, path := range paths {
		if strings.Contains(path, "wedding-prices-99") {
			found++
		}
	}
	wantValue(t, tab, "document.getElementById('search-status').textContent", fmt.Sprint(found, " files"))
	act(t, tab, chromedp.Focus("#query"))
	press(t, tab, kb.Escape, "index")
	wantValue(t, tab, "document.getElementById('search-status').textContent", "100,000 files; the first 200 are shown")
	wantValue(t, tab, "document.getElementById('results').children.length", "200")
}
