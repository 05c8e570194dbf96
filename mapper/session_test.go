package mapper

import "testing"

func TestHasSession(t *testing.T) {
	for url, want := range map[string]bool{
		"https://h/a;jsessionid=1F2E":    true,
		"https://h/a;jsessionid=1F2E/b":  true,
		"https://h/a?PHPSESSID=1":        true,
		"https://h/a?b=c&sid=1#d":        true,
		"https://h/a?ASPSESSIONIDABCD=1": true,
		"https://h/a?b=sid":              false,
		"https://h/a?sidecar=1":          false,
		"https://h/sid=1":                false,
		"https://h/a;version=2?b=c":      false,
		"https://h/a?b=c#sid=1":          false,
		"https://h/":                     false,
		"":                               false,
	} {
		if got := HasSession(url); got != want {
			t.Errorf("of %q it is %v", url, got)
		}
	}
}
