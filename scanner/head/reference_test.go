package head

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
)

// This is a second reading of pages, as plain as it can be and slow: it decodes
// the whole page first, leaves tags to the general tokenizer, and works with
// strings and lists. A Parser must agree with it on every input.
//
// There are two deliberate differences from that tokenizer, in which both
// readings follow the HTML standard. In a script, "<!-- < " is still in the
// "script data escaped" state, so the end of a script is found here state by
// state. And a tag closes itself also if the slash follows a repeated attribute,
// and does not if it ends the value of one.

type referenceTag struct {
	name   string
	values map[string]string
}

// referenceWalk returns the tags of the head and those of the body, and whether
// the head has ended.
func referenceWalk(doc string, xml bool) (head, body []referenceTag, ended bool) {
	const mayStand = " base basefont bgsound head html link meta noframes noscript script style template title "
	const isRaw = " iframe noembed noframes noscript plaintext style textarea title xmp "
	offset, templates, inRaw := 0, 0, false
	tokenizer := html.NewTokenizer(strings.NewReader(doc))
	for {
		kind := tokenizer.Next()
		raw := string(tokenizer.Raw())
		offset += len(raw)
		loose := ended || templates > 0
		wasRaw := inRaw
		inRaw = false
		switch kind {
		case html.ErrorToken:
			// The name alone says whether a tag can stand in a head.
			if match := regexp.MustCompile(`^<(/?)([A-Za-z][^\s/>]*)[\s/>]`).FindStringSubmatch(raw); match != nil && !loose {
				name := " " + strings.ToLower(match[2]) + " "
				if match[1] == "" {
					ended = !strings.Contains(mayStand, name)
				} else {
					ended = strings.Contains(" head html body br ", name)
				}
			}
			return head, body, ended
		case html.TextToken:
			if offset == len(doc) { // it may be the beginning of a tag
				raw = strings.TrimSuffix(strings.TrimSuffix(raw, "</"), "<")
			}
			if !wasRaw && !loose && strings.Trim(raw, " \t\n\f\r\x00") != "" {
				ended = true
			}
		case html.EndTagToken:
			name, _ := tokenizer.TagName()
			switch {
			case !loose && slices.Contains([]string{"head", "html", "body", "br"}, string(name)):
				ended = true
			case string(name) == "template" && templates > 0:
				templates--
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			tag := readReferenceTag(tokenizer)
			known := " " + tag.name + " "
			if !loose && !strings.Contains(mayStand, known) {
				ended = true
			}
			switch {
			case templates > 0:
			case ended:
				body = append(body, tag)
			default:
				head = append(head, tag)
			}
			switch {
			case xml && referenceSelfCloses(raw):
				tokenizer.NextIsNotRawText()
				if !loose && (tag.name == "head" || tag.name == "html") {
					ended = true
				}
			case tag.name == "template":
				templates++
			case tag.name == "script":
				length := referenceScript(doc[offset:])
				if length < 0 {
					return head, body, ended
				}
				offset += length
				tokenizer = html.NewTokenizer(strings.NewReader(doc[offset:]))
			default:
				inRaw = strings.Contains(isRaw, known)
			}
		}
	}
}

func readReferenceTag(tokenizer *html.Tokenizer) referenceTag {
	name, more := tokenizer.TagName()
	tag := referenceTag{string(name), map[string]string{}}
	for more {
		var key, value []byte
		key, value, more = tokenizer.TagAttr()
		if _, repeated := tag.values[string(key)]; !repeated {
			tag.values[string(key)] = string(value)
		}
	}
	return tag
}

// referenceSelfCloses finds out what a slash before the end of a tag is: where
// it stands by itself, letters behind it are an attribute.
func referenceSelfCloses(raw string) bool {
	const letters = "unheardof"
	inner, found := strings.CutSuffix(raw, "/>")
	if !found {
		return false
	}
	tokenizer := html.NewTokenizer(strings.NewReader(inner + "/" + letters + ">"))
	tokenizer.Next()
	_, separate := readReferenceTag(tokenizer).values[letters]
	return separate
}

// referenceScript returns the length of a script, or -1 if it does not end. Its
// expressions are the transitions of the standard's states.
func referenceScript(text string) int {
	const (
		data = iota
		escaped
		doubleEscaped
	)
	var (
		scriptEnd   = regexp.MustCompile(`^(?i:</script)[ \t\n\f\r/>]`)
		scriptStart = regexp.MustCompile(`^(?i:<script)[ \t\n\f\r/>]`)
	)
	state, dashes := data, 0
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		rest = rest[:min(len(rest), len("</script>"))]
		switch {
		case state != doubleEscaped && scriptEnd.MatchString(rest):
			return i
		case state == data && strings.HasPrefix(rest, "<!--"):
			state, dashes = escaped, 2
			i += len("<!--") - 1
			continue
		case state == data:
		case rest[0] == '-':
			dashes++
			continue
		case rest[0] == '>' && dashes >= 2:
			state = data
		case state == escaped && scriptStart.MatchString(rest):
			state = doubleEscaped
			i += len("<script>") - 1
		case state == doubleEscaped && scriptEnd.MatchString(rest):
			state = escaped
			i += len("</script>") - 1
		}
		dashes = 0
	}
	return -1
}

