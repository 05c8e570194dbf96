//go:build unix

package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// presetConfig writes a configuration with a preset, and returns its path.
func presetConfig(t *testing.T, preset string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sitewalk.yaml")
	writeFile(t, path, "urls: {preset: "+preset+"}\n")
	return path
}

// An nginx that is told of nothing but its root answers each URL of the preset at
// once: checkServed follows no redirect.
func TestNginxServesWhatItsPresetLists(t *testing.T) {
	docroot := publicDir(t)
	names := []string{"index.html", "page.html", "page.htm", "dir/index.html", "dir/page.xhtml", "dir/v1.2.html",
		"old/index.htm", "older/index.xhtml", "both.html", "both/index.html", "both/index.htm"}
	writePages(t, docroot, names...)
	base := serve(t, docroot, "")
	build(t, "-c", presetConfig(t, "nginx"), "--docroot", docroot, "--base-url", base)
	p := protocol09
	p.scope = base
	set := checkSet(t, docroot, p)
	if len(set.pages) != len(names) {
		t.Errorf("%d pages are listed, of %d", len(set.pages), len(names))
	}
	checkServed(t, docroot, set, names)
}

func TestPresetsListWhatHugoLists(t *testing.T) {
	ugly, mixed := "HUGO_UGLYURLS=true", "HUGO_PARAMS_RELATIVE=true"
	for name, test := range map[string]struct {
		preset   string
		settings []string
		inferred string
	}{
		"pretty URLs, by name":     {"hugo", nil, ""},
		"pretty URLs, inferred":    {"auto", nil, "urls.preset auto: extension keep, slash auto, as "},
		"ugly URLs, inferred":      {"auto", []string{ugly}, "urls.preset auto: index [], extension keep, slash auto, as "},
		"relative heads, inferred": {"auto", []string{mixed}, "urls.preset auto: extension keep, slash auto, as "},
		"relative and ugly":        {"auto", []string{ugly, mixed}, "urls.preset auto: index [], extension keep, slash auto, as "},
	} {
		t.Run(name, func(t *testing.T) {
			docroot, out := filepath.Join(publicDir(t), "public"), t.TempDir()
			runHugo(t, hugoSource, docroot, test.settings)
			wanted := hugoPages(t, docroot, hugoBase)
			args := []string{"-c", presetConfig(t, test.preset), "--docroot", docroot, "--base-url", hugoBase, "--out", out}
			report := buildReading(t, args...)
			compareAlternates(t, ownPages(t, out, hugoBase), wanted)
			for _, code := range []string{"canonical-style", "preset-undecided"} {
				if warning := warningOf(report, code); warning.Code != "" {
					t.Errorf("warned of %q", warning)
				}
			}
			done := execute(t, append([]string{"build", "--dry-run"}, args...)...)
			says := slices.IndexFunc(lines(done.stderr), func(line string) bool {
				return strings.HasPrefix(line, test.inferred) && strings.HasSuffix(line, " canonicals say")
			})
			if (says >= 0) != (test.inferred != "") {
				t.Errorf("a dry run says\n%s", done.stderr)
			}
		})
	}
}
