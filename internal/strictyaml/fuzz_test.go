package strictyaml

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

func FuzzDecode(f *testing.F) {
	for _, mistake := range mistakes {
		if len(mistake.text) < 1000 {
			f.Add([]byte(mistake.text))
		}
	}
	for _, text := range foreign {
		f.Add([]byte(text))
	}
	for _, text := range bombs {
		if len(text) < 1000 {
			f.Add([]byte(text))
		}
	}
	f.Add([]byte(`
base_url: https://www.example.com/
docroot: public
include: ["**/*.{html,htm,xhtml}"]
exclude: &none []
follow_symlinks: inside
urls: {index: [index.html], charset: utf-8}
pages: {read: true, hints: false, agents: ["*", googlebot]}
rules:
  - &blog
    match: "blog/**"
    section: blog
    priority: 0.8
  - {<<: *blog, match: [a, b], list: false}
output: {protocol: "0.9", max_urls: 50_000, stale_grace: 1h, level: -9, workers: 4}
watch: {settle: 200ms, max_delay: 5s}
sites:
  - {docroot: a, exclude: *none}
  - docroot: b
    rules: [*blog]
`))
	f.Fuzz(func(t *testing.T, data []byte) {
		start := time.Now()
		first, second := defaults(), defaults()
		positions, err := Decode(data, first, quoting)
		_, silentErr := Decode(data, second, Options{})
		if placeOf(err) != placeOf(silentErr) || (err == nil) != (silentErr == nil) {
			t.Errorf("%v, but %v without quoting", err, silentErr)
		}
		if err != nil {
			checkError(t, data, err)
			checkSilence(t, data, silentErr)
			return
		}
		if !reflect.DeepEqual(first, second) {
			t.Errorf("%+v, then %+v", first, second)
		}
		for _, path := range []string{"rules[0].match[0]", "output.max_urls", "sites[1].docroot"} {
			checkError(t, data, positions.Error(path, "message", "hint"))
		}
		for i := range first.Sites {
			site := *second
			if positions, err := DecodeNode(&first.Sites[i], &site, quoting); err != nil {
				checkError(t, data, err)
			} else {
				checkError(t, data, positions.Error("docroot", "message", "hint"))
			}
			site = *second
			if _, err := DecodeNode(&first.Sites[i], &site, Options{}); err != nil {
				checkSilence(t, data, err)
			}
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

// linesOf counts all that YAML 1.1, and so yaml.v3, takes for line breaks.
func linesOf(data []byte) int {
	lines := 1
	for _, r := range string(data) {
		if strings.ContainsRune("\n\r\u0085\u2028\u2029", r) {
			lines++
		}
	}
	return lines
}

func checkError(t *testing.T, data []byte, err error) {
	t.Helper()
	var bad *Error
	if !errors.As(err, &bad) {
		t.Fatalf("%T: %v", err, err)
	}
	if bad.Message == "" || bad.File != quoting.File || strings.ContainsAny(err.Error(), "\n\r\x00\x1b") {
		t.Errorf("%#v", bad)
	}
	if (bad.Line > 0) != (bad.Column > 0) || bad.Line < 0 || bad.Line > linesOf(data) {
		t.Errorf("no such place: %v", err)
	}
}

func checkSilence(t *testing.T, data []byte, err error) {
	t.Helper()
	var bad *Error
	if !errors.As(err, &bad) {
		t.Fatalf("%T: %v", err, err)
	}
	if words := foreignWords(bad, linesOf(data)); len(words) > 0 {
		t.Errorf("%v repeats %q", err, words)
	}
}
