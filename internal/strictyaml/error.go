package strictyaml

import (
	"fmt"
	"sitewalk/internal/display"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Error is a mistake in a configuration file.
type Error struct {
	File         string // as in Options; may be empty
	Line, Column int    // from 1, columns in characters; 0 when no place in the file is to blame
	Message      string // what is wrong, lower case, without a full stop
	Hint         string // how to mend it; may be empty
}

// Error gives the mistake as one line of printable text:
//
//	sitewalk.yaml:3:5: unknown key "basurl" (did you mean base_url?)
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		if e.File == "" {
			b.WriteString("line ")
		} else {
			b.WriteByte(':')
		}
		fmt.Fprintf(&b, "%d:%d", e.Line, e.Column)
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	b.WriteString(e.Message)
	if e.Hint != "" {
		b.WriteString(" (" + e.Hint + ")")
	}
	return display.Text(b.String())
}

// Errorf is for UnmarshalYAML methods: it reports a mistake at a node, which
// may lie anywhere inside the node that the method was given. The hint may be
// empty. Decode fills in the file, and where Options forbid quoting it replaces
// message and hint.
//
//	func (f *Frequency) UnmarshalYAML(node *yaml.Node) error {
//		…
//		return strictyaml.Errorf(node, "use daily or weekly", "unknown frequency %q", node.Value)
//	}
func Errorf(node *yaml.Node, hint, format string, args ...any) *Error {
	e := &Error{Message: fmt.Sprintf(format, args...), Hint: hint}
	if node != nil {
		e.Line, e.Column = node.Line, node.Column
	}
	return e
}

// maxQuoted is how many characters of a key or a name a message repeats.
const maxQuoted = 40

// quoted gives text from the file in the form in which messages carry it.
func quoted(s string) string {
	if utf8.RuneCountInString(s) > maxQuoted {
		s = string([]rune(s)[:maxQuoted]) + "…"
	}
	return strconv.Quote(s)
}
