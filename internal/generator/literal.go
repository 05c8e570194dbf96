package generator

import "errors"

// A module is a file of JavaScript or TypeScript, of which the literals are read. No
// code is run: what a variable holds is known only where it is declared, once, with a
// literal; what a function returns only where it returns one.
type module struct {
	name         string
	tokens       []token
	declarations map[string]*declaration
	imports      map[string]string // local names, by the modules that they come from
}

// parseModule reads a module. It refuses nothing but what is too large: of what it does
// not understand nothing is known.
func parseModule(name string, data []byte) (*module, error) {
	tokens, ok := tokenize(string(data))
	if !ok {
		return nil, errTooComplex
	}
	if len(tokens) == 0 {
		return nil, errors.New("is empty")
	}
	m := &module{name: name, tokens: tokens}
	m.declare()
	return m, nil
}

// is reports whether a token is a word or a mark, and which.
func (m *module) is(at int, text string) bool {
	if at < 0 || at >= len(m.tokens) {
		return false
	}
	t := &m.tokens[at]
	return t.text == text && (t.kind == wordToken || t.kind == markToken)
}

// isKind reports whether a token is of a kind.
func (m *module) isKind(at int, kind tokenKind) bool {
	return at >= 0 && at < len(m.tokens) && m.tokens[at].kind == kind
}

// after returns the index of the token behind this one, or behind the bracket that
// belongs to it.
func (m *module) after(at int) int {
	if t := &m.tokens[at]; m.opens(at) {
		return min(int(t.match)+1, len(m.tokens))
	}
	return at + 1
}

func (m *module) opens(at int) bool {
	return m.is(at, "(") || m.is(at, "[") || m.is(at, "{") || m.isKind(at, openTemplate)
}

// ends reports whether an expression must end before a token.
func (m *module) ends(at int) bool {
	return at >= len(m.tokens) || m.is(at, ",") || m.is(at, ";") || m.is(at, ")") || m.is(at, "]") || m.is(at, "}") ||
		m.isKind(at, endTemplate)
}

// expression reads the expression that begins at a token, and returns the index of the
// token behind it.
func (m *module) expression(at, depth int) (*value, int) {
	if at >= len(m.tokens) {
		return &value{kind: computed, place: Place{m.name, 0}}, at
	}
	if depth > maxDepth {
		return m.unknown(at, at)
	}
	v, next := m.primary(at, depth)
	for {
		switch {
		case m.is(next, "as") || m.is(next, "satisfies"):
			return v, m.skipType(next + 1)
		case m.is(next, "||") || m.is(next, "??"):
			if !v.isCode() { // a literal stands for itself, if it is not empty
				_, next = m.expression(next+1, depth+1)
				return v, next
			}
			var instead *value
			instead, next = m.expression(next+1, depth+1)
			if instead.isCode() {
				return instead, next
			}
			other := *instead
			other.unsure = true
			return &other, next
		case m.ends(next) || m.tokens[next].line > m.tokens[next-1].line && m.isKind(next, wordToken):
			return v, next
		default:
			return m.unknown(at, next)
		}
	}
}

// unknown is an expression that begins at one token, is read up to another, and that
// says nothing here.
func (m *module) unknown(from, at int) (*value, int) {
	v := &value{kind: computed, place: m.placeOf(from)}
	for !m.ends(at) && !(at > from && m.isStatement(at)) {
		at = m.after(at)
	}
	return v, at
}

// isStatement reports whether a token begins a statement, without a semicolon before.
func (m *module) isStatement(at int) bool {
	for _, word := range [...]string{"const", "let", "var", "export", "import", "return", "function", "module"} {
		if m.is(at, word) {
			return m.tokens[at].line > m.tokens[at-1].line
		}
	}
	return false
}

// skipType passes over a type of TypeScript.
func (m *module) skipType(at int) int {
	for !m.ends(at) && !m.is(at, "||") && !m.is(at, "??") && !(m.tokens[at].line > m.tokens[at-1].line && m.isKind(at, wordToken)) {
		at = m.after(at)
	}
	return at
}

func (m *module) placeOf(at int) Place { return Place{m.name, int(m.tokens[at].line)} }

// primary reads an expression up to its first operator.
func (m *module) primary(at, depth int) (*value, int) {
	t := &m.tokens[at]
	v := &value{text: t.text, place: m.placeOf(at)}
	switch t.kind {
	case textToken:
		v.kind = text
		return v, at + 1
	case numberToken:
		v.kind = number
		return v, at + 1
	case wordToken:
		return m.word(at, depth)
	case markToken:
		switch t.text {
		case "{":
			return m.object(at, depth)
		case "[":
			return m.array(at, depth)
		case "(":
			if arrow := m.arrowBehind(at); arrow > 0 {
				v.kind, v.at = function, at
				return v, m.afterArrow(arrow)
			}
			inner, _ := m.expression(at+1, depth+1)
			return m.calls(inner, m.after(at), depth)
		}
	}
	return m.unknown(at, at)
}

// arrowBehind returns the index of the arrow that makes the brackets at a token the
// parameters of a function, perhaps with the type of what it returns between, or 0.
func (m *module) arrowBehind(at int) int {
	next := m.after(at)
	if m.is(next, ":") {
		for last := next + maxDeclaration; next < last && !m.ends(next) && !m.is(next, "=>"); {
			next = m.after(next)
		}
	}
	if m.is(next, "=>") {
		return next
	}
	return 0
}