const htmlSpace = " \t\n\f\r"

// referenceParse is [Parser.Parse]. Images are nil if the head is truncated.
func referenceParse(page []byte, options Options, xml bool) *Head {
	limit := int(options.Limit)
	if limit == 0 {
		limit = DefaultLimit
	}
	decodeAll := func(from encoding.Encoding, s string) string {
		decoded, err := from.NewDecoder().String(s)
		if err != nil {
			panic(err)
		}
		return decoded
	}
	raw := string(page)
	utf16Order := map[string]unicode.Endianness{
		"\xFE\xFF": unicode.BigEndian, "\x00<": unicode.BigEndian, "\xFF\xFE": unicode.LittleEndian, "<\x00": unicode.LittleEndian,
	}
	var from encoding.Encoding
	mark := ""
	if strings.HasPrefix(raw, utf8Mark) {
		from, mark = unicode.UTF8, utf8Mark
	} else if order, ok := utf16Order[raw[:min(2, len(raw))]]; ok {
		raw = decodeAll(unicode.UTF16(order, unicode.IgnoreBOM), raw)
		from = unicode.UTF8
		if strings.HasPrefix(raw, utf8Mark) {
			mark = utf8Mark
		}
	}
	cut := func() string { return raw[len(mark):min(len(raw), limit)] }
	if from == nil {
		tags, _, _ := referenceWalk(cut(), xml)
		from = referenceCharset(raw[:min(len(raw), limit)], tags, xml)
		if from == japanese.ISO2022JP {
			raw = decodeAll(from, raw)
			from = unicode.UTF8
		}
	}
	decode := func(text string) string { return decodeAll(from, text) }
	finish := func(value string) string { return value }
	if from == nil {
		decode, finish = hideBytes, guess
	}
	doc := decode(cut())
	tags, _, ended := referenceWalk(doc, xml)
	h := referenceHead(tags, finish, options, xml)
	h.Truncated = !ended && len(raw) > limit
	if options.Images && !h.Truncated {
		_, body, _ := referenceWalk(decode(raw[len(mark):]), xml)
		for _, tag := range body {
			src := strings.Trim(finish(tag.values["src"]), htmlSpace)
			data := strings.HasPrefix(strings.ToLower(src), "data:")
			if tag.name == "img" && src != "" && !data && !slices.Contains(h.Images, src) && len(h.Images) < MaxImages {
				h.Images = append(h.Images, src)
			}
		}
	}
	return h
}

