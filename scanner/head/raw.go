package head

import "bytes"

// What is looked for here may lie across the end of what is in memory. Then it is
// as if it were not there, and it is looked for again from the same place when
// more of the page is: each time in at least twice as much, so that this costs
// no more than linear time.

// findRawEnd returns where the end tag begins that ends the text content of an
// element, from i on, or -1 if it is not there.
func findRawEnd(data []byte, i int, e element) int {
	switch e {
	case plaintextElement: // which nothing ends
		return -1
	case scriptElement:
		return findScriptEnd(data, i)
	}
	for {
		next := bytes.Index(data[i:], endTagOpen)
		if next < 0 {
			return -1
		}
		i += next
		if isEndTag(data, i, e.rawName()) {
			return i
		}
		i += len(endTagOpen)
	}
}

var endTagOpen = []byte("</")

// isEndTag reports whether an end tag of the name begins at i.
func isEndTag(data []byte, i int, name string) bool {
	return bytes.HasPrefix(data[i:], endTagOpen) && isTagName(data, i+len(endTagOpen), name)
}

// isTagName reports whether at i stands the whole name of a tag, in any case.
func isTagName(data []byte, i int, name string) bool {
	end := i + len(name)
	return end < len(data) && data[end] != '=' && class[data[end]]&endsName != 0 && equalFold(data[i:end], name)
}

// equalFold reports whether text is, in any case, an ASCII word that is given
// in lower case.
func equalFold(text []byte, lower string) bool {
	if len(text) != len(lower) {
		return false
	}
	for i, b := range text {
		if 'A' <= b && b <= 'Z' {
			b |= 0x20
		}
		if b != lower[i] {
			return false
		}
	}
	return true
}

// findScriptEnd is findRawEnd for a script. In what looks like a comment, a
// script within the script hides its end tag.
// https://html.spec.whatwg.org/multipage/parsing.html#script-data-state
func findScriptEnd(data []byte, i int) int {
	for {
		next := bytes.IndexByte(data[i:], '<')
		if next < 0 {
			return -1
		}
		i += next
		rest := data[i:]
		switch {
		case len(rest) < 2:
			return -1
		case isEndTag(data, i, "script"):
			return i
		case rest[1] == '!' && bytes.HasPrefix(rest, commentOpen):
			var ended bool
			if i, ended = skipEscaped(data, i+len(commentOpen)); ended {
				return i
			}
			if i < 0 {
				return -1
			}
		default:
			i++
		}
	}
}

var commentOpen = []byte("<!--")

// skipEscaped reads what looks like a comment in a script, from behind its
// "<!--". It returns where the comment ends, or where the script ends within
// it, or -1 if neither is there.
func skipEscaped(data []byte, i int) (end int, scriptEnds bool) {
	const scriptName = "script"
	dashes := 2 // those of "<!--" count
	double := false
	for i < len(data) {
		b := data[i]
		switch {
		case b == '-':
			dashes++
			i++
			continue
		case b == '>' && dashes >= 2:
			return i + 1, false
		case b == '<' && !double && isEndTag(data, i, scriptName):
			return i, true
		case b == '<' && !double && isTagName(data, i+1, scriptName):
			double = true
			i += len("<script>") // the last may be any byte that ends a name
		case b == '<' && double && isEndTag(data, i, scriptName):
			double = false
			i += len("</script>")
		default:
			i++
		}
		dashes = 0
	}
	return -1, false
}

// skipComment returns where the comment, doctype or bogus comment ends whose
// "<!" stands at i, or -1 if it is not whole.
// https://html.spec.whatwg.org/multipage/parsing.html#comment-start-state
func skipComment(data []byte, i int) int {
	const open = len("<!")
	if len(data)-i < open+2 && !bytes.Contains(data[i:], closeAngle) {
		return -1
	}
	if !bytes.HasPrefix(data[i:], commentOpen) {
		return skipBogus(data, i+open)
	}
	i += len(commentOpen)
	rest := data[i:]
	if bytes.HasPrefix(rest, closeAngle) {
		return i + 1
	}
	if bytes.HasPrefix(rest, []byte("->")) {
		return i + 2
	}
	for {
		next := bytes.Index(data[i:], []byte("--"))
		if next < 0 {
			return -1
		}
		i += next + 2
		for i < len(data) && data[i] == '-' {
			i++
		}
		rest := data[i:]
		if bytes.HasPrefix(rest, closeAngle) {
			return i + 1
		}
		if bytes.HasPrefix(rest, []byte("!>")) {
			return i + 2
		}
	}
}

var closeAngle = []byte(">")

// skipBogus returns where the tag that is none ends, from i on, or -1.
func skipBogus(data []byte, i int) int {
	end := bytes.IndexByte(data[i:], '>')
	if end < 0 {
		return -1
	}
	return i + end + 1
}
