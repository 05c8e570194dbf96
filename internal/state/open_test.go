package state

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unusable opens a state that is none, and returns the reason.
func unusable(t *testing.T, path string) string {
	t.Helper()
	r, err := Open(path, testSettings)
	var unusable *UnusableError
	if !errors.As(err, &unusable) {
		r.Close()
		t.Fatalf("got %v", err)
	}
	if unusable.Path != path || !strings.Contains(err.Error(), unusable.Reason) {
		t.Errorf("the error is %v", err)
	}
	return unusable.Reason
}

func write(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func zipped(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.Bytes()
}

func TestWhatIsNoStateIsUnusable(t *testing.T) {
	path := statePath(t)
	for content, want := range map[string]string{
		"":                        "is empty",
		"x":                       "is no state of sitewalk",
		"sitewalk state 1 ":       "is no state of sitewalk",
		string(zipped("")):        "is no state of sitewalk",
		string(zipped("hello\n")): "is no state of sitewalk",
		string(zipped(title)):     "is of another version of sitewalk",
		string(zipped(title + "2 settings=0 saved=0\n")):                             "is of another version of sitewalk",
		string(zipped(title + "1 settings=0 saved=0\n")):                             "is no state of sitewalk",
		string(zipped(title + "1 settings=0000000000000000 saved=x\n")):              "is no state of sitewalk",
		string(zipped(title + "1 settings=0000000000000000 saved=0\n")):              "is damaged",
		string(zipped(title+"1 settings=0000000000000000 saved=0\n")) + trailerStart: "is damaged",
		strings.Repeat("\x00", 10000):                                                "is no state of sitewalk",
	} {
		write(t, path, []byte(content))
		if got := unusable(t, path); got != want {
			t.Errorf("%.50q %s, want %s", content, got, want)
		}
	}
	if got := unusable(t, filepath.Dir(path)); got != "is no regular file" {
		t.Errorf("a folder %s", got)
	}
	if _, err := Open(path+".none", 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing is %v", err)
	}
}

func TestEveryDamageIsSeen(t *testing.T) {
	path := statePath(t)
	numbered(2, 2).save(t, path, 2, 2)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		for _, flip := range []byte{1, 0x80, 0xff} {
			damaged := bytes.Clone(whole)
			damaged[i] ^= flip
			write(t, path, damaged)
			unusable(t, path)
		}
		write(t, path, whole[:i])
		unusable(t, path)
	}
	write(t, path, append(bytes.Clone(whole), 0))
	unusable(t, path)
	write(t, path, append(bytes.Clone(whole), whole...))
	unusable(t, path)
}

func TestForgedIndexIsRefused(t *testing.T) {
	const end = 300
	good := []string{"//100\t50\t50\t90\t90\t2\ta\tb\n", "//200\t50\t50\t90\t90\t2\tc\td\n"}
	if entries, err := parseIndex(good[0]+good[1], end); err != nil || len(entries) != 2 || entries[1].end() != end {
		t.Fatalf("got %v, %v", entries, err)
	}
	if entries, err := parseIndex("", end); err != nil || len(entries) != 0 {
		t.Fatalf("got %v, %v", entries, err)
	}
	for name, index := range map[string]string{
		"a gap":                    "//90\t50\t49\t90\t90\t2\ta\tb\n" + good[1],
		"an overlap":               "//101\t50\t50\t90\t90\t2\ta\tb\n" + good[1],
		"an end before the index":  good[0],
		"an end behind the index":  "//200\t50\t51\t90\t90\t2\tc\td\n",
		"a huge compressed member": "//0\t1152921504606846976\t20\t90\t90\t2\ta\tb\n",
		"an offset that overflows": "//9223372036854775800\t50\t50\t90\t90\t2\ta\tb\n",
		"an overflow":              "//0\t9223372036854775807\t9223372036854775807\t90\t90\t2\ta\tb\n",
		"a huge text":              "//200\t50\t50\t1152921504606846976\t90\t2\ta\tb\n",
		"a text out of proportion": "//200\t50\t50\t90\t100000\t2\ta\tb\n",
		"a member too small":       "//281\t0\t19\t90\t90\t2\ta\tb\n",
		"too many pages":           "//200\t50\t50\t90\t90\t9999\ta\tb\n",
		"a negative number":        "//200\t-50\t150\t90\t90\t2\ta\tb\n",
		"no number":                "//200\tx\t50\t90\t90\t2\ta\tb\n",
		"no mark":                  good[1][2:],
		"no newline":               good[0] + good[1][:len(good[1])-1],
		"a field too few":          "//200\t50\t50\t90\t90\t2\tc\n",
		"a field too many":         "//200\t50\t50\t90\t90\t2\tc\td\te\n",
		"a broken folder":          "//200\t50\t50\t90\t90\t2\t%\td\n",
		"a broken name":            "//200\t50\t50\t90\t90\t2\tc\t%\n",
	} {
		if entries, err := parseIndex(index, end); err == nil {
			t.Errorf("%s is taken: %+v", name, entries)
		}
	}
	// In a file large enough for them.
	for m, want := range map[member]bool{
		{compressed: maxMember, text: maxMember}:     true,
		{compressed: maxMember, text: maxMember + 1}: false,
		{compressed: 1 << 20, text: 1 << 20}:         true,
		{compressed: 1 << 20, text: 1 << 10}:         false,
	} {
		if got := m.isPlausible(); got != want {
			t.Errorf("%+v: got %v", m, got)
		}
	}
}

