package sitewalk

import "testing"

func TestOnlyChangesUpToTheLastPageThatWasAskedMatter(t *testing.T) {
	for _, test := range []struct {
		last    string
		enough  bool
		changed string
		want    bool
	}{
		{"b/c.html", true, "a.html", true},
		{"b/c.html", true, "b/c.html", true},
		{"b/c.html", true, "b", true},
		{"b/c.html", true, "b/a/z.html", true},
		{"b/c.html", true, "", true},
		{"b/c.html", true, "b/d.html", false},
		{"b/c.html", true, "b/c.html.html", false},
		{"b/c.html", true, "b.html", false}, // which is behind what is in the folder b
		{"b/c.html", true, "c", false},
		{"b/!.html", true, "b/.htaccess", true},
		{"b/c.html", true, ".htaccess", true},
		{"b/c.html", true, "c/.htaccess", false},
		{"b/c.html", false, "c", true},
		{"", false, "c", true},
	} {
		i := inference{last: test.last, enough: test.enough}
		if got := i.dependsOn([]string{test.changed}); got != test.want {
			t.Errorf("asked up to %q, enough: %t; %q matters: %t", test.last, test.enough, test.changed, got)
		}
	}
	if (&inference{}).dependsOn(nil) {
		t.Error("no change matters")
	}
}
