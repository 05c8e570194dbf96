package strictyaml

import (
	"fmt"
	"testing"
)

func TestPositionsFindValues(t *testing.T) {
	const text = `# a comment
base_url: http://x/
include: [a, "é", b]
exclude: &e
  - c
  -   d
rules:
  - match: [x, y]
    priority: 5
  - &r
    match: z
    section: s
  - <<: *r
    section: t
  - *r
output:
  max_urls: 60000
extra_urls: *e
`
	positions, err := Decode([]byte(text), defaults(), quoting)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ path, place string }{
		{"base_url", "2:11"},
		{"include", "3:10"},
		{"include[1]", "3:14"},
		{"include[2]", "3:19"},
		{"include[3]", "3:10"},
		{"exclude[1]", "6:7"},
		{"rules[0].match", "8:12"},
		{"rules[0].match[1]", "8:16"},
		{"rules[0].priority", "9:15"},
		{"rules[0].section", "8:5"},
		{"rules[1].section", "12:14"},
		{"rules[2].section", "14:14"},
		{"rules[2].match", "11:12"},
		{"rules[3]", "15:5"},
		{"rules[3].section", "12:14"},
		{"rules[9].section", "8:3"},
		{"output.max_urls", "17:13"},
		{"output.dir", "17:3"},
		{"extra_urls", "18:13"},
		{"extra_urls[0]", "5:5"},
		{"docroot", "0:0"},
		{"watch.settle", "0:0"},
		{"", "0:0"},
		// Not paths, but no harm.
		{"rules[x]", "8:3"},
		{"rules[-1]", "8:3"},
		{"rules[", "8:3"},
		{"base_url[0].x", "2:11"},
		{"[0]", "0:0"},
	}
	for _, test := range tests {
		bad := positions.Error(test.path, "message", "hint")
		if got := fmt.Sprintf("%d:%d", bad.Line, bad.Column); got != test.place {
			t.Errorf("%q is at %s, want %s", test.path, got, test.place)
		}
	}
	if got, want := positions.Error("include[1]", "bad glob", "close the brace").Error(), "sitewalk.yaml:3:14: bad glob (close the brace)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := positions.Error("docroot", "no such folder", "").Error(), "sitewalk.yaml: no such folder"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestPositionsWithoutAFile(t *testing.T) {
	empty, err := Decode(nil, defaults(), quoting)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		positions *Positions
		want      string
	}{
		{nil, "base_url is required (use --base-url)"},
		{new(Positions), "base_url is required (use --base-url)"},
		{empty, "sitewalk.yaml: base_url is required (use --base-url)"},
	} {
		if got := test.positions.Error("base_url", "base_url is required", "use --base-url").Error(); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

func TestPositionsRedactWhatIsNotPlain(t *testing.T) {
	positions, err := Decode([]byte("include: [secret]"), defaults(), Options{File: "f"})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		bad  *Error
		want string
	}{
		{positions.Error("include[0]", "bad glob secret", "not secret"), "f:1:11: include[0] is not valid"},
		{positions.Error("", "bad secret", ""), "f: this value is not valid"},
		{positions.PlainError("base_url", "base_url is required", "add it"), "f: base_url is required (add it)"},
	} {
		if got := test.bad.Error(); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}
