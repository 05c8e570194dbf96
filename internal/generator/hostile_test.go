package generator

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// soon fails the test unless f returns before all tests would be given up, even on a
// loaded machine.
func soon(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(8 * time.Minute):
		t.Fatal("it takes longer than eight minutes")
	}
}

func TestLinksThatLeadOutsideAreNotFollowed(t *testing.T) {
	outside := t.TempDir()
	secret := filepath.Join(outside, "hugo.toml")
	if err := os.WriteFile(secret, []byte("baseURL = 'https://secret.dev/'"), 0o644); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.Symlink(secret, filepath.Join(folder, "hugo.toml")); err != nil {
		t.Skip("this system has no links: ", err)
	}
	if found, err := Recognise(open(t, folder), Options{}); err == nil {
		t.Errorf("found %+v", found)
	}
	if found := recognise(t, open(t, folder), Options{Generator: Hugo}); found.BaseURL.Value != "" {
		t.Errorf("forced to Hugo, found %+v", found.BaseURL)
	}
}

func TestSettingsThatLeadOutsideAreNotFollowed(t *testing.T) {
	folder := t.TempDir()
	for name, content := range map[string]string{
		"project/mkdocs.yml":  "INHERIT: ../base.yml\nsite_dir: ../out\n",
		"base.yml":            "site_url: https://secret.dev/\n",
		"out/index.html":      "<link rel=canonical href=https://secret.dev/>",
		"out/CNAME":           "secret.dev",
		"project/out/nothing": "",
	} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	found := recognise(t, open(t, filepath.Join(folder, "project")), Options{})
	if found.BaseURL.Value != "" || found.Docroot.Value != "../out" {
		t.Errorf("found %+v and %+v", found.BaseURL, found.Docroot)
	}
}

func TestLargeFilesAreNotRead(t *testing.T) {
	content := "baseURL = 'https://a.dev/'\n#" + strings.Repeat("x", maxFile)
	found := recognise(t, project(t, map[string]string{"hugo.toml": content}), Options{})
	if found.BaseURL.Value != "" || !strings.Contains(found.Notes[0].Message, "larger than 1 MiB") {
		t.Errorf("found %+v and %+v", found.BaseURL, found.Notes)
	}
}

func TestNothingThatAFileSaysBreaksALine(t *testing.T) {
	for name, content := range map[string]string{
		"hugo.toml":            "baseURL = \"x\\ny\\u001b[31m\"\npublishDir = \"a\\nb\"\ndisableKinds = [\"a\\nb\"]\n",
		"_config.yml":          "url: \"x\\ny\"\ndestination: \"a\\x1b\\nb\"\n",
		"astro.config.mjs":     "export default { site: 'x\\ny', outDir: '\\u{1b}\\n' }",
		"docusaurus.config.js": "export default { url: 'https://a.dev/\\n', baseUrl: '/\\n/' }",
		"svelte.config.js":     "import a from 'x\\ny';\nexport default { kit: { adapter: a() } };",
		"mkdocs.yml":           "site_name: [\n\x00\n",
	} {
		found, err := Recognise(project(t, map[string]string{name: content}), Options{Docroot: "."})
		if err != nil {
			t.Fatal(err)
		}
		all := fmt.Sprintf("%v %v %v %v", found.Notes, found.Sitemaps, found.BaseURL, found.Docroot)
		if printable(all) != all {
			t.Errorf("%s: %q", name, all)
		}
	}
	found := recognise(t, project(t, map[string]string{"hugo.toml": "publishDir = \"a\\nb\""}), Options{})
	if found.Docroot.Value != "public" || !strings.Contains(codes(found), NoteUnreadable) {
		t.Errorf("found %+v, with notes %v", found.Docroot, codes(found))
	}
}

func TestHostileFilesTakeBoundedTime(t *testing.T) {
	// What takes quadratic time takes minutes at this size.
	const size = maxFile / 4
	repeat := func(text string) string { return strings.Repeat(text, size/len(text)) }
	deep := func(open, end string) string {
		n := size / (len(open) + len(end))
		return strings.Repeat(open, n) + strings.Repeat(end, n)
	}
	aliases := "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i < 50; i++ {
		aliases += fmt.Sprintf("a%d: &a%d [*a%d,*a%d,*a%d,*a%d]\n", i, i, i-1, i-1, i-1, i-1)
	}
	scripts := []string{
		repeat("["), repeat("{"), repeat("("), repeat("`${"), repeat("a("), repeat("a:{"), repeat("const "), repeat("const a="), repeat("import "),
		repeat("import{"), repeat("function "), repeat("export default "), repeat("export default a\n"), repeat("a||"), repeat("x=>"), repeat("async "),
		repeat("new "), repeat("await "), repeat("...a,"), repeat("a<"), repeat("/["), repeat("'\\"), repeat("}"), repeat("f(a)(b)"), repeat("const a=b\nconst b=a\n"),
		"export default " + deep("{a:", "}"), "export default " + deep("[", "]"), "export default " + deep("(", ")"), "export default " + deep("a(", ")"),
		deep("import{", "}'x'"), "export default {" + repeat("a:1,") + "}", "export default a" + repeat("||a"), "export default {a:" + repeat("new "),
		"export default " + repeat("()=>"), "export default " + repeat("async x=>"), "export default {" + repeat("[a]:1,...b,") + "}",
	}
	soon(t, func() {
		for i, script := range scripts {
			begun := spent(t)
			for _, name := range []string{"astro.config.mjs", "eleventy.config.js", "vite.config.js"} {
				s := &survey{folder{project(t, map[string]string{name: script})}, &Project{}, Options{}, nil}
				for _, g := range generators {
					g.look(s, true)
				}
			}
			if took := spent(t) - begun; took > 20*time.Second {
				t.Errorf("script %d (%.30q…) takes %v", i, script, took)
			}
		}
	})
	files := map[string][]string{
		"hugo.toml": {repeat("a=1\n"), "a=" + deep("[", "]"), "a=" + deep("{a=", "}"), repeat("a."), repeat("[a]\n"), "a" + repeat(".a") + "=1", repeat("[[a]]\n"), "\"" + repeat("\n")},
		"hugo.yaml": {aliases, deep("[", "]"), repeat("a: "), repeat("- "), repeat("{a: "), repeat("? "), repeat("a:\n"), "a: &a\n b: *a\nbaseURL: *a\n"},
		"hugo.json": {deep("[", "]"), "{" + repeat("\"a\":1,") + "\"b\":1}", deep("{\"a\":", "}")},
	}
	soon(t, func() {
		for name, contents := range files {
			for i, content := range contents {
				begun := spent(t)
				if _, err := Recognise(project(t, map[string]string{name: content}), Options{}); err != nil {
					t.Errorf("%s %d: %v", name, i, err)
				}
				if took := spent(t) - begun; took > 20*time.Second {
					t.Errorf("%s %d takes %v", name, i, took)
				}
			}
		}
	})
}
