package htaccess

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

func policyOf(files ...string) *Policy {
	var p *Policy
	for depth, content := range files {
		p = p.Enter(Parse([]byte(content), strings.Repeat("a/", depth)+".htaccess"))
	}
	return p
}

func TestPolicyAnswersAsApacheWould(t *testing.T) {
	for _, e := range examples {
		p := policyOf(e.files...)
		for _, name := range e.served {
			if evidence, denied := p.Denies(name); denied || evidence != nil {
				t.Errorf("%s: %q is refused: %+v", e.title, name, evidence)
			}
		}
		for _, name := range e.refused {
			if evidence, denied := p.Denies(name); !denied || evidence == nil {
				t.Errorf("%s: %q is not refused", e.title, name)
			}
		}
		if len(e.served)+len(e.refused) == 0 {
			t.Errorf("%s: no names", e.title)
		}
	}
}

func TestEvidenceIsTheDirectiveThatRefuses(t *testing.T) {
	tests := []struct {
		files []string
		want  string
	}{
		{[]string{"# ours\n\n  require   Valid-User \r\n"}, ".htaccess:3: require   Valid-User"},
		{[]string{"Require all denied", "Require ip 192.0.2.1", ""}, "a/.htaccess:1: Require ip 192.0.2.1"},
		{[]string{"Require all denied", "Options -Indexes"}, ".htaccess:1: Require all denied"},
		{[]string{"Require ip 192.0.2.1\nRequire valid-user"}, ".htaccess:1: Require ip 192.0.2.1"},
		{[]string{"<RequireAll>\nRequire not ip 192.0.2.1\nRequire all granted\nRequire user a\n</RequireAll>"}, ".htaccess:4: Require user a"},
		{[]string{"<RequireAll>\nRequire not ip 192.0.2.1\n</RequireAll>"}, ".htaccess:2: Require not ip 192.0.2.1"},
		{[]string{"<RequireAll>\nRequire all granted\n<RequireNone>\nRequire env a\nRequire method GET\n</RequireNone>\n</RequireAll>"}, ".htaccess:5: Require method GET"},
		{[]string{"Order deny,allow\nDeny from 192.0.2.1\nDeny from all\nDeny from all"}, ".htaccess:3: Deny from all"},
		{[]string{"Order allow,deny\nAllow from example.org"}, ".htaccess:1: Order allow,deny"},
		{[]string{"Require valid-user\nDeny from all"}, ".htaccess:2: Deny from all"},
		{[]string{"Deny from 192.0.2.1 \\\n  all\nRequire valid-user"}, ".htaccess:1: Deny from 192.0.2.1   all"},
		{[]string{"<Files page.html>\nRequire valid-user\n</Files>", "Require all granted"}, ".htaccess:2: Require valid-user"},
		{[]string{"\ufeffDeny from all"}, ".htaccess:1: Deny from all"},
		{[]string{"Require user " + strings.Repeat("ü", 1000)}, ".htaccess:1: Require user " + strings.Repeat("ü", 92) + "…"},
	}
	for _, test := range tests {
		evidence, denied := policyOf(test.files...).Denies("page.html")
		if !denied {
			t.Errorf("%q: not refused", test.files)
			continue
		}
		if got := fmt.Sprintf("%s:%d: %s", evidence.File, evidence.Line, evidence.Text); got != test.want {
			t.Errorf("%q: got %q, want %q", test.files, got, test.want)
		}
	}
}

func TestUnreadableFileRefusesAllBelow(t *testing.T) {
	for _, f := range []*File{
		Denied("a/.htaccess", errors.New("permission denied")),
		Parse(make([]byte, MaxSize+1), "a/.htaccess"),
	} {
		p := policyOf("Require all granted").Enter(f)
		p = p.Enter(Parse([]byte("Require all granted\n<Files page.html>\nSatisfy any\n</Files>"), "a/b/.htaccess"))
		evidence, denied := p.Denies("page.html")
		if !denied || evidence.File != "a/.htaccess" || evidence.Line != 0 || evidence.Text == "" {
			t.Errorf("got %+v, %v", evidence, denied)
		}
	}
	if _, denied := policyOf(strings.Repeat("#", MaxSize)).Denies("page.html"); denied {
		t.Error("a file of MaxSize bytes is not read")
	}
}

func TestPolicyIsTheSameWhereNothingIsSaid(t *testing.T) {
	above := policyOf("Require all denied")
	for _, content := range []string{"", wordPressRewriting, "<Files a>\nHeader set X y\n</Files>", "<FilesMatch (>\nDeny from all\n</FilesMatch>"} {
		f := Parse([]byte(content), "a/.htaccess")
		if above.Enter(f) != above {
			t.Errorf("%q: another Policy", content)
		}
		if p := (*Policy)(nil).Enter(f); p != nil {
			t.Errorf("%q: a Policy in the docroot", content)
		}
	}
	if evidence, denied := (*Policy)(nil).Denies("page.html"); denied || evidence != nil {
		t.Error("the nil Policy refuses")
	}
}