// referenceHead says what the tags of a head say.
func referenceHead(tags []referenceTag, finish func(string) string, options Options, xml bool) *Head {
	h := &Head{}
	bestDate, fromHTML, baseSaid := math.MaxInt, false, false
	first := func(into *string, text string) {
		if *into == "" {
			*into = text
		}
	}
	for _, tag := range tags {
		has := func(key string) bool { _, ok := tag.values[key]; return ok }
		value := func(key string) string { return strings.Trim(finish(tag.values[key]), htmlSpace) }
		word := func(key string) string { return lowerASCII(value(key)) }
		content := value("content")
		switch tag.name {
		case "html":
			language := value("lang")
			if xml && has("xml:lang") {
				language = value("xml:lang")
			}
			if language != "" && !fromHTML {
				h.Language, fromHTML = language, true
			}
		case "base":
			if has("href") && !baseSaid {
				h.Base, baseSaid = value("href"), true
			}
		case "link":
			referenceLink(h, strings.FieldsFunc(word("rel"), isSpaceRune), value, word, options)
		case "meta":
			if !has("content") {
				continue
			}
			name, header := word("name"), word("http-equiv")
			agent := func(agent string) bool {
				if agent == "*" {
					agent = "robots"
				}
				return lowerASCII(agent) == name
			}
			if slices.ContainsFunc(options.Agents, agent) {
				referenceDirectives(h, content, options)
			}
			if header == "refresh" && !h.HasRefresh {
				h.Refresh, h.HasRefresh = referenceRefresh(content)
			}
			if name == "url" && content != "" && !h.HasURLMeta {
				h.URLMeta, h.HasURLMeta = content, true
			}
			for _, either := range []string{name, header} {
				switch either {
				case "content-language":
					if !strings.Contains(content, ",") && content != "" {
						first(&h.Language, strings.FieldsFunc(content, isSpaceRune)[0])
					}
				case "resource-type":
					first(&h.ResourceType, lowerASCII(content))
				case "document-state":
					if options.Hints {
						first(&h.DocumentState, content)
					}
				case "revisit-after", "revisit":
					if options.Hints {
						first(&h.RevisitAfter, content)
					}
				}
			}
			unix, dateOnly, ok := int64(0), false, false
			if options.Dates && len(content) <= 128 {
				unix, dateOnly, ok = options.ParseDate(content)
			}
			ranking := []string{"article:modified_time", "og:updated_time", "dcterms.modified", "dc.date.modified", "itemprop", "last-modified", "date"}
			for rank, wanted := range ranking {
				if wanted == "dc.date.modified" {
					rank-- // the same thing by an older name
				}
				said := name == wanted || word("property") == wanted ||
					wanted == "last-modified" && header == wanted || wanted == "itemprop" && word("itemprop") == "datemodified"
				if ok && said && rank < bestDate {
					h.Modified, h.ModifiedDateOnly, bestDate = unix, dateOnly, rank
				}
			}
		}
	}
	return h
}

func lowerASCII(s string) string { return string(appendLower(nil, []byte(s))) }

func referenceLink(h *Head, rel []string, value, word func(string) string, options Options) {
	href := value("href")
	if href == "" {
		return
	}
	if slices.Contains(rel, "canonical") && len(h.Canonicals) < MaxCanonicals {
		h.Canonicals = append(h.Canonicals, href)
	}
	isPage := slices.Contains([]string{"", "text/html", "application/xhtml+xml"}, word("type"))
	if options.Alternates && slices.Contains(rel, "alternate") && value("hreflang") != "" && value("media") == "" && isPage &&
		len(h.Alternates) < MaxAlternates {
		h.Alternates = append(h.Alternates, Alternate{value("hreflang"), href})
	}
}

func referenceDirectives(h *Head, content string, options Options) {
	trim := func(s string) string { return strings.Trim(s, htmlSpace) }
	parts := strings.Split(content, ",")
	for i := 0; i < len(parts); i++ {
		directive := lowerASCII(trim(parts[i]))
		if directive == "noindex" || directive == "none" {
			h.NoIndex = true
		}
		name, _, found := strings.Cut(parts[i], ":")
		if !found || lowerASCII(trim(name)) != "unavailable_after" {
			continue
		}
		for end := min(len(parts), i+maxDateParts); end > i; end-- {
			_, date, _ := strings.Cut(strings.Join(parts[i:end], ","), ":")
			if len(date) > 2*maxDateBytes || len(trim(date)) > maxDateBytes {
				continue
			}
			unix, dateOnly, ok := options.ParseDate(trim(date))
			if !ok {
				continue
			}
			if dateOnly {
				unix += 24*60*60 - 1
			}
			if unix = max(unix, 1); h.Expires == 0 || unix < h.Expires {
				h.Expires = unix
			}
			i = end - 1
			break
		}
	}
}

// referenceRefresh is the standard's algorithm as an expression.
func referenceRefresh(content string) (string, bool) {
	const ws = `[ \t\n\f\r]*`
	seconds := regexp.MustCompile(`(?s)^` + ws + `(?:[0-9]|[.])[0-9.]*(?:$|([;, \t\n\f\r].*)$)`)
	match := seconds.FindStringSubmatch(content)
	if match == nil {
		return "", false
	}
	rest := regexp.MustCompile(`^`+ws+`[;,]?`+ws).ReplaceAllString(match[1], "")
	if rest == "" {
		return "", false
	}
	if prefix := regexp.MustCompile(`^[uU][rR][lL]` + ws + `=` + ws).FindString(rest); prefix != "" {
		rest = rest[len(prefix):]
	} else if rest[0] == 'u' || rest[0] == 'U' {
		return strings.Trim(rest, htmlSpace), true
	}
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		rest, _, _ = strings.Cut(rest[1:], rest[:1])
	}
	return strings.Trim(rest, htmlSpace), true
}
