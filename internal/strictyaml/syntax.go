package strictyaml

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// A complaint is what yaml.v3 says about a text that is not YAML, and what
// people are told instead.
type complaint struct {
	says          string // a part of yaml.v3's message that gives it away
	message, hint string
}

const (
	indentHint = "check the indentation here and above, and the quotes"
	quoteHint  = "put text with special characters in quotes"
	globHint   = "text that begins with * must be in quotes"
)

var complaints = []complaint{
	{"mapping values are not allowed", "a colon is not expected here", "put text that holds a colon in quotes, or check the indentation"},
	{"mapping keys are not allowed", "a ? is not expected here", quoteHint},
	{"block sequence entries are not allowed", "a list entry is not expected here", "begin the list on a line of its own"},
	{"cannot start any token", "a value cannot begin with this character", quoteHint},
	{"did not find expected alphabetic or numeric", "an anchor or alias needs a name", globHint},
	{"unknown anchor", "the alias names no anchor above", globHint},
	{"did not find expected key", "a key is expected here", indentHint},
	{"did not find expected '-'", "a list entry is expected here", indentHint},
	{"could not find expected ':'", "a colon is missing after the key", "write key: value"},
	{"did not find expected ',' or ']'", "the list lacks a comma or its closing bracket", ""},
	{"did not find expected ',' or '}'", "the braces lack a comma or their end", ""},
	{"did not find expected node content", "a value is expected here", ""},
	{"found unexpected end of stream", "the quotes are not closed", ""},
	{"found unexpected document indicator", "the quotes are not closed", ""},
	{"unknown escape", "the escape after the backslash is not known", "in single quotes a backslash is a plain character"},
	{"escape code", "the escape after the backslash is no character", "in single quotes a backslash is a plain character"},
	{"hexdecimal number", "the escape after the backslash is not complete", "in single quotes a backslash is a plain character"},
	{"tab character", "a tab cannot indent", "indent with spaces"},
	{"exceeded max depth", "the nesting is too deep", ""},
	{"did not find expected <document start>", "the document has ended before this", ""},
	{"directive", "this directive is not understood", "remove lines that begin with a percent sign"},
	{"incompatible YAML document", "this version of YAML is not understood", "remove the line"},
	{"tag", "the tag is not understood", "remove it, or put text that begins with ! in quotes"},
}

// syntaxError turns yaml.v3's error into one with a place and in plainer words.
func (f *file) syntaxError(err error) *Error {
	line, says := dissect(err)
	bad := &Error{Line: line, Column: 1, Message: "this is not valid YAML"}
	if f.quote {
		bad.Message = says
	}
	for _, c := range complaints {
		if strings.Contains(says, c.says) {
			bad.Message, bad.Hint = c.message, c.hint
			break
		}
	}
	at, found := f.locate()
	if !found {
		return bad
	}
	start := bytes.LastIndexByte(f.text[:at], '\n') + 1
	if strings.Contains(says, "unknown anchor") {
		// The place is in the name; the alias begins at its star.
		at = max(start, bytes.LastIndexByte(f.text[:at+1], '*'))
	}
	rest := f.text[start:]
	indent := rest[:len(rest)-len(bytes.TrimLeft(rest, " \t"))]
	inBrackets := strings.Contains(says, "',' or") // where tabs do no harm
	if tab := bytes.IndexByte(indent, '\t'); tab >= 0 && !inBrackets {
		at = start + tab
		bad.Message, bad.Hint = "a tab cannot indent", "indent with spaces"
	}
	bad.Line, bad.Column = place(f.text, at)
	return bad
}

var syntaxMessage = regexp.MustCompile(`(?s)^yaml: (?:line (\d+): )?(.*)$`)

func dissect(err error) (line int, says string) {
	parts := syntaxMessage.FindStringSubmatch(err.Error())
	if parts == nil {
		return 1, err.Error()
	}
	line, _ = strconv.Atoi(parts[1])
	return max(line, 1), parts[2]
}

// maxLocate bounds the time that locate takes: it parses some twenty times.
const maxLocate = 64 << 10

// locate finds the byte at which the parser fails. yaml.v3 gives no column, and
// as a line often that of the surrounding block, or one too few, or none. But
// it reads in order, so the shortest beginning of the text that has the same
// error ends at the culprit, or where the brackets or quotes began that are
// never closed. A large file makes do with yaml.v3's line.
func (f *file) locate() (offset int, found bool) {
	if len(f.text) > maxLocate {
		return 0, false
	}
	// An empty line first, because yaml.v3 takes line 0 for no line, and then
	// tells where the text ends instead of where the quote began.
	text := append([]byte{'\n'}, f.text...)
	want := failure(text)
	if want == "" {
		return 0, false
	}
	fails := func(n int) bool { return failure(text[:n]) == want }
	var ends []int // of lines
	for i, c := range text {
		if c == '\n' || i == len(text)-1 {
			ends = append(ends, i+1)
		}
	}
	line := sort.Search(len(ends)-1, func(i int) bool { return fails(ends[i]) })
	start := 0
	if line > 0 {
		start = ends[line-1]
	}
	length := 1 + sort.Search(ends[line]-start-1, func(i int) bool { return fails(start + i + 1) })
	offset = start + length - 1
	for offset > start && (text[offset] == '\n' || text[offset] == '\r' || !utf8.RuneStart(text[offset])) {
		offset--
	}
	return max(offset-1, 0), true
}

// failure parses up to two documents and gives the error's text, but for the
// name of an unknown anchor, of which a beginning is unknown as well.
func failure(text []byte) string {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for range 2 {
		var document yaml.Node
		err := guarded(func() error { return decoder.Decode(&document) })
		switch {
		case errors.Is(err, io.EOF):
			return ""
		case err == nil:
		case strings.Contains(err.Error(), "unknown anchor"):
			return "unknown anchor"
		default:
			return err.Error()
		}
	}
	return ""
}
