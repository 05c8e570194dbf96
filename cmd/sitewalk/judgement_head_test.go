//go:build unix

package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
)

// pageHead is what a judgement reads in a page.
type pageHead struct {
	base, moved  string
	refresh      string
	refreshes    bool
	noIndex      bool
	expires      time.Time
	resourceType string
	canonicals   []string
}

// headLimit is the default of pages.head_limit.
const headLimit = 256 << 10

// readHead reads the head of a page in whatever encoding.
func readHead(t *testing.T, page string, xhtml bool) pageHead {
	t.Helper()
	nodes := headNodes(t, decodePage(t, page, xhtml), xhtml)
	var h pageHead
	based := false
	for _, node := range nodes {
		switch node.Data {
		case "base":
			isHref := func(a html.Attribute) bool { return a.Key == "href" }
			if !based && slices.ContainsFunc(node.Attr, isHref) { // even if it is empty
				h.base, based = attribute(node, "href"), true
			}
		case "link":
			rel := strings.Fields(strings.ToLower(attribute(node, "rel")))
			if href := attribute(node, "href"); slices.Contains(rel, "canonical") && href != "" {
				h.canonicals = append(h.canonicals, href)
			}
		case "meta":
			h.readMeta(node)
		}
	}
	return h
}

// attribute returns the value of an attribute without white space around, and ""
// if there is none.
func attribute(node *html.Node, key string) string {
	for _, a := range node.Attr {
		if a.Key == key && a.Namespace == "" {
			return strings.Trim(a.Val, "\t\n\f\r ")
		}
	}
	return ""
}

var (
	refreshTo = regexp.MustCompile(`(?s)^\s*[0-9.]+(?:\s*[;,]|\s)\s*(.+)$`)
	urlPrefix = regexp.MustCompile(`^(?i)url\s*=\s*`)
	quoted    = regexp.MustCompile(`^(?:"([^"]*)|'([^']*))`)
)

func (h *pageHead) readMeta(node *html.Node) {
	content := attribute(node, "content")
	name, header := strings.ToLower(attribute(node, "name")), strings.ToLower(attribute(node, "http-equiv"))
	if name == "robots" || name == "googlebot" {
		h.readDirectives(content)
	}
	if name == "url" && h.moved == "" {
		h.moved = content
	}
	if (name == "resource-type" || header == "resource-type") && h.resourceType == "" {
		h.resourceType = strings.ToLower(content)
	}
	if match := refreshTo.FindStringSubmatch(content); header == "refresh" && !h.refreshes && match != nil {
		h.refresh, h.refreshes = urlPrefix.ReplaceAllString(match[1], ""), true
		if inner := quoted.FindStringSubmatch(h.refresh); inner != nil {
			h.refresh = inner[1] + inner[2]
		}
	}
}

// dateLayouts are the dates that a judgement can read.
var dateLayouts = []string{time.RFC3339, time.DateOnly, time.RFC1123, time.RFC1123Z, "January 2, 2006", "2 Jan 2006"}

func (h *pageHead) readDirectives(content string) {
	parts := strings.Split(content, ",")
	for i, part := range parts {
		directive := strings.ToLower(strings.Trim(part, "\t\n\f\r "))
		if directive == "noindex" || directive == "none" {
			h.noIndex = true
		}
		if name, _, found := strings.Cut(directive, ":"); !found || strings.TrimSpace(name) != "unavailable_after" {
			continue
		}
		// A date may have commas of its own.
		for end := len(parts); end > i; end-- {
			_, date, _ := strings.Cut(strings.Join(parts[i:end], ","), ":")
			if h.readExpiry(strings.TrimSpace(date)) {
				break
			}
		}
	}
}

func (h *pageHead) readExpiry(date string) bool {
	for _, layout := range dateLayouts {
		expires, err := time.Parse(layout, date)
		if err != nil {
			continue
		}
		if !strings.Contains(layout, ":") { // to the end of the day
			expires = expires.Add(24*time.Hour - time.Second)
		}
		if h.expires.IsZero() || expires.Before(h.expires) {
			h.expires = expires
		}
		return true
	}
	return false
}

// headNodes returns the elements of the head, as a browser's tree has them.
func headNodes(t *testing.T, text string, xhtml bool) (nodes []*html.Node) {
	t.Helper()
	text = strings.ReplaceAll(text, "\x00", " ") // which sitewalk takes for white space
	if xhtml {
		text = openEmptyElements(text)
	}
	document, err := html.Parse(strings.NewReader(upToHeadEnd(text)))
	if err != nil {
		t.Fatal(err)
	}
	for root := range document.ChildNodes() {
		for head := range root.ChildNodes() {
			if head.Data != "head" {
				continue
			}
			for node := range head.ChildNodes() {
				if node.Type == html.ElementNode {
					nodes = append(nodes, node)
				}
			}
		}
	}
	return nodes
}

