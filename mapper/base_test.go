package mapper

import (
	"net/url"
	"strings"
	"testing"
)

func TestBaseURLIsNormalised(t *testing.T) {
	for raw, want := range map[string]string{
		"https://www.example.com":            "https://www.example.com/",
		"https://www.example.com/":           "https://www.example.com/",
		" https://www.example.com/\n":        "https://www.example.com/",
		"HTTPS://WWW.Example.COM":            "https://www.example.com/",
		"http://example.com:8080":            "http://example.com:8080/",
		"http://example.com:1/":              "http://example.com:1/",
		"http://example.com:65535/":          "http://example.com:65535/",
		"http://example.com:0080/":           "http://example.com:80/",
		"https://example.com/docs":           "https://example.com/docs/",
		"https://example.com/Docs/V1/":       "https://example.com/Docs/V1/",
		"https://example.com/my docs":        "https://example.com/my%20docs/",
		"https://example.com/my%20docs":      "https://example.com/my%20docs/",
		"https://example.com/%c3%bc/":        "https://example.com/%C3%BC/",
		"https://example.com/ü":              "https://example.com/%C3%BC/",
		"https://example.com/%7Euser/":       "https://example.com/~user/",
		"https://example.com/a%2Fb/":         "https://example.com/a%2Fb/",
		"https://bücher.example/":            "https://xn--bcher-kva.example/",
		"https://BÜCHER.example/":            "https://xn--bcher-kva.example/",
		"https://b%C3%BCcher.example/":       "https://xn--bcher-kva.example/",
		"https://例え.テスト/":                    "https://xn--r8jz45g.xn--zckzah/",
		"http://[::1]/":                      "http://[::1]/",
		"http://[2001:DB8::1]:8080/x":        "http://[2001:db8::1]:8080/x/",
		"http://192.0.2.1/":                  "http://192.0.2.1/",
		"http://localhost:3000":              "http://localhost:3000/",
		"http://my_host.internal/":           "http://my_host.internal/",
		"https://example.com/a/.well-known/": "https://example.com/a/.well-known/",
		"https://example.com/.../":           "https://example.com/.../",
	} {
		b, err := parseBase(raw)
		if err != nil {
			t.Errorf("%q: %v", raw, err)
			continue
		}
		if got := b.origin + b.path; got != want {
			t.Errorf("%q became %s, want %s", raw, got, want)
		}
		if again, err := parseBase(b.origin + b.path); err != nil || again != b {
			t.Errorf("%q is not normal yet: %v, %v", b.origin+b.path, again, err)
		}
	}
}

func TestBaseURLsThatCannotServeAreRefused(t *testing.T) {
	for _, raw := range []string{
		"", " ", "www.example.com", "example.com/docs", "//example.com/", "/docs", "localhost:8080",
		"ftp://example.com/", "file:///srv/www", "mailto:a@example.com", "javascript:alert(1)", "https:example.com",
		"https://", "https:///docs", "https://:8080/", "https:/example.com", "https://.../", "https://a..example/", "https://.example/",
		"https://user@example.com/", "https://user:secret@example.com/", "https://@example.com/",
		"https://example.com/?a=1", "https://example.com/?", "https://example.com?",
		"https://example.com/#top", "https://example.com/#", "https://example.com#",
		"https://example.com:0/", "https://example.com:65536/", "https://example.com:/", "https://example.com:http/",
		"https://example.com:-1/", "https://example.com:99999999999999999999/", "https://[::1]:0/",
		"https://example.com/a/../b", "https://example.com/.", "https://example.com/./", "https://example.com/%2e%2E/", "https://example.com/.%2e",
		"https://exa mple.com/", "https://example.com/%zz", "https://exam%20ple.com/", "https://example.com\\evil/", "https://exa\nmple.com/", "https://example.com/\x00",
		"https://[::1", "https://[:::]/", "https://[zz]/", "https://[fe80::1%25eth0]/", "https://[1.2.3.4]/", "https://[]/",
		"https://exa<mple.com/", `https://"/`, "https://a/b?c#d",
	} {
		b, err := parseBase(raw)
		if err == nil {
			t.Errorf("%q was taken, as %s%s", raw, b.origin, b.path)
			continue
		}
		if bad := configError(t, err); bad.Key != "base_url" || bad.Problem == "" || bad.Hint == "" {
			t.Errorf("%q: %#v", raw, bad)
		}
	}
}

// FuzzBaseURL holds any base_url that is taken to this: as it is spelled then it is taken
// again, it has the scheme, the host and the path that net/url reads, and nothing else.
func FuzzBaseURL(f *testing.F) {
	for _, seed := range []string{
		"https://h.test", "HTTP://H.test:80/a b/", "https://h.test:0443/%7ea/%zz", "https://bücher.test/ü", "https://[::1]:8080/", "https://u:p@h.test/?q#f",
		"https://h.test//a/../b", " https://h.test./ ", "https://xn--bcher-kva.test", "https://h.test/%2f/%2e", "https://h\x00.test", "https://127.1/", "//h.test/",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		m, err := tryMapper("", func(c *Config) { c.BaseURL = raw })
		if err != nil {
			if bad := configError(t, err); bad.Key != "base_url" {
				t.Fatalf("%q: %v", raw, err)
			}
			return
		}
		base := m.BaseURL()
		u, err := url.Parse(base)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery || !strings.HasSuffix(u.EscapedPath(), "/") {
			t.Fatalf("%q is taken for %q: %#v, %v", raw, base, u, err)
		}
		origin := u.Scheme + "://" + u.Host + "/"
		checkLoc(t, base, origin)
		again, err := tryMapper("", func(c *Config) { c.BaseURL = base })
		if err != nil || again.BaseURL() != base {
			t.Fatalf("%q is taken for %q, and that not for itself: %v", raw, base, err)
		}
		if len(base) > MaxLoc/2 {
			return // the page's URL may be too long
		}
		if got := locOf(m.NewWorker(), "a b/ü.html"); got != base+"a%20b/%C3%BC.html" {
			t.Fatalf("under %q a page is %q", base, got)
		}
	})
}
