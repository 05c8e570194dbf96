package spelling

import "testing"

func TestDistanceCountsWhatFingersDo(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"docroot", "docroot", 0}, {"", "out", 3},
		{"docrot", "docroot", 1}, {"dockroot", "docroot", 1}, {"docroat", "docroot", 1}, {"docrooot", "docroot", 1},
		{"base-ulr", "base-url", 1}, {"ulr-baes", "url-base", 2}, {"straße", "strasse", 2}, {"quiet", "json", 5},
	} {
		for _, got := range [...]int{Distance(c.a, c.b), Distance(c.b, c.a)} {
			if got != c.want {
				t.Errorf("%q and %q: %d, want %d", c.a, c.b, got, c.want)
			}
		}
	}
}
