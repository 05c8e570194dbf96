package generator

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenKind says what a token of JavaScript is.
type tokenKind uint8

const (
	wordToken    tokenKind = iota // an identifier or a keyword
	textToken                     // a string, or a template without substitutions
	numberToken                   // a number
	patternToken                  // a regular expression
	markToken                     // an operator or a bracket
	openTemplate                  // the beginning of a template with substitutions
	endTemplate                   // and its end; between them is what is substituted
)

// A token is a word of JavaScript or TypeScript.
type token struct {
	kind tokenKind
	text string // of a textToken what it stands for
	line int32
	// match is the index of the bracket that belongs to this one, or of the token after
	// the last if there is none; 0 for what is no bracket.
	match int32
	depth int32 // how many brackets are open here
}

// lexer cuts JavaScript into tokens (https://tc39.es/ecma262/#sec-ecmascript-language-lexical-grammar),
// as far as it takes to tell code from strings, comments and regular expressions. It
// refuses nothing: what is no JavaScript gives tokens that mean little.
type lexer struct {
	source string
	at     int
	line   int32
	tokens []token
	open   []int // indexes of the brackets that are open
}

// tokenize returns the tokens of a source, and false if there are too many.
func tokenize(source string) ([]token, bool) {
	l := &lexer{source: source, line: 1}
	if strings.HasPrefix(source, "#!") {
		l.lineComment()
	}
	for l.next() {
		if len(l.tokens) > 4*maxValues {
			return nil, false
		}
	}
	for _, open := range l.open {
		l.tokens[open].match = int32(len(l.tokens))
	}
	return l.tokens, true
}

// next reads a token, or what stands between two, and returns false at the end.
func (l *lexer) next() bool {
	if l.at >= len(l.source) {
		return false
	}
	c := l.source[l.at]
	rest := l.source[l.at:]
	switch {
	case c == '\n':
		l.line++
		l.at++
	case c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f':
		l.at++
	case strings.HasPrefix(rest, "//"):
		l.lineComment()
	case strings.HasPrefix(rest, "/*"):
		end := strings.Index(rest[2:], "*/")
		if end < 0 {
			end = len(rest) - 4
		}
		l.skip(end + 4)
	case c == '"' || c == '\'':
		l.quoted(c)
	case c == '`':
		l.at++
		l.template(false)
	case '0' <= c && c <= '9' || c == '.' && len(rest) > 1 && '0' <= rest[1] && rest[1] <= '9':
		l.take(numberToken, numberSize(rest))
	case c == '/' && l.mayBePattern():
		l.pattern()
	case c == '}' && l.inTemplate():
		l.at++
		l.template(true)
	default:
		if r, size := utf8.DecodeRuneInString(rest); isWord(r) || r == '#' || r == '@' {
			l.take(wordToken, size+len(rest[size:])-len(strings.TrimLeftFunc(rest[size:], isWord)))
		} else {
			l.mark()
		}
	}
	return true
}

func isWord(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\u200d'
}

// numberSize returns how many bytes a number has.
func numberSize(rest string) int {
	size := len(rest) - len(strings.TrimLeftFunc(rest, func(r rune) bool { return r == '.' || isWord(r) }))
	if exponent := rest[:size]; size < len(rest) && (rest[size] == '+' || rest[size] == '-') &&
		(strings.HasSuffix(exponent, "e") || strings.HasSuffix(exponent, "E")) && !strings.HasPrefix(exponent, "0x") {
		size += 1 + len(rest[size+1:]) - len(strings.TrimLeft(rest[size+1:], "0123456789"))
	}
	return size
}

// skip passes over some bytes, and counts the lines in them.
func (l *lexer) skip(size int) {
	l.line += int32(strings.Count(l.source[l.at:l.at+size], "\n"))
	l.at += size
}

func (l *lexer) lineComment() {
	end := strings.IndexByte(l.source[l.at:], '\n')
	if end < 0 {
		end = len(l.source) - l.at
	}
	l.at += end
}

func (l *lexer) add(kind tokenKind, text string) {
	l.tokens = append(l.tokens, token{kind: kind, text: text, line: l.line, depth: int32(len(l.open))})
}

// take makes the next bytes a token.
func (l *lexer) take(kind tokenKind, size int) {
	l.add(kind, l.source[l.at:l.at+size])
	l.skip(size)
}

// marks are the operators of more than one byte that matter: an arrow must not be
// taken for an assignment, nor a comparison.
var marks = []string{"...", "===", "!==", "??=", "||=", "&&=", "=>", "==", "!=", "<=", ">=", "??", "?.", "||", "&&", "+=", "-="}

func (l *lexer) mark() {
	rest := l.source[l.at:]
	for _, mark := range marks {
		if strings.HasPrefix(rest, mark) {
			l.take(markToken, len(mark))
			return
		}
	}
	switch rest[0] {
	case '(', '[', '{':
		l.opens(markToken, rest[:1])
	case ')', ']', '}':
		l.closes(markToken, rest[:1])
	default:
		_, size := utf8.DecodeRuneInString(rest)
		l.take(markToken, size)
		return
	}
	l.at++
}