// upToHeadEnd cuts a page at the end tag of its head. What stands between that
// and the body counts no more for sitewalk, though browsers move some of it into
// the head.
func upToHeadEnd(text string) string {
	tokenizer := html.NewTokenizer(strings.NewReader(text))
	for offset, templates := 0, 0; ; {
		kind := tokenizer.Next()
		if kind == html.ErrorToken {
			return text
		}
		length := len(tokenizer.Raw())
		name, _ := tokenizer.TagName()
		switch {
		case kind == html.StartTagToken && string(name) == "template":
			templates++
		case kind == html.EndTagToken && string(name) == "template":
			templates = max(templates-1, 0)
		case kind == html.EndTagToken && templates == 0 && slices.Contains([]string{"head", "html", "body", "br"}, string(name)):
			return text[:offset]
		}
		offset += length
	}
}

var selfClosing = regexp.MustCompile(`<([A-Za-z]+)((?:\s+[A-Za-z:-]+\s*=\s*(?:"[^"]*"|'[^']*'))*\s*)/>`)

// openEmptyElements writes elements that close themselves, as they may in XHTML,
// as HTML has them.
func openEmptyElements(text string) string {
	return selfClosing.ReplaceAllStringFunc(text, func(tag string) string {
		parts := selfClosing.FindStringSubmatch(tag)
		if slices.Contains([]string{"meta", "link", "base"}, strings.ToLower(parts[1])) {
			return "<" + parts[1] + parts[2] + ">"
		}
		return "<" + parts[1] + parts[2] + "></" + parts[1] + ">"
	})
}

// decodePage returns as much of a page as the limit lets be read, in UTF-8.
func decodePage(t *testing.T, page string, xhtml bool) string {
	t.Helper()
	cut := func(text string) string { return text[:min(len(text), headLimit)] }
	decode := func(from encoding.Encoding, text string) string {
		decoded, err := from.NewDecoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimPrefix(decoded, "\ufeff")
	}
	for start, label := range map[string]string{"<\x00": "utf-16le", "\x00<": "utf-16be"} {
		if strings.HasPrefix(page, start) {
			from, _ := charset.Lookup(label)
			return cut(decode(from, page))
		}
	}
	from, name, marked := charset.DetermineEncoding([]byte(page), "")
	if marked && name != "utf-8" {
		return cut(decode(from, page))
	}
	if marked {
		return decode(from, cut(page))
	}
	for _, label := range encodingLabels(t, cut(page), xhtml) {
		said, name := charset.Lookup(label)
		switch name {
		case "", "replacement": // unknown, or one that browsers refuse to decode
			continue
		case "utf-16le", "utf-16be": // it was read as far as its label
			said, _ = charset.Lookup("utf-8")
		case "x-user-defined":
			said, _ = charset.Lookup("windows-1252")
		case "iso-2022-jp":
			return cut(decode(said, page))
		}
		return decode(said, cut(page))
	}
	if utf8.ValidString(cut(page)) {
		return cut(page)
	}
	unsaid, _ := charset.Lookup("windows-1252")
	return decode(unsaid, cut(page))
}

var (
	xmlEncoding  = regexp.MustCompile(`^<\?xml[^>]*encoding\s*=\s*["']([^"'>]*)["']`)
	charsetValue = regexp.MustCompile(`(?i)charset\s*=\s*["']?([^"';\s]*)`)
)

// encodingLabels returns what a page says of its encoding, in order of importance.
func encodingLabels(t *testing.T, page string, xhtml bool) (all []string) {
	t.Helper()
	for _, node := range headNodes(t, page, xhtml) {
		if node.Data != "meta" {
			continue
		}
		if label := attribute(node, "charset"); label != "" {
			all = append(all, label)
		} else if match := charsetValue.FindStringSubmatch(attribute(node, "content")); match != nil && strings.EqualFold(attribute(node, "http-equiv"), "content-type") {
			all = append(all, match[1])
		}
	}
	if match := xmlEncoding.FindStringSubmatch(page); match != nil && xhtml {
		all = append([]string{match[1]}, all...)
	} else if match != nil {
		all = append(all, match[1])
	}
	return all
}
