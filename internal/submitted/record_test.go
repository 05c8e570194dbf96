package submitted

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const testBase = "https://h.test/"

// open opens a record that must be usable.
func open(t testing.TB, path string) *Record {
	t.Helper()
	r, err := Open(t.Context(), path, testBase)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// compare compares a set, as lines of URL and lastmod, with a record, and returns what
// differs.
func compare(t testing.TB, r *Record, set ...string) *Changes {
	t.Helper()
	c := NewChanges()
	for _, line := range set {
		loc, lastmod, _ := strings.Cut(line, " ")
		if change := r.Compare([]byte(loc), []byte(lastmod)); change != None {
			c.Add(change, []byte(loc), []byte(lastmod))
		}
	}
	if err := r.Gone(t.Context(), func(loc, lastmod []byte) { c.Add(Deleted, loc, lastmod) }); err != nil {
		t.Fatal(err)
	}
	return c
}

// told returns changes as text.
func told(c *Changes) string {
	var all []string
	for reader := c.Read(); ; {
		change, loc, lastmod := reader.Next()
		if change == None {
			return strings.Join(all, ", ")
		}
		all = append(all, strings.TrimSpace(fmt.Sprintf("%c%s %s", change, loc, lastmod)))
	}
}

// zcat returns what zcat shows of a file.
func zcat(t testing.TB, path string) string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	compressed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(compressed)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// save saves all that differs, and fails the test if that does not work.
func save(t testing.TB, path string, set ...string) {
	t.Helper()
	r := open(t, path)
	changes := compare(t, r, set...)
	if err := r.Save(changes, changes.Len(), 0); err != nil {
		t.Fatal(err)
	}
}

func TestARecordIsTextForItsOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r")
	r := open(t, path)
	r.Pings[2], r.Pings[1] = 0xabc, 7
	changes := compare(t, r, "https://h.test/b 2024-01-01", "https://h.test/a")
	if err := r.Save(changes, 2, 0); err != nil {
		t.Fatal(err)
	}
	want := "sitewalk submitted 1\nbase https://h.test/\nping 0000000000000001 0000000000000007\nping 0000000000000002 0000000000000abc\n" +
		"# lastmod (? if in doubt), URL: what search engines were told last\n2024-01-01\thttps://h.test/b\n\thttps://h.test/a\nend 2\n"
	if got := zcat(t, path); got != want {
		t.Errorf("it says\n%s", got)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if again := open(t, path); again.Len() != 2 || again.Pings[2] != 0xabc || len(again.Pings) != 2 {
		t.Errorf("read again: %d URLs, pings %v", again.Len(), again.Pings)
	}
	if names, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(names) > 0 {
		t.Errorf("left: %q", names)
	}
}

func TestChangesAreFound(t *testing.T) {
	before := []string{"a 2024-01-01", "b 2024-01-02", "c", "d 2024-01-04T00:00:00Z"}
	for name, test := range map[string]struct {
		now  []string
		want string
	}{
		"nothing":         {before, ""},
		"another order":   {[]string{before[3], before[1], before[0], before[2]}, ""},
		"added":           {append([]string{"0 2024-01-05", "00"}, before...), "+0 2024-01-05, +00"},
		"deleted":         {before[1:3], "-a 2024-01-01, -d 2024-01-04T00:00:00Z"},
		"all deleted":     {nil, "-a 2024-01-01, -b 2024-01-02, -c, -d 2024-01-04T00:00:00Z"},
		"another date":    {[]string{"a 2024-01-03", before[1], before[2], before[3]}, "~a 2024-01-03"},
		"date gone":       {[]string{"a", before[1], before[2], before[3]}, "~a"},
		"date come":       {[]string{before[0], before[1], "c 2024-01-01", before[3]}, "~c 2024-01-01"},
		"twice the same":  {append([]string{before[0]}, before...), ""},
		"the first of it": {append([]string{"a 2025", "n 1", "n 2"}, before...), "~a 2025, +n 1"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "r")
			save(t, path, before...)
			r := open(t, path)
			changes := compare(t, r, test.now...)
			if got := told(changes); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if err := r.Save(changes, changes.Len(), 0); err != nil {
				t.Fatal(err)
			}
			if again := told(compare(t, open(t, path), test.now...)); again != "" {
				t.Errorf("after it was saved: %q", again)
			}
		})
	}
}

