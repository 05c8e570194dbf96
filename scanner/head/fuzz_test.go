package head

import (
	"bytes"
	"io"
	"reflect"
	"testing"
	"unicode"
	"unicode/utf8"
)

// chunks reads the sizes in turn, over and over, so that tags lie across the
// end of what is in memory.
type chunks struct {
	rest  []byte
	sizes []int
	turn  int
}

func (c *chunks) Read(into []byte) (int, error) {
	if len(c.rest) == 0 {
		return 0, io.EOF
	}
	size := min(c.sizes[c.turn%len(c.sizes)], len(c.rest), len(into))
	c.turn++
	copy(into, c.rest[:size])
	c.rest = c.rest[size:]
	return size, nil
}

func mustParse(t tester, parser *Parser, r io.Reader, xml bool) *Head {
	t.Helper()
	h, err := parser.Parse(r, xml)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// sameHead reports whether two heads say the same, evidence apart.
func sameHead(a, b *Head) bool {
	x, y := *a, *b
	for _, h := range []*Head{&x, &y} {
		h.Evidence = nil
		if len(h.Canonicals) == 0 {
			h.Canonicals = nil
		}
		if len(h.Alternates) == 0 {
			h.Alternates = nil
		}
		if len(h.Images) == 0 || h.Truncated {
			h.Images = nil
		}
	}
	return reflect.DeepEqual(x, y)
}

// tester is what testing.T and rapid.T have in common.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func checkEvidence(t tester, h *Head) {
	t.Helper()
	for _, e := range h.Evidence {
		if e.Line < 1 || e.Tag == "" || len(e.Tag) > MaxEvidenceBytes || !utf8.ValidString(e.Tag) {
			t.Errorf("evidence %+v", e)
		}
		for _, r := range e.Tag {
			if !unicode.IsPrint(r) {
				t.Errorf("evidence %q", e.Tag)
			}
		}
	}
}

const allFacts Facts = 1<<(FactImage+1) - 1