func TestSymlinkIsReplacedNotFollowed(t *testing.T) {
	path := statePath(t)
	target := filepath.Join(t.TempDir(), "target")
	write(t, target, []byte("precious"))
	if err := os.Symlink(target, path); err != nil {
		t.Skip("no symbolic links here")
	}
	unusable(t, path)
	s := numbered(1, 1)
	w := NewWriter(path, nil, testSettings, testTime)
	if written, err := w.Commit(); !written || err != nil {
		t.Fatal(written, err)
	}
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		t.Errorf("%v, %v", info, err)
	}
	if content, err := os.ReadFile(target); string(content) != "precious" {
		t.Errorf("the target holds %q, %v", content, err)
	}
	if !s.save(t, path, 1, 1) || !maps.Equal(load(t, path), s) {
		t.Error("the state is not the site")
	}
}

func TestUnusableStateIsSetAside(t *testing.T) {
	path := statePath(t)
	if err := SetAside(path); err != nil {
		t.Error(err)
	}
	for _, content := range []string{"first", "second"} {
		write(t, path, []byte(content))
		if err := SetAside(path); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path + ".unusable"); string(got) != content {
			t.Errorf("got %q, %v", got, err)
		}
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("it is still there: %v", err)
		}
	}
}

// TestFileIsTextForZcat holds the format, as people see it.
func TestFileIsTextForZcat(t *testing.T) {
	path := statePath(t)
	id := Identity{Size: 1234, ModTime: 1732196343_123456789, ChangeTime: 1732196343_123457000, Inode: 42}
	site{
		"index.html":      {Identity: id},
		"blog/a\tb.html":  {Identity: id, Digest: 0xabc, Date: 1732196343, DateOnly: true, Facts: "noindex\n"},
		"blog/z.html":     {Identity: id, Racy: true},
		"blog/\xfc/i.htm": {Identity: Identity{Size: -1}, Masked: 1},
	}.save(t, path, 10, 2)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	inflated, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(inflated)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, indexMark) {
			lines = append(lines, line)
		}
	}
	want := "sitewalk state 1 settings=0000000000005E77 saved=1732196343\n" +
		"/blog\t2\t0000000000000000\t\ta%09b.html\tz.html\n" +
		"a%09b.html\t1234\t1732196343123456789\t211\t42\td\t0000000000000ABC\t\t1732196343\tnoindex%0A\n" +
		"z.html\t1234\t1732196343123456789\t211\t42\tr\n" +
		"/blog/%FC\t1\tSIGNATURE\tt\ti.htm\n" +
		"/\t1\tSIGNATURE\tp\tindex.html\n" +
		"i.htm\t-1\t0\t0\t0\t\t\t0000000000000001\n" +
		"index.html\t1234\t1732196343123456789\t211\t42\n"
	got := strings.Join(lines, "")
	for _, page := range []string{"i.htm", "index.html"} {
		before, after, _ := strings.Cut(got, "\t"+page+"\n")
		fields := strings.Split(before, "\t")
		fields[len(fields)-2] = "SIGNATURE"
		got = strings.Join(fields, "\t") + "\t" + page + "\n" + after
	}
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