func TestOnlyTheFirstChangesAreSaved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r")
	save(t, path, "a 1", "b 1", "c 1", "d 1")
	now := []string{"a 2", "n 1", "b 2", "m 1"} // c and d are gone
	r := open(t, path)
	changes := compare(t, r, now...)
	for n, want := range []string{
		"~a 2, +n 1, ~b 2, +m 1, -c 1, -d 1", "+n 1, ~b 2, +m 1, -c 1, -d 1", "~b 2, +m 1, -c 1, -d 1",
		"+m 1, -c 1, -d 1", "-c 1, -d 1", "-d 1", "",
	} {
		if err := r.Save(changes, n, 0); err != nil { // each on top of the one before
			t.Fatal(err)
		}
		if got := told(compare(t, open(t, path), now...)); got != want {
			t.Errorf("after %d: %q, want %q", n, got, want)
		}
	}
}

func TestWhatIsInDoubtIsSubmittedOnceMore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r")
	save(t, path, "a 1", "b 1", "c 1")
	now := []string{"a 2", "n ?", "b 1"} // c is gone
	r := open(t, path)
	changes := compare(t, r, now...)
	for doubtful, want := range []string{"~a 2, +n #, -c 1", "~a 2, +n #, -c 1", "~a 2, ~n #, -c 1", "~a 2, ~n #, -c 1"} {
		if err := r.Save(changes, 0, doubtful); err != nil {
			t.Fatal(err)
		}
		got := told(compare(t, open(t, path), now...))
		if got = hashes.ReplaceAllString(got, "#"); got != want {
			t.Errorf("%d in doubt: %q, want %q", doubtful, got, want)
		}
	}
	// Whatever becomes of them.
	if got := told(compare(t, open(t, path), "a 1", "b 1", "c 1")); hashes.ReplaceAllString(got, "#") != "~a 1, ~c 1, -n #" {
		t.Errorf("as it was before: %q", got)
	}
	// What was not sent in the end is not in doubt any more, and nor is what was accepted.
	if err := r.Save(changes, 1, 0); err != nil {
		t.Fatal(err)
	}
	if got := told(compare(t, open(t, path), now...)); hashes.ReplaceAllString(got, "#") != "+n #, -c 1" {
		t.Errorf("not sent: %q", got)
	}
	if err := r.Save(changes, 3, 0); err != nil {
		t.Fatal(err)
	}
	if got := told(compare(t, open(t, path), now...)); got != "" {
		t.Errorf("accepted: %q", got)
	}
}

var hashes = regexp.MustCompile(`#[0-9a-f]{16}`)

func TestADateThatIsNoneIsComparedAllTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r")
	odd := []string{"a " + strings.Repeat("x", 1<<20), "b 1\t2\n3", "c \xff\x1b", "d #0123456789abcdef"}
	save(t, path, odd...)
	if got := told(compare(t, open(t, path), odd...)); got != "" {
		t.Errorf("unchanged: %.200q", got)
	}
	if text := zcat(t, path); len(text) > 1000 || strings.Contains(text, "\x1b") || strings.Contains(text, "\xff") {
		t.Errorf("%.1000q", text)
	}
	odd[0], odd[1] = "a "+strings.Repeat("x", 1<<20-1), "b 1\t2\n4"
	if got := told(compare(t, open(t, path), odd...)); !strings.HasPrefix(got, "~a #") || !strings.Contains(got, ", ~b #") {
		t.Errorf("changed: %.200q", got)
	}
}

func TestWhatIsStorable(t *testing.T) {
	for loc, want := range map[string]bool{
		"https://h.test/": true, "": false, "a b": false, "a\tb": false, "a\n": false, "\x7f": false, "ü": false,
		strings.Repeat("x", 2048): true, strings.Repeat("x", 2049): false,
	} {
		if IsStorable([]byte(loc)) != want {
			t.Errorf("%.50q: %v", loc, !want)
		}
	}
}