func (l *lexer) opens(kind tokenKind, text string) {
	l.add(kind, text)
	l.open = append(l.open, len(l.tokens)-1)
}

// closes adds a closing bracket, which belongs to the last one that is open, if that is
// of its sort, and to none else.
func (l *lexer) closes(kind tokenKind, text string) {
	l.add(kind, text)
	if len(l.open) == 0 {
		return
	}
	last := l.open[len(l.open)-1]
	switch l.tokens[last].text + text {
	case "()", "[]", "{}", "``":
		end := len(l.tokens) - 1
		l.tokens[last].match, l.tokens[end].match = int32(end), int32(last)
		l.open = l.open[:len(l.open)-1]
		l.tokens[end].depth = int32(len(l.open))
	}
}

// inTemplate reports whether a } ends what is substituted in a template.
func (l *lexer) inTemplate() bool {
	return len(l.open) > 0 && l.tokens[l.open[len(l.open)-1]].kind == openTemplate
}

// template reads a template from behind its beginning, or from behind one of its
// substitutions (inside), up to its end or its next substitution.
func (l *lexer) template(inside bool) {
	start, line := l.at, l.line
	for l.at < len(l.source) {
		switch {
		case l.source[l.at] == '\\':
			l.skip(min(2, len(l.source)-l.at))
		case l.source[l.at] == '`':
			content := l.source[start:l.at]
			l.at++
			if inside {
				l.closes(endTemplate, "`")
				return
			}
			l.tokens = append(l.tokens, token{kind: textToken, text: unescape(content), line: line, depth: int32(len(l.open))})
			return
		case strings.HasPrefix(l.source[l.at:], "${"):
			l.at += 2
			if !inside {
				l.opens(openTemplate, "`")
			} else {
				l.add(markToken, ",") // parts one substitution from the next
			}
			return
		default:
			l.skip(1)
		}
	}
}

// quoted reads a string. One that is not closed ends with its line.
func (l *lexer) quoted(quote byte) {
	end := l.at + 1
	for end < len(l.source) && l.source[end] != quote && l.source[end] != '\n' {
		if l.source[end] == '\\' && end+1 < len(l.source) {
			end++
		}
		end++
	}
	l.add(textToken, unescape(l.source[l.at+1:end]))
	l.skip(min(end+1, len(l.source)) - l.at)
}

// mayBePattern reports whether a slash begins a regular expression rather than divides:
// it cannot divide where no value stands before it.
func (l *lexer) mayBePattern() bool {
	if len(l.tokens) == 0 {
		return true
	}
	switch last := l.tokens[len(l.tokens)-1]; last.kind {
	case wordToken:
		return last.text == "return" || last.text == "typeof" || last.text == "case" || last.text == "in" || last.text == "of"
	case markToken:
		return last.text != ")" && last.text != "]" && last.text != "}"
	default:
		return false
	}
}

// pattern reads a regular expression, which ends with its line at the latest.
func (l *lexer) pattern() {
	end, class := l.at+1, false
	for ; end < len(l.source) && l.source[end] != '\n' && (class || l.source[end] != '/'); end++ {
		switch l.source[end] {
		case '\\':
			end++
		case '[':
			class = true
		case ']':
			class = false
		}
	}
	end = min(end+1, len(l.source))
	l.take(patternToken, end-l.at)
}

// unescape returns what the content of a string stands for
// (https://tc39.es/ecma262/#prod-EscapeSequence).
func unescape(content string) string {
	if !strings.Contains(content, `\`) {
		return content
	}
	var b strings.Builder
	for content != "" {
		plain, rest, found := strings.Cut(content, `\`)
		b.WriteString(plain)
		if content = rest; !found || rest == "" {
			break
		}
		r, size := utf8.DecodeRuneInString(rest)
		content = rest[size:]
		switch r {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'v':
			b.WriteByte('\v')
		case '0':
			b.WriteByte(0)
		case '\n': // the line goes on
		case 'x', 'u':
			var code rune
			code, content = hexEscape(r, content)
			b.WriteRune(code)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hexEscape reads the digits of \xHH, \uHHHH or \u{H…}, and returns the rest. What
// names no character, such as half a surrogate pair, is U+FFFD.
func hexEscape(letter rune, content string) (code rune, rest string) {
	digits := 4
	if letter == 'x' {
		digits = 2
	} else if strings.HasPrefix(content, "{") {
		inner, rest, _ := strings.Cut(content[1:], "}")
		return runeOf(inner), rest
	}
	if len(content) < digits {
		return utf8.RuneError, ""
	}
	code, rest = runeOf(content[:digits]), content[digits:]
	if 0xD800 <= code && code < 0xDC00 && len(rest) >= 6 && rest[:2] == `\u` {
		if low := runeOf(rest[2:6]); 0xDC00 <= low && low < 0xE000 {
			return (code-0xD800)<<10 + low - 0xDC00 + 0x10000, rest[6:]
		}
	}
	return code, rest // a lone surrogate is written as U+FFFD
}

func runeOf(digits string) rune {
	code, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || code > unicode.MaxRune {
		return utf8.RuneError
	}
	return rune(code)
}
