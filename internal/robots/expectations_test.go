package robots

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// urlPath returns what of a URL is compared with rules: the path, which is "/"
// if there is none, and the query. It takes URLs as Google's matcher does,
// which needs no scheme and gives anything at all a path.
func urlPath(url string) []byte {
	body := strings.TrimPrefix(url, "//")
	body, _, _ = strings.Cut(body, "#")
	if scheme := strings.Index(body, "://"); scheme >= 0 && !strings.ContainsAny(body[:scheme], "/?;") {
		body = body[scheme+len("://"):]
	}
	start := strings.IndexAny(body, "/?;")
	if start < 0 {
		return []byte("/")
	}
	path := body[start:]
	if path[0] != '/' {
		path = "/" + path
	}
	return []byte(path)
}

func TestURLWithoutPathMeansRoot(t *testing.T) {
	for url, want := range map[string]string{
		"":                                 "/",
		"http://www.example.com":           "/",
		"http://www.example.com/":          "/",
		"http://www.example.com/a":         "/a",
		"http://www.example.com/a/b?c=/":   "/a/b?c=/",
		"http://example.com/?u=http://d/e": "/?u=http://d/e",
		"http://example.com/a?b=c#d":       "/a?b=c",
		"http://example.com#/a":            "/",
		"example.com":                      "/",
		"example.com/a/#b":                 "/a/",
		"a":                                "/",
		"/a":                               "/a",
		"a/b":                              "/b",
		"example.com?a":                    "/?a",
		"example.com/a;b#c":                "/a;b",
		"//a/b/c":                          "/b/c",
		"a/b://c/d":                        "/b://c/d",
	} {
		if got := urlPath(url); string(got) != want {
			t.Errorf("%q: %q, want %q", url, got, want)
		}
	}
}

// The expectations are part of Google's specification test. They lie beside
// the project, not in it.
func TestGoogleExpectations(t *testing.T) {
	content, err := os.ReadFile(filepath.FromSlash("../../../shared/robots/expectations.json"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("shared/robots/expectations.json is not beside the project")
	}
	if err != nil {
		t.Fatal(err)
	}
	var expectations struct {
		Cases []struct {
			File, RobotsTxt, URL, Agent string
			Allowed                     bool
		}
	}
	if err := json.Unmarshal(content, &expectations); err != nil {
		t.Fatal(err)
	}
	if len(expectations.Cases) == 0 {
		t.Fatal("no expectations")
	}
	for _, c := range expectations.Cases {
		group := Parse(latin1(t, c.RobotsTxt)).Group(string(latin1(t, c.Agent)))
		allowed, rule := group.Allowed(urlPath(string(latin1(t, c.URL))))
		if allowed != c.Allowed {
			t.Errorf("%s: %s on %s: %v by %+v, from\n%q", c.File, c.Agent, c.URL, allowed, rule, c.RobotsTxt)
		}
	}
}

// latin1 returns the bytes that a string of the expectations stands for: one
// for each character.
func latin1(t *testing.T, s string) []byte {
	var decoded []byte
	for _, r := range s {
		if r > 0xFF {
			t.Fatalf("%q is not Latin-1", s)
		}
		decoded = append(decoded, byte(r))
	}
	return decoded
}
