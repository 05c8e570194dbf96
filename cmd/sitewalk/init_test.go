//go:build unix

package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// beginHugoSite has real Hugo begin a project, and gives it a layout and some pages.
func beginHugoSite(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(publicDir(t), "site")
	cmd := exec.Command(program(t, "hugo"), "new", "site", folder)
	cmd.Env = append(cleanEnv(), "HUGO_CACHEDIR="+t.TempDir())
	if done := finish(t, cmd); done.code != 0 {
		t.Fatalf("hugo new site ends with %d\n%s%s", done.code, done.stdout, done.stderr)
	}
	page := `<!doctype html><title>{{ .Title }}</title><link rel="canonical" href="{{ .Permalink }}">{{ .Content }}`
	for _, name := range []string{"layouts/single.html", "layouts/list.html", "layouts/404.html"} {
		writeFile(t, filepath.Join(folder, name), page)
	}
	if err := os.MkdirAll(filepath.Join(folder, "content", "bread"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(folder, "content", "bread", "rye.md"), "---\ntitle: Rye\naliases: [/old/]\ntags: [dark]\n---\nText.\n")
	writeFile(t, filepath.Join(folder, "content", "about.md"), "---\ntitle: About\n---\nText.\n")
	return folder
}

func TestInitSuitsWhatHugoBegins(t *testing.T) {
	for name, setting := range map[string]string{
		"as begun":         "",
		"ugly URLs":        "uglyURLs = true\n",
		"another folder":   "publishDir = 'www'\n",
		"a path":           "baseURL = 'https://bakery.dev/shop/'\n",
		"no sitemap of it": "disableKinds = [\"sitemap\"]\n",
	} {
		t.Run(name, func(t *testing.T) {
			folder := beginHugoSite(t)
			toml := filepath.Join(folder, "hugo.toml")
			begun := readFile(t, toml)
			if strings.HasPrefix(setting, "baseURL") {
				begun = begun[strings.Index(begun, "\n")+1:]
			}
			writeFile(t, toml, setting+begun)

			done := execute(t, "init", folder)
			if done.code != exitDone || !strings.Contains(done.stdout, "hugo) && sitewalk build") {
				t.Fatalf("init: %+v", done)
			}
			if told := strings.Contains(done.stderr, `set disableKinds = ["sitemap"]`); told != !strings.HasPrefix(setting, "disableKinds") {
				t.Errorf("of Hugo's own sitemap: %s", done.stderr)
			}
			docroot := filepath.Join(folder, "public")
			if strings.HasPrefix(setting, "publishDir") {
				docroot = filepath.Join(folder, "www")
			}
			runHugo(t, folder, docroot, nil)
			config := filepath.Join(folder, configFile)

			if strings.HasPrefix(setting, "disableKinds") {
				if _, err := os.Stat(filepath.Join(docroot, "sitemap.xml")); err == nil {
					t.Fatal("Hugo still writes a sitemap")
				}
				build(t, "-c", config, "--no-state")
				return
			}
			own := newLinkedPages()
			own.add(t, []byte(readFile(t, filepath.Join(docroot, "sitemap.xml"))))
			out := filepath.Join(publicDir(t), "out")
			done = execute(t, "build", "-c", config, "--no-state", "--out", out)
			if done.code != exitDone || strings.Contains(done.stderr, "canonical-style") {
				t.Fatalf("build: %+v", done)
			}
			ours := newLinkedPages()
			ours.add(t, []byte(readFile(t, filepath.Join(out, "sitemap.xml"))))
			if got, want := slices.Sorted(maps.Keys(ours.lastMod)), slices.Sorted(maps.Keys(own.lastMod)); !slices.Equal(got, want) {
				t.Errorf("listed\n%q\nand by Hugo\n%q", got, want)
			}
		})
	}
}