// checkPage parses a page in several ways, all of which must agree with the
// reference.
func checkPage(t tester, page []byte, xml bool, limit int64, size int) {
	t.Helper()
	options := allOptions()
	options.Images = true
	options.Limit = limit
	want := referenceParse(page, options, xml)
	parser := NewParser(options)
	if got := mustParse(t, parser, bytes.NewReader(page), xml); !sameHead(got, want) {
		t.Fatalf("page %q, xml %v, limit %d:\n got %+v\nwant %+v", page, xml, limit, *got, *want)
	}
	if got := mustParse(t, parser, &chunks{rest: page, sizes: []int{size, 1}}, xml); !sameHead(got, want) {
		t.Fatalf("page %q, xml %v, limit %d, in chunks of %d:\n got %+v\nwant %+v", page, xml, limit, size, *got, *want)
	}
	options.Evidence = allFacts
	got := mustParse(t, NewParser(options), bytes.NewReader(page), xml)
	if !sameHead(got, want) {
		t.Fatalf("page %q, xml %v, limit %d, with evidence:\n got %+v\nwant %+v", page, xml, limit, *got, *want)
	}
	checkEvidence(t, got)
	if text := describe(got); !utf8.ValidString(text) {
		t.Fatalf("page %q: not UTF-8: %q", page, text)
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range readCorpus(f) {
		if len(c.page) <= 8<<10 {
			f.Add(c.page, c.xml, uint16(0), uint8(7))
		}
	}
	for _, page := range oddPages {
		f.Add([]byte(page), false, uint16(0), uint8(1))
		f.Add([]byte(page), true, uint16(100), uint8(3))
	}
	f.Fuzz(func(t *testing.T, page []byte, xml bool, limit uint16, size uint8) {
		var bound int64
		if limit != 0 {
			bound = max(int64(limit), minLimit)
		}
		checkPage(t, page, xml, bound, int(size)+1)
	})
}

// oddPages are too broken, or too small, to be worth a place in the corpus.
var oddPages = []string{
	"", "<", "</", "<!", "<?", "<!-", "<!--", "<!-->", "<!--->", "<!---", "</>", "<a", "\x00", "\xEF\xBB\xBF", "\xFE\xFF", "\xFF\xFE<\x00",
	"<\x00m\x00e\x00t\x00a\x00", "\x00<\x00m\x00e\x00t\x00a", "\xEF\xBB", "\xEF\xBB\xBF\xEF\xBB\xBF<meta name=robots content=none>",
	"<!---!><meta name=robots content=none>", "<!----!><meta name=robots content=none>", "<!--a--!-->--><meta name=robots content=none>",
	"<!------><meta name=robots content=none>", "<!-><meta name=robots content=none>", "<!a--><meta name=robots content=none>",
	"<script><!-- < --><script></script><meta name=robots content=none>", "<script><!-- <3 <script> </script><meta name=robots content=none></script>",
	"<script><!--<script></script>--></script><meta name=robots content=none>", "<script><!--<script>--></script><meta name=robots content=none>",
	"<script><!--<script></scripta></script></script><meta name=robots content=none>", "<script></scriptx></script\f><meta name=robots content=none>",
	"<script><!--></script><meta name=robots content=none>", "<script><!---></script><meta name=robots content=none>",
	"<meta a=1 a=x/><meta name=robots content=none>", "<script a=1 a=x/><meta name=robots content=none>", "<script a=/><meta name=robots content=none>",
	"<script a/><meta name=robots content=none>", "<title/><meta name=robots content=none>", "<template/><meta name=robots content=none>",
	"<head/><meta name=robots content=none>", "<html lang=a xml:lang=b/><meta name=robots content=none>",
	"<meta =name=robots content=none>", "<meta name==robots content=none>", "<meta name=robots/content=none>", "<meta name='robots'content=none>",
	"<meta name = robots content\n=\n\"none\" / / >", "<meta/name=robots/ /content=none>", "<meta name=\"rob&#111;ts\" content='no&#110;e'>",
	"<link rel=canonical href=\"?a=1&copy=2&amp;b&ampc&notit;&gt\">", "<link rel=canonical href=a&quot;b'c>", "<link rel=canonical href='a\"&amp;\r\nb\rc\x00'>",
	"<link rel=canonical href=caf\xE9&eacute;>", "<link rel=canonical href=caf\xC3\xA9&eacute;>", "<link rel=canonical href=\xC3\xA9\xE9>",
	"<meta charset=gbk><link rel=canonical href=\"\x81\"><link rel=canonical href=\"\x810\x81\">", "<meta charset=big5><link rel=canonical href=\x87@&amp;>",
	"<meta charset=shift_jis><link rel=canonical href=\x83\x5C><meta name=URL content=\xFC\xFC>", "<meta charset=euc-jp><link rel=canonical href=\x8F\xA2\xAF>",
	"<meta charset=iso-2022-jp><link rel=canonical href=\"\x1B$B<\"><\x1B(B\">", "<meta charset=hz-gb-2312><link rel=canonical href=\xE9>",
	"<meta charset=euc-kr><link rel=canonical href=\xB0\xA1\xFF>", "<meta charset=utf-16><link rel=canonical href=\xE9>", "<meta charset=x-user-defined><link rel=canonical href=\xE9>",
	"<?xml version='1.0' encoding='windows-1251'?><link rel=canonical href=\xE9>", "<meta http-equiv=content-type content='text/html; charset=\"koi8-r\"'><link rel=canonical href=\xE9>",
	"<meta http-equiv=refresh content='.5,url'>", "<meta http-equiv=refresh content=' 0 ; URL = \"a'b\"c'>", "<meta http-equiv=refresh content=\"0;'\">",
	"<meta http-equiv=refresh content=0x><meta http-equiv=refresh content='0;'><meta http-equiv=refresh content='5;ur'>",
	"<meta name=robots content='unavailable_after: Tue, 21 Jul 2026 10:00:00 GMT, nofollow, none'>", "<meta name=robots content='unavailable_after: July 21, 2026, unavailable_after :2020-01-01'>",
	"<template><template></template><meta name=robots content=none></template><meta name=googlebot content=none>", "</template></p><meta name=robots content=none></br>",
	"<p><img src=a><template><img src=b></template><svg><img src=c><plaintext><img src=d>", "<body><noscript><img src=a></noscript><img src=data:,><img src=b><img src=b>",
	"<meta itemprop=dateModified property=date name=last-modified content=2026-01-02>", "<meta name=content-language content='de at'><html lang=>", "a<meta name=robots content=none>",
}
