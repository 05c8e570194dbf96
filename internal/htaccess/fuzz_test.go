package htaccess

import (
	"path"
	"strings"
	"testing"
)

// FuzzParse looks for files on which reading or matching panics, for evidence that is
// not in the file, and for verdicts that depend on a remark.
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
		// A remark in front moves lines, and nothing else, unless what was the first begins
		// with a byte order mark.
		moved := Parse([]byte("# remark\n"+content), ".htaccess")
		movedEvidence, movedDenied := (*Policy)(nil).Enter(moved).Denies(name)
		if !strings.HasPrefix(content, "\ufeff") && (movedDenied != denied || denied && (movedEvidence.Line != evidence.Line+1 || movedEvidence.Text != evidence.Text)) {
			t.Fatalf("denied is %v, %+v, but %v, %+v below a remark", denied, evidence, movedDenied, movedEvidence)
		}
		again, deniedAgain := p.Enter(file).Denies(name)
		if file.cost*2 <= maxCost && deniedAgain != denied {
			t.Fatalf("denied is %v, but %v in a folder that says the same: %v", denied, deniedAgain, again)
		}
	})
}

// FuzzPattern looks for patterns on which compiling or matching panics, and for
// wildcards and expressions that Go has and are read otherwise here.
func FuzzPattern(f *testing.F) {
	for _, pattern := range []string{
		"*.h?ml", "[a-c]*[!]x-]\\\\", "[", "\\", "^(?!index\\.html$)(?=.*a)[^](]b|c", "(?<!a)b(?>c)", "^(?!", "a{900}{900}", "(?:x{99}){9}",
	} {
		f.Add(pattern, "index.html")
		f.Add(pattern, pattern)
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if m, cost := newMatcher(pattern, false); m != nil {
			got := m.match(name)
			if cost > maxCost {
				t.Fatalf("a matcher that costs %d", cost)
			}
			// Package path reads characters where Apache reads bytes, and has no [!a].
			_, isWildcard := m.(wildcard)
			if want, err := path.Match(pattern, name); isWildcard && err == nil && isASCII(pattern+name) && !strings.Contains(pattern, "[!") && !strings.Contains(name, "/") && got != want {
				t.Fatalf("%q on %q: %v, package path says %v", pattern, name, got, want)
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

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r > 127 }) < 0
}