// pack compresses text as one record.
func pack(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.Bytes()
}

const whole = "sitewalk submitted 1\nbase https://h.test/\n# lastmod (? if in doubt), URL: what search engines were told last\n2024-01-01\thttps://h.test/\nend 1\n"

func TestWhatIsNoWholeRecordIsUnusable(t *testing.T) {
	good := pack(whole)
	broken := slices.Clone(good)
	broken[len(broken)-5] ^= 1 // of the checksum
	for name, test := range map[string]struct {
		file []byte
		want string
	}{
		"empty":               {nil, "is no record of sitewalk's"},
		"something else":      {[]byte("<urlset/>"), "is no record of sitewalk's"},
		"another gzip":        {pack("hello\n"), "is no record of this version"},
		"another version":     {pack(strings.Replace(whole, "submitted 1", "submitted 2", 1)), "is no record of this version"},
		"another site":        {pack(strings.Replace(whole, "base https://h.", "base https://g.", 1)), `is of another site, "https://g.test/"`},
		"cut short":           {good[:len(good)-12], "is damaged"},
		"a line less":         {pack(strings.Replace(whole, "end 1\n", "", 1)), "is damaged"},
		"a URL less":          {pack(strings.Replace(whole, "2024-01-01\thttps://h.test/\n", "", 1)), "is damaged"},
		"more behind":         {pack(whole + "x\n"), "is damaged"},
		"another member":      {append(slices.Clone(good), pack("more\n")...), "is damaged"},
		"garbage behind":      {append(slices.Clone(good), "garbage"...), "is damaged"},
		"a wrong checksum":    {broken, "is damaged"},
		"no tab":              {pack(strings.Replace(whole, "\t", " ", 1)), "is damaged"},
		"an unfit URL":        {pack(strings.Replace(whole, "h.test/\nend", "h.test/\x1b\nend", 1)), "is damaged"},
		"an endless line":     {pack(strings.Replace(whole, "end", strings.Repeat("x", 1<<20), 1)), "is damaged"},
		"a ping that is none": {pack(strings.Replace(whole, "# ", "ping 1 x\n# ", 1)), "is damaged"},
		"pings without end":   {pack(strings.Replace(whole, "# ", manyPings()+"# ", 1)), "is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "r")
			if err := os.WriteFile(path, test.file, 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := Open(t.Context(), path, testBase)
			var unusable *UnusableError
			if !errors.As(err, &unusable) || !strings.Contains(unusable.Reason, test.want) {
				t.Fatalf("got %v, want %q", err, test.want)
			}
			if r.Len() != 0 || len(r.Pings) != 0 {
				t.Errorf("it knows %d URLs and %d pings", r.Len(), len(r.Pings))
			}
			if err := SetAside(path); err != nil {
				t.Fatal(err)
			}
			save(t, path, "https://h.test/")
			if kept, err := os.ReadFile(path + ".unusable"); err != nil || !bytes.Equal(kept, test.file) {
				t.Errorf("set aside: %v", err)
			}
		})
	}
}

// What could not be read again is not written.
func TestMorePingsThanARecordKnowsAreNotSaved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r")
	save(t, path, "https://h.test/a")
	r := open(t, path)
	for i := range uint64(maxPings) {
		r.Pings[i] = 1
	}
	if err := r.Save(NewChanges(), 0, 0); err != nil {
		t.Fatal(err)
	}
	if again := open(t, path); len(again.Pings) != maxPings || again.Len() != 1 {
		t.Errorf("it knows %d pings and %d URLs", len(again.Pings), again.Len())
	}
	r.Pings[maxPings] = 1
	if err := r.Save(NewChanges(), 0, 0); err == nil || !strings.Contains(err.Error(), "1001 pings") {
		t.Errorf("saved more: %v", err)
	}
	if again := open(t, path); len(again.Pings) != maxPings || again.Len() != 1 {
		t.Errorf("then it knows %d pings and %d URLs", len(again.Pings), again.Len())
	}
}

func manyPings() string {
	var b strings.Builder
	for i := range maxPings + 1 {
		fmt.Fprintf(&b, "ping %x 1\n", i)
	}
	return b.String()
}