// Folders side by side add to the sections of the one above; neither may see
// those of the other.
func TestFoldersSideBySideAreApart(t *testing.T) {
	deny := func(name string) string {
		return "<Files " + name + ">\nDeny from all\n</Files>\n"
	}
	above := policyOf(deny("a")+deny("b")+deny("c"), deny("d"))
	left := above.Enter(Parse([]byte(deny("left")), ""))
	right := above.Enter(Parse([]byte(deny("right")), ""))
	for _, test := range []struct {
		p    *Policy
		name string
		want bool
	}{
		{left, "left", true}, {left, "right", false}, {left, "a", true}, {left, "d", true},
		{right, "left", false}, {right, "right", true}, {right, "c", true},
		{above, "left", false}, {above, "right", false},
	} {
		if _, denied := test.p.Denies(test.name); denied != test.want {
			t.Errorf("%s: %v", test.name, denied)
		}
	}
}

func TestSectionsThatTakeTooLongRefuseEverything(t *testing.T) {
	section := func(pattern string) string {
		return "<FilesMatch \"" + pattern + "\">\nDeny from all\n</FilesMatch>\n"
	}
	names := "<Files xxxx>\nDeny from all\n</Files>\n"
	long := strings.Repeat("x", maxCost)
	for _, test := range []struct {
		title   string
		files   []string
		refused bool
	}{
		{"as many names as there may be", []string{strings.Repeat(names, maxCost)}, false},
		{"one more", []string{strings.Repeat(names, maxCost+1)}, true},
		{"one more below", []string{strings.Repeat(names, maxCost), "", names}, true},
		{"one more that is not about access", []string{strings.Repeat(names, maxCost) + "<Files y>\nHeader set A b\n</Files>\n"}, false},
		{"a large expression", []string{section("^a{600}b{600}$")}, false},
		{"larger than its text", []string{section("(?:(?:x{10}y){10}){9}(?:x{30}y){20}x{1000}y{1000}z{1000}")}, true},
		{"two large expressions", []string{section("a{600}b{600}") + section("a{600}b{600}")}, true},
		{"a long expression", []string{section(long + "x")}, true},
		{"a long name", []string{"<Files " + long + "x>\nDeny from all\n</Files>"}, true},
		{"long wildcards", []string{"<Files *" + long[:len(long)/2] + "*>\nDeny from all\n</Files>\n<Files *" + long[:len(long)/2] + "*>\nDeny from all\n</Files>"}, true},
	} {
		evidence, denied := policyOf(test.files...).Denies("page.html")
		if denied != test.refused {
			t.Errorf("%s: %v", test.title, denied)
		}
		if denied && !strings.HasPrefix(evidence.Text, "<Files") {
			t.Errorf("%s: evidence is %.40q", test.title, evidence.Text)
		}
	}
}

func TestDeniesDoesNotAllocate(t *testing.T) {
	if raceDetector {
		t.Skip("pools, as package regexp has, lose things under the race detector")
	}
	p := policyOf(wordPress, drupal, stagingWithExceptions, "<FilesMatch \"^(?!index\\.html$)\">\nRequire all granted\n</FilesMatch>\n<Files \"*.[a-c]?\">\nDeny from all\n</Files>")
	for _, name := range []string{"index.html", "robots.txt", "a-page-of-a-rather-long-name.html", "a.engine", "x.ab"} {
		if n := testing.AllocsPerRun(100, func() { p.Denies(name) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// The race detector is the judge.
func TestPolicyIsSharedBetweenGoroutines(t *testing.T) {
	p := policyOf(drupal)
	f := Parse([]byte(stagingWithExceptions), "a/.htaccess")
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 100 {
				p.Enter(f).Denies("robots.txt")
			}
		})
	}
	group.Wait()
}

// Each is a file of nearly MaxSize that takes as long as any that could be
// thought of.
var hostile = map[string]string{
	"open sections":      strings.Repeat("<IfModule a>\n", MaxSize/13),
	"open groups":        strings.Repeat("<RequireAll>\n", MaxSize/13),
	"skipped sections":   strings.Repeat("<a>\n", MaxSize/4),
	"closing tags":       strings.Repeat("</\n", MaxSize/3),
	"continued lines":    strings.Repeat("\\\n", MaxSize/2),
	"directives":         strings.Repeat("Deny x all\n", MaxSize/11),
	"one directive":      "Deny from " + strings.Repeat("a ", MaxSize/2-10),
	"one line of quotes": strings.Repeat("\"", MaxSize),
	"empty words":        "Deny from \"" + strings.Repeat("\\\\", MaxSize/2-10),
	"sections":           strings.Repeat("<Files a>\nOrder x\n</a\n", MaxSize/22),
	"brackets":           strings.Repeat("<Files *"+strings.Repeat("[", 4000)+">\nDeny from all\n</a\n", MaxSize/4027),
	"bad expressions":    strings.Repeat("<FilesMatch "+strings.Repeat("(?!a)(?=", 500)+">\nDeny from all\n</a\n", MaxSize/4031),
	"lookaheads":         "<FilesMatch ^" + strings.Repeat("(?!a)", 800) + ">\nDeny from all\n",
	"NULs":               strings.Repeat("\x00", MaxSize),
}

func BenchmarkParseHostile(b *testing.B) {
	for title, content := range hostile {
		b.Run(title, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(content)))
			for b.Loop() {
				Parse([]byte(content), ".htaccess")
			}
		})
	}
}

func BenchmarkDenies(b *testing.B) {
	for title, p := range map[string]*Policy{
		"none":    nil,
		"staging": policyOf(staging),
		"drupal":  policyOf(drupal),
	} {
		b.Run(title, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.Denies("2024-03-release-notes.html")
			}
		})
	}
}
