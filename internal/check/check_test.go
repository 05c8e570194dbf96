package check

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// now is the time of all checks in these tests.
var now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

const corpus = "../../testdata/check"

// findingsOf checks a set and returns what is found. Temporary files must be gone.
func findingsOf(t *testing.T, options Options) (Result, []Finding) {
	t.Helper()
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	if options.Now.IsZero() {
		options.Now = now
	}
	var found []Finding
	options.Found = func(f *Finding) { found = append(found, *f) }
	result, err := Run(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("%v are left in the folder of temporary files, %v", left, err)
	}
	return result, found
}

// violationsOf returns the codes of the violations of a set.
func violationsOf(t *testing.T, options Options) []Code {
	t.Helper()
	_, found := findingsOf(t, options)
	var codes []Code
	for _, f := range found {
		if !f.Code.IsWarning() {
			codes = append(codes, f.Code)
		}
	}
	return codes
}

// corpusSets returns the sets of testdata/check/KIND: files, and folders.
func corpusSets(t *testing.T, kind string) []string {
	t.Helper()
	sets, err := filepath.Glob(filepath.Join(corpus, kind, "*"))
	if err != nil || len(sets) == 0 {
		t.Fatalf("no set in %s: %v", kind, err)
	}
	return sets
}

// corpusFiles returns all XML files of the corpus that are not compressed.
func corpusFiles(t *testing.T) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(corpus, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".xml") && !strings.Contains(path, "gzip.unnamed") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func TestGoodSetsHaveNoViolation(t *testing.T) {
	for _, set := range corpusSets(t, "good") {
		t.Run(filepath.Base(set), func(t *testing.T) {
			result, found := findingsOf(t, Options{Target: set})
			if result.Pages == 0 || result.Shards == 0 {
				t.Errorf("%d pages in %d shards", result.Pages, result.Shards)
			}
			for _, f := range found {
				if !f.Code.IsWarning() {
					t.Errorf("%+v", f)
				}
			}
		})
	}
}

// TestBadSetsHaveTheViolationTheyAreNamedFor has sets that are named CODE.WHAT.
func TestBadSetsHaveTheViolationTheyAreNamedFor(t *testing.T) {
	shown := map[Code]bool{}
	for _, set := range corpusSets(t, "bad") {
		t.Run(filepath.Base(set), func(t *testing.T) {
			code, _, _ := strings.Cut(filepath.Base(set), ".")
			codes := violationsOf(t, Options{Target: set})
			if !slices.Contains(codes, Code(code)) {
				t.Errorf("has %v", codes)
			}
			// One mistake is not to bring up others, but for those that it is.
			for _, other := range codes {
				if other != Code(code) {
					t.Errorf("also has %s", other)
				}
			}
			shown[Code(code)] = true
		})
	}
	// Shown in tests of their own: they need a size, a server or a docroot.
	elsewhere := []Code{Unread, TooManyURLs, TooManyShards, TooLarge, RedirectHost, ContentEncoding, ListedNoFile, MissingPage, LastModDiffers}
	for _, code := range Codes() {
		if !shown[code] && !code.IsWarning() && !slices.Contains(elsewhere, code) {
			t.Errorf("no set in the corpus has the violation %s", code)
		}
	}
}

func TestBracketsStandAroundAnAddressOnly(t *testing.T) {
	for raw, want := range map[string]string{
		"https://[::1]/a":              "",
		"https://[::1]:8080?a=1":       "",
		"https://www.example.com?a[]=": "has a bracket that must be escaped, as %5B",
		"https://www.example.com#a[]":  "has a bracket that must be escaped, as %5B",
		"https://[::1]?a]":             "has a bracket that must be escaped, as %5D",
		"https://[::1]/a[":             "has a bracket that must be escaped, as %5B",
		"[https://www.example.com/":    "has a bracket that must be escaped, as %5B",
		"a//b/[c]":                     "has a bracket that must be escaped, as %5B",
		"https://a[b]c/":               "has no valid IPv6 address for a host",
		"https://[::1]x/":              "has no valid IPv6 address for a host",
		"https://www.example.com[]:80": "has no valid IPv6 address for a host",
		// In time that does not grow with the square of the length.
		"https://" + strings.Repeat("[", 8<<20): "has no valid IPv6 address for a host",
	} {
		if got := urlProblem(raw); got != want {
			t.Errorf("%.60q %s, want %q", raw, got, want)
		}
	}
}

// TestTheOtherSpellingIsTold has a page twice, spelled otherwise.
func TestTheOtherSpellingIsTold(t *testing.T) {
	_, found := findingsOf(t, Options{Target: filepath.Join(corpus, "bad", "duplicate.host-case.xml")})
	if len(found) == 0 || !strings.HasPrefix(found[0].Message, `is listed already, as "https://www.example.com/a", in `) {
		t.Errorf("found %+v", found)
	}
}
