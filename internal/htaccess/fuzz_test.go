package htaccess

import (
	"strings"
	"testing"
)

// FuzzParse looks for files on which reading or matching panics, and for evidence
// that is not in the file.
func FuzzParse(f *testing.F) {
	for _, e := range examples {
		f.Add(strings.Join(e.files, "\n"), append(e.served, e.refused...)[0])
	}
	f.Fuzz(func(t *testing.T, content, name string) {
		file := Parse([]byte(content), ".htaccess")
		p := (*Policy)(nil).Enter(file)
		evidence, denied := p.Denies(name)
		if denied != (evidence != nil) {
			t.Fatalf("denied is %v, evidence is %v", denied, evidence)
		}
		if denied {
			line := strings.Split(content, "\n")[evidence.Line-1]
			first, _, _ := strings.Cut(evidence.Text, " ")
			first = strings.TrimSuffix(first, "…")
			if len(evidence.Text) > maxEvidence || !strings.Contains(line, first) && !strings.HasSuffix(strings.TrimSuffix(line, "\r"), "\\") {
				t.Fatalf("evidence %+v is not in line %q", evidence, line)
			}
		}
		again, deniedAgain := p.Enter(file).Denies(name)
		if file.cost*2 <= maxCost && deniedAgain != denied {
			t.Fatalf("denied is %v, but %v in a folder that says the same: %v", denied, deniedAgain, again)
		}
	})
}

// FuzzPattern looks for patterns on which compiling or matching panics, and for
// expressions that Go has and are read otherwise here.
func FuzzPattern(f *testing.F) {
	for _, pattern := range []string{
		"*.h?ml", "[a-c]*[!]x-]\\\\", "[", "\\", "^(?!index\\.html$)(?=.*a)[^](]b|c", "(?<!a)b(?>c)", "^(?!", "a{900}{900}", "(?:x{99}){9}",
	} {
		f.Add(pattern, "index.html")
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if m, cost := newMatcher(pattern, false); m != nil {
			m.match(name)
			if cost > maxCost {
				t.Fatalf("a matcher that costs %d", cost)
			}
		}
		m, _ := newMatcher(pattern, true)
		if m == nil {
			return
		}
		if compiled, _ := compileExpression(pattern); compiled != nil && m.match(name) != compiled.MatchString(name) {
			t.Fatalf("%q is read otherwise than by Go", pattern)
		}
	})
}
