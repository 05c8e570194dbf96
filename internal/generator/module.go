package generator

const (
	// maxResolved bounds how many names a value may stand behind.
	maxResolved = 8
	// maxDeclaration bounds how many tokens a declaration has before its value, where a
	// bracket counts as one; maxImported, how many an import has.
	maxDeclaration = 60
	maxImported    = 500
)

// A declaration is a name that a module gives to something.
type declaration struct {
	at    int  // the index of the token behind =, or of function
	twice bool // there are several, or something is assigned to it: nothing is known
	read  *value
}

// declare finds what names the module declares, in whatever scope, and what it imports.
func (m *module) declare() {
	m.declarations, m.imports = map[string]*declaration{}, map[string]string{}
	for at := range m.tokens {
		switch {
		case m.is(at, "const") || m.is(at, "let") || m.is(at, "var"):
			m.declareVariable(at + 1)
		case m.is(at, "function") && m.isKind(at+1, wordToken):
			m.note(m.tokens[at+1].text, at)
		case m.is(at, "import"):
			m.declareImport(at + 1)
		}
	}
}

func (m *module) note(name string, at int) {
	if known := m.declarations[name]; known != nil {
		known.twice = true
		return
	}
	m.declarations[name] = &declaration{at: at}
}

// declareVariable notes NAME = VALUE or NAME: TYPE = VALUE, and, of what require
// returns, NAME and {NAME, NAME} as imports.
func (m *module) declareVariable(at int) {
	if !m.isKind(at, wordToken) && !m.is(at, "{") {
		return
	}
	name := at
	at = m.after(at)
	for last := at + maxDeclaration; at < last && !m.ends(at) && !m.is(at, "=") && !m.isStatement(at); {
		at = m.after(at)
	}
	if !m.is(at, "=") {
		return
	}
	if m.is(at+1, "require") && m.is(at+2, "(") && m.isKind(at+3, textToken) {
		m.importNames(name, at, m.tokens[at+3].text)
	}
	if m.isKind(name, wordToken) {
		m.note(m.tokens[name].text, at+1)
	}
}

// declareImport notes the names of import NAME, {NAME, NAME as NAME} from "MODULE".
func (m *module) declareImport(at int) {
	last := min(at+maxDeclaration, len(m.tokens))
	for end := at; end < last && !m.is(end, ";") && !m.is(end, "="); end = m.after(end) {
		if m.isKind(end, textToken) {
			m.importNames(at, end, m.tokens[end].text)
			return
		}
	}
}

func (m *module) importNames(from, to int, source string) {
	for at := from; at < min(to, from+maxImported); at++ {
		if m.isKind(at, wordToken) && !m.is(at, "from") && !m.is(at, "as") && !m.is(at, "type") {
			m.imports[m.tokens[at].text] = source
		}
	}
}

// resolve returns what a value stands for: the literal that a name is declared as, the
// object that a function returns or that is passed through a call, as through
// defineConfig. What cannot be known is returned as it is.
func (m *module) resolve(v *value) *value {
	for range maxResolved {
		next := m.step(v)
		if next == nil {
			return v
		}
		if v.unsure && !next.unsure {
			other := *next
			other.unsure = true
			next = &other
		}
		v = next
	}
	return &value{kind: computed, place: v.place}
}

func (m *module) step(v *value) *value {
	switch {
	case v.is(reference):
		declared := m.declarations[v.text]
		if declared == nil || declared.twice {
			return nil
		}
		if declared.read == nil {
			declared.read, _ = m.expression(declared.at, 0)
		}
		return declared.read
	case v.is(call):
		// defineConfig(object), withPlugin(object), withPlugin(options)(object)
		for i := len(v.items) - 1; i >= 0; i-- {
			if m.leadsToTable(v.items[i]) {
				return v.items[i]
			}
		}
		return m.step(&value{kind: reference, text: v.text})
	case v.is(function):
		return m.returned(v.at)
	}
	return nil
}

// leadsToTable reports whether an argument is, or is declared as, an object, a function
// or a call.
func (m *module) leadsToTable(v *value) bool {
	if v.is(reference) {
		v = m.step(v)
	}
	return v.is(table) || v.is(function) || v.is(call)
}

// returned returns what a function at a token returns: the last return of its body, not
// of what is nested in that; or nil.
func (m *module) returned(at int) *value {
	for !m.ends(at) && !m.is(at, "(") && !m.is(at, "=>") {
		at++
	}
	arrow := m.is(at, "=>")
	if m.is(at, "(") {
		if behind := m.arrowBehind(at); behind > 0 {
			arrow, at = true, behind
		} else {
			at = m.after(at)
		}
	}
	if arrow {
		at++
	}
	for !arrow && !m.ends(at) && !m.is(at, "{") {
		at++
	}
	if !m.is(at, "{") {
		if !arrow || at >= len(m.tokens) {
			return nil
		}
		v, _ := m.expression(at, 0)
		return v
	}
	var v *value
	for end, at := m.after(at)-1, at+1; at < end; at = m.after(at) {
		if m.is(at, "return") {
			v, _ = m.expression(at+1, 0)
		}
	}
	return v
}

// exported returns what the module exports: by default if name is empty.
func (m *module) exported(name string) *value {
	last := -1 // of several, as in branches, the last
	for at := range m.tokens {
		if m.tokens[at].depth != 0 {
			continue
		}
		switch {
		case name == "" && m.is(at, "export") && m.is(at+1, "default"):
			last = at + 2
		case name == "" && m.is(at, "module") && m.is(at+1, ".") && m.is(at+2, "exports") && m.is(at+3, "="),
			name != "" && m.is(at, "exports") && m.is(at+1, ".") && m.is(at+2, name) && m.is(at+3, "="):
			last = at + 4
		case name != "" && m.is(at, "export") && m.is(at+2, name) && (m.is(at+1, "const") || m.is(at+1, "let") || m.is(at+1, "var")):
			return &value{kind: reference, text: name, place: m.placeOf(at)}
		}
	}
	if last < 0 {
		return nil
	}
	v, _ := m.expression(last, 0)
	return v
}

// calledWith returns the first argument of the first call of a method, whatever it is
// called on, or nil.
func (m *module) calledWith(method string) *value {
	for at := range m.tokens {
		if m.is(at, ".") && m.is(at+1, method) && m.is(at+2, "(") && !m.is(at+3, ")") {
			v, _ := m.expression(at+3, 0)
			own := *v
			own.place = m.placeOf(at + 1)
			return &own
		}
	}
	return nil
}

// find follows a path of keys from a value, and resolves what stands on the way.
func (m *module) find(v *value, keys ...string) *value {
	if m == nil {
		return nil
	}
	v = m.resolve(v)
	for _, key := range keys {
		place := v.placeOr(Place{m.name, 0})
		if v = v.find(key); v == nil {
			return nil
		}
		if at := v.place; at.Line != 0 {
			place = at
		}
		if found := m.resolve(v); found != v {
			own := *found
			own.place = place
			v = &own
		}
	}
	return v
}

// config returns the object that the module exports by default, however it comes by it:
// by a name, through defineConfig, or from a function. Without a module it is absent.
func (m *module) config() *value {
	if m == nil {
		return nil
	}
	v := m.resolve(m.exported(""))
	if v == nil {
		v = &value{kind: computed, place: Place{m.name, 0}}
	}
	return v
}
