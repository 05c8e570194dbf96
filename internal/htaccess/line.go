package htaccess

import "strings"

// space is what Apache takes for white space.
const space = " \t\n\v\f\r"

// lines takes the content of a file apart into directives.
type lines struct {
	rest   string
	number int // of the line that the last directive began in, from 1
	read   int // lines so far
}

// next returns the next line that is not empty and no comment, trimmed and with
// those that it goes on in, or false at the end of the file.
func (l *lines) next() (text string, ok bool) {
	for l.rest != "" {
		l.number = l.read + 1
		text = strings.Trim(l.joined(), space)
		// A comment has a line to itself, and goes on in the next like any other.
		if text != "" && text[0] != '#' {
			return text, true
		}
	}
	return "", false
}

// joined returns the next line, with the following ones as long as a backslash
// stands at the end. The rest is not empty.
func (l *lines) joined() string {
	text, goesOn := l.line()
	if !goesOn {
		return text
	}
	joined := []byte(text)
	for goesOn && l.rest != "" {
		text, goesOn = l.line()
		joined = append(joined, text...)
	}
	return string(joined)
}

// line returns the next line without what ends it.
func (l *lines) line() (text string, goesOn bool) {
	text, rest, ended := strings.Cut(l.rest, "\n")
	l.rest = rest
	l.read++
	if nul := strings.IndexByte(text, 0); nul >= 0 {
		return text[:nul], false // Apache does not see what follows, nor the backslash
	}
	if !ended {
		return text, false
	}
	text = strings.TrimSuffix(text, "\r")
	return strings.CutSuffix(text, `\`)
}

// word returns the first word of a line or of the arguments of a directive, and
// what follows it without space in front. A word is quoted or ends at white
// space. A backslash escapes itself, and the quote in a quoted word, and is
// otherwise a byte like others. The word is empty at the end of the text, or if
// it was written as "".
func word(text string) (first, rest string) {
	text = strings.TrimLeft(text, space)
	if text == "" {
		return "", ""
	}
	quote := text[0]
	if quote != '"' && quote != '\'' {
		end := strings.IndexAny(text, space)
		if end < 0 {
			end = len(text)
		}
		return strings.ReplaceAll(text[:end], `\\`, `\`), strings.TrimLeft(text[end:], space)
	}
	unquoted := make([]byte, 0, 32)
	i := 1
	for ; i < len(text) && text[i] != quote; i++ {
		if text[i] == '\\' && i+1 < len(text) && (text[i+1] == '\\' || text[i+1] == quote) {
			i++
		}
		unquoted = append(unquoted, text[i])
	}
	return string(unquoted), strings.TrimLeft(text[min(i+1, len(text)):], space)
}

// words iterates over the words of arguments up to the first empty one.
func words(arguments string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for {
			var next string
			next, arguments = word(arguments)
			if next == "" || !yield(next) {
				return
			}
		}
	}
}