// afterArrow returns the index behind a function whose arrow is at a token.
func (m *module) afterArrow(arrow int) int {
	if m.is(arrow+1, "{") {
		return m.after(arrow + 1)
	}
	_, next := m.unknown(arrow, arrow)
	return next
}

// word reads an expression that begins with a word.
func (m *module) word(at, depth int) (*value, int) {
	v := &value{text: m.tokens[at].text, place: m.placeOf(at)}
	switch v.text {
	case "true", "false":
		v.kind = truth
		return v, at + 1
	case "null", "undefined":
		v.kind = nothing
		return v, at + 1
	case "async", "function":
		if m.is(at, "function") || m.is(at+1, "function") || m.is(at+1, "(") && m.arrowBehind(at+1) > 0 {
			return m.function(at)
		}
	case "new":
		made, next := m.expression(at+1, depth+1)
		if made.is(call) && made.text == "URL" && len(made.items) == 1 && made.items[0].is(text) {
			return made.items[0], next
		}
		made.kind = computed
		return made, next
	case "await":
		return m.expression(at+1, depth+1)
	}
	v.kind = reference
	next := at + 1
	if m.is(next, "=>") {
		v.kind, v.at = function, at
		return v, m.afterArrow(next)
	}
	for (m.is(next, ".") || m.is(next, "?.")) && m.isKind(next+1, wordToken) {
		v.text += "." + m.tokens[next+1].text
		next += 2
	}
	if m.is(next, "<") { // type arguments: of a call, or it is no reference
		for end := next; end < len(m.tokens) && end < next+20; end++ {
			if m.is(end, ">") && m.is(end+1, "(") {
				next = end + 1
				break
			}
		}
	}
	return m.calls(v, next, depth)
}

// calls reads the calls that follow an expression: f(x), f(x)(y). What they return is
// called after the first.
func (m *module) calls(v *value, next, depth int) (*value, int) {
	for m.is(next, "(") && depth <= maxDepth {
		called := &value{kind: call, text: v.text, place: v.place}
		if v.kind != reference && v.kind != call {
			called.kind = computed
		}
		arguments, end := m.array(next, depth)
		called.items, v, next = arguments.items, called, end
		depth++
	}
	if (m.is(next, ".") || m.is(next, "?.") || m.is(next, "[")) && v.kind != reference && m.tokens[next].line == m.tokens[next-1].line {
		return m.unknown(next-1, next)
	}
	return v, next
}

// function reads a function that the word function begins, perhaps behind async.
func (m *module) function(at int) (*value, int) {
	v := &value{kind: function, place: m.placeOf(at), at: at}
	for !m.ends(at) && !m.is(at, "(") {
		at++
	}
	if !m.is(at, "(") {
		return v, at
	}
	if arrow := m.arrowBehind(at); arrow > 0 {
		return v, m.afterArrow(arrow)
	}
	at = m.after(at)
	for !m.ends(at) && !m.is(at, "{") { // the type of what it returns
		at++
	}
	if !m.is(at, "{") {
		return v, at
	}
	return v, m.after(at)
}

// array reads a list in brackets, or the arguments of a call.
func (m *module) array(at, depth int) (*value, int) {
	v := &value{kind: list, place: m.placeOf(at)}
	end := m.after(at)
	for at++; at < end && !m.ends(at); {
		var item *value
		if m.is(at, "...") {
			item, at = m.unknown(at, at+1)
		} else {
			item, at = m.expression(at, depth+1)
		}
		v.items = append(v.items, item)
		if m.is(at, ",") {
			at++
		}
	}
	return v, end
}

// object reads an object literal.
func (m *module) object(at, depth int) (*value, int) {
	v := &value{kind: table, fields: map[string]*value{}, place: m.placeOf(at)}
	end := m.after(at)
	for at++; at < end && !m.is(at, "}"); {
		next := m.property(v, at, depth)
		if next == at { // a bracket that nothing opened
			break
		}
		if at = next; m.is(at, ",") {
			at++
		}
	}
	return v, end
}

// property reads one property of an object, and returns the index behind it.
func (m *module) property(v *value, at, depth int) int {
	if m.is(at, "...") {
		// It may hold any key, and override those before it.
		v.open = true
		for _, field := range v.fields {
			field.unsure = true
		}
		_, next := m.unknown(at, at+1)
		return next
	}
	key := &m.tokens[at]
	if key.kind == wordToken || key.kind == textToken || key.kind == numberToken {
		switch {
		case m.is(at+1, ":"):
			field, next := m.expression(at+2, depth+1)
			own := *field
			own.place = m.placeOf(at)
			v.fields[key.text] = &own
			return next
		case m.is(at+1, ",") || m.is(at+1, "}"): // { site } is { site: site }
			v.fields[key.text] = &value{kind: reference, text: key.text, place: m.placeOf(at)}
			return at + 1
		case m.is(at+1, "("):
			v.fields[key.text] = &value{kind: computed, place: m.placeOf(at)}
		}
	} else {
		v.open = v.open || m.is(at, "[") // a key that is computed
	}
	// A method, a getter or what is not understood.
	for !m.is(at, ",") && !m.is(at, "}") && at < len(m.tokens) && !m.is(at, ")") && !m.is(at, "]") {
		at = m.after(at)
	}
	return at
}
