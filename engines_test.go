package sitewalk_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"sitewalk"
)

func TestWhomToTellLoads(t *testing.T) {
	config, err := sitewalk.Load(writeConfig(t, `
base_url: https://h.example/
submit:
  indexnow: {key: abc-DEF-012, key_location: https://h.example/blog/k.txt, endpoint: http://127.0.0.1:8080/now}
  ping: ["https://e.example/ping?sitemap={sitemap}", "http://f.example/"]
  auto: true
  quiet: 90s
`))
	if err != nil {
		t.Fatal(err)
	}
	if err := config.Validate(); err != nil {
		t.Error(err)
	}
	want := sitewalk.SubmitConfig{
		IndexNow: sitewalk.IndexNow{Key: "abc-DEF-012", KeyLocation: "https://h.example/blog/k.txt", Endpoint: "http://127.0.0.1:8080/now"},
		Ping:     []string{"https://e.example/ping?sitemap={sitemap}", "http://f.example/"}, Auto: true, Quiet: 90 * time.Second,
	}
	if !reflect.DeepEqual(config.Submit, want) {
		t.Errorf("loaded %+v", config.Submit)
	}
}

func TestMistakesInWhomToTellHaveTheirPlace(t *testing.T) {
	for text, want := range map[string]string{
		"submit: {indexnow: {key: abc}}":                                   "sitewalk.yaml:2:26: submit.indexnow.key must be 8 to 128 letters, digits and dashes (",
		"submit: {indexnow: {key: 'with space'}}":                          "sitewalk.yaml:2:26: submit.indexnow.key must be",
		"submit: {indexnow: {endpoint: http://e.example/}}":                "sitewalk.yaml:2:31: submit.indexnow.endpoint must begin with https://",
		"submit: {indexnow: {endpoint: ''}}":                               "sitewalk.yaml:2:31: submit.indexnow.endpoint must be an https URL",
		"submit: {indexnow: {endpoint: 'https://e.example/#a'}}":           "sitewalk.yaml:2:31: submit.indexnow.endpoint must be an https URL",
		"submit: {indexnow: {key_location: 'https://h.test/blog/'}}":       "sitewalk.yaml:2:35: submit.indexnow.key_location must be the http or https URL of a file",
		"submit: {indexnow: {key_location: /k.txt}}":                       "sitewalk.yaml:2:35: submit.indexnow.key_location must be the http or https URL of a file",
		"submit: {indexnow: {key_location: 'https://www.h.test/k.txt'}}":   "sitewalk.yaml:2:35: submit.indexnow.key_location must be of the host of base_url",
		"submit: {indexnow: {key_location: 'https://h.test:81/k.txt'}}":    "sitewalk.yaml:2:35: submit.indexnow.key_location must be of the host of base_url",
		"submit: {ping: ['https://e.example/', 'e.example']}":              "sitewalk.yaml:2:39: submit.ping[1] must be an http or https URL",
		"submit: {ping: [\"https://e.example/\\n\"]}":                      "sitewalk.yaml:2:17: submit.ping[0] must be",
		"submit: {auto: true}":                                             "sitewalk.yaml:2:16: submit.auto is set, but nobody is to be told",
		"submit: {quiet: 10ms}":                                            "sitewalk.yaml:2:17: submit.quiet must be at least 1s",
		"submit: {indexnow: {keylocation: 'https://h.test/k.txt'}}":        `sitewalk.yaml:2:21: unknown key "keylocation" (did you mean key_location?)`,
		"submit: {indexnow: {key_location: 'https://a:b@h.test/k.txt'}}":   "sitewalk.yaml:2:35: submit.indexnow.key_location must be the http or https URL of a file",
		"submit: {indexnow: {key_location: 'https://h.test/k.txt?a=b'}}":   "sitewalk.yaml:2:35: submit.indexnow.key_location must be the http or https URL of a file",
		"submit: {indexnow: {key_location: 'https://H.TEST:443/k.txt'}}":   "",
		"submit: {indexnow: {endpoint: 'http://[::1]:8080/'}, auto: no}":   "sitewalk.yaml:2:60: ",
		"submit: {indexnow: {key: 12345678}, auto: true, quiet: 1s}":       "",
		"submit: {ping: ['http://localhost/{sitemap}'], auto: true}":       "",
		"submit: {indexnow: {endpoint: 'http://LOCALHOST:8080/indexnow'}}": "",
	} {
		got := mistakeIn(t, "base_url: https://h.test/\n"+text)
		if want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%q:\ngot  %s\nwant %s…", text, got, want)
		}
	}
}

func TestAFlagsKeyIsNotBlamedOnTheFile(t *testing.T) {
	config, err := sitewalk.Load(writeConfig(t, "base_url: https://h.example/\nsubmit: {indexnow: {key: 12345678}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	config.Submit.IndexNow.Key = "short"
	if err := config.Validate(); err == nil || strings.Contains(err.Error(), "sitewalk.yaml") {
		t.Errorf("got %v", err)
	}
}

func TestTenPingsMayBeConfigured(t *testing.T) {
	for pings, want := range map[int]string{10: "", 11: "sitewalk.yaml:2:237: submit.ping[10] is one too many: 10 may be asked for"} {
		list := strings.Repeat("'https://e.example/', ", pings)
		config, err := sitewalk.Load(writeConfig(t, "base_url: https://h.example/\nsubmit: {ping: ["+list+"]}\n"))
		if err == nil {
			err = config.Validate()
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d pings: %v", pings, err)
		}
	}
}