func TestALinkOrAFolderIsNoRecord(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "r")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path, testBase); !errors.Is(err, errNotRegular) {
		t.Errorf("a folder: %v", err)
	}
	if err := SetAside(path); !errors.Is(err, errNotRegular) {
		t.Errorf("a folder set aside: %v", err)
	}
	// A link is replaced, and what it leads to stays.
	target, link := filepath.Join(folder, "target"), filepath.Join(folder, "link")
	if err := os.WriteFile(target, pack(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skipf("this system makes no links: %v", err)
	}
	save(t, link, "https://h.test/new")
	if content, err := os.ReadFile(target); err != nil || !bytes.Equal(content, pack(whole)) {
		t.Errorf("what the link led to has changed: %v", err)
	}
}

func TestAFailedSaveLeavesTheRecord(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "r")
	save(t, path, "a 1")
	// In the way of the draft, and not to be removed.
	if err := os.MkdirAll(filepath.Join(folder, ".r.tmp", "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	r := open(t, path)
	changes := compare(t, r, "a 2")
	if err := r.Save(changes, 1, 0); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
	if got := told(compare(t, open(t, path), "a 1")); got != "" {
		t.Errorf("it differs by %q", got)
	}
	if err := os.RemoveAll(filepath.Join(folder, ".r.tmp")); err != nil {
		t.Fatal(err)
	}
	// What a killed run has left is not.
	if err := os.WriteFile(filepath.Join(folder, ".r.tmp"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.Save(changes, 1, 0); err != nil {
		t.Error(err)
	}
}

func TestReadingEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r")
	save(t, path, "a 1")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Open(ctx, path, testBase); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// FuzzOpen holds whatever stands in a record's place to this: it is read, or unusable,
// and what is read can be saved and read again.
func FuzzOpen(f *testing.F) {
	f.Add(whole)
	f.Add(strings.Replace(whole, "# ", "ping 1 2\n# ", 1))
	f.Add("sitewalk submitted 1\nbase https://h.test/\n")
	f.Add("")
	path := filepath.Join(f.TempDir(), "r")
	f.Fuzz(func(t *testing.T, text string) {
		for _, file := range [][]byte{pack(text), []byte(text)} {
			if err := os.WriteFile(path, file, 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := Open(t.Context(), path, testBase)
			var unusable *UnusableError
			if err != nil {
				if !errors.As(err, &unusable) {
					t.Fatalf("%T %v", err, err)
				}
				continue
			}
			n := r.Len()
			changes := compare(t, r, "https://h.test/fuzz 2024-01-01")
			if changes.Deleted > n || changes.Added+changes.Changed > 1 {
				t.Fatalf("of %d URLs: %s", n, told(changes))
			}
			if err := r.Save(changes, changes.Len(), 0); err != nil {
				t.Fatal(err)
			}
			if again := open(t, path); again.Len() != 1 {
				t.Fatalf("%d URLs are left", again.Len())
			}
		}
	})
}

// BenchmarkCompare compares a million URLs with a record of as many, in which one in a
// hundred differs, and saves what differs.
func BenchmarkCompare(b *testing.B) {
	path := filepath.Join(b.TempDir(), "r")
	const n = 1_000_000
	locs := make([][]byte, n)
	r := open(b, path)
	all := NewChanges()
	for i := range locs {
		locs[i] = fmt.Appendf(nil, "https://h.test/section-%d/a-page-of-some-length-%d.html", i%20, i)
		all.Add(Added, locs[i], []byte("2024-05-01T10:11:12+00:00"))
	}
	if err := r.Save(all, n, 0); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		r := open(b, path)
		changes := NewChanges()
		for i, loc := range locs {
			lastmod := "2024-05-01T10:11:12+00:00"
			if i%100 == 0 {
				lastmod = "2024-05-02T10:11:12+00:00"
			}
			if change := r.Compare(loc, []byte(lastmod)); change != None {
				changes.Add(change, loc, []byte(lastmod))
			}
		}
		if changes.Len() != n/100 {
			b.Fatal(changes.Len())
		}
		if err := r.Save(changes, 0, 0); err != nil {
			b.Fatal(err)
		}
	}
}
