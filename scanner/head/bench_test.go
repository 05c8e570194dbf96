package head

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// typicalHead is about what a static-site generator writes: 400 bytes.
const typicalHead = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Release notes of March - Example</title>
<meta name="description" content="What is new in this month's release.">
<meta name="robots" content="index, follow">
<link rel="stylesheet" href="/css/main.min.css">
<script defer src="/js/main.min.js"></script>
</head>
<body>
<h1>Release notes</h1>
`

// richHead is what a plugin for search engines adds to it, and 10 KB inline.
var richHead = `<!doctype html>
<html lang="en-GB" prefix="og: https://ogp.me/ns#">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Release notes &amp; more</title>
<meta name="robots" content="index, follow, max-image-preview:large, max-snippet:-1, max-video-preview:-1">
<link rel="canonical" href="https://www.example.com/blog/2026/release-notes/">
<meta property="og:locale" content="en_GB">
<meta property="og:type" content="article">
<meta property="og:title" content="Release notes &amp; more">
<meta property="og:url" content="https://www.example.com/blog/2026/release-notes/">
<meta property="article:published_time" content="2026-03-01T08:00:00+00:00">
<meta property="article:modified_time" content="2026-03-05T09:30:00+00:00">
<meta name="twitter:card" content="summary_large_image">
<link rel="alternate" hreflang="en" href="https://www.example.com/blog/2026/release-notes/">
<link rel="alternate" hreflang="de" href="https://www.example.com/de/blog/2026/release-notes/">
<link rel="alternate" hreflang="fr" href="https://www.example.com/fr/blog/2026/release-notes/">
<link rel="alternate" hreflang="es" href="https://www.example.com/es/blog/2026/release-notes/">
<link rel="alternate" hreflang="x-default" href="https://www.example.com/blog/2026/release-notes/">
<link rel="alternate" type="application/rss+xml" title="Feed" href="/feed/">
<style>` + strings.Repeat(".navigation>li{margin:0 0 1rem;padding:.5rem}\n", 100) + `</style>
<script>` + strings.Repeat("for(var i=0;i<items.length;i++){items[i].hidden=true}\n", 100) + `</script>
</head>
<body>
`

func BenchmarkParse(b *testing.B) {
	for _, page := range []struct{ name, html string }{{"typical", typicalHead}, {"rich", richHead}} {
		b.Run(page.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(page.html)))
			parser := NewParser(allOptions())
			reader := strings.NewReader(page.html)
			for b.Loop() {
				reader.Reset(page.html)
				if _, err := parser.Parse(reader, false); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkHostile reads pages that are made to cost time: bytes a second must
// not depend on the length.
func BenchmarkHostile(b *testing.B) {
	for _, page := range []struct{ name, before, again, after string }{
		{"attributes", "<meta ", "a=b ", ">"},
		{"templates", "", "<template>", ""},
		{"open comments in script", "<script>", "<!--", ""},
		{"scripts in script", "<script><!--", "<script></script>", ""},
		{"dashes", "<!--", "-", ""},
		{"ends of title", "<title>", "</titl", ""},
		{"references", "", "<meta name=url content=&>", ""},
		{"dates", "<meta name=robots content='", "unavailable_after:,", "'>"},
		{"charsets", "<meta http-equiv=content-type content='", "charset ", "'>"},
		{"charsets before spaces", "<meta http-equiv=content-type content='" + strings.Repeat("charset", 15_000), " ", "x'>"},
		{"rel words", "<link href=a rel='", "canonica ", "'>"},
		{"canonicals", "", "<link rel=canonical href=' \xE9'>", ""},
		{"alternates", "", "<link rel=alternate hreflang=a href=b>", ""},
	} {
		for _, length := range []int{DefaultLimit / 8, DefaultLimit - 1} {
			b.Run(fmt.Sprintf("%s/%d", page.name, length), func(b *testing.B) {
				times := max(0, length-len(page.before)-len(page.after)) / len(page.again)
				text := page.before + strings.Repeat(page.again, times) + page.after
				b.SetBytes(int64(len(text)))
				parser := NewParser(allOptions())
				for b.Loop() {
					if _, err := parser.Parse(strings.NewReader(text), false); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkTokenizer shows what only finding the attributes would cost with the
// general tokenizer.
func BenchmarkTokenizer(b *testing.B) {
	for _, page := range []struct{ name, html string }{{"typical", typicalHead}, {"rich", richHead}} {
		b.Run(page.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(page.html)))
			for b.Loop() {
				tokenizer := html.NewTokenizer(strings.NewReader(page.html))
				for tokenizer.Next() != html.ErrorToken {
					name, more := tokenizer.TagName()
					if bytes.Equal(name, []byte("body")) {
						break
					}
					for more {
						_, _, more = tokenizer.TagAttr()
					}
				}
				if err := tokenizer.Err(); err != nil && err != io.EOF {
					b.Fatal(err)
				}
			}
		})
	}
}
