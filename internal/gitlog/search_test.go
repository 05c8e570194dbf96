package gitlog

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// ids of two contents, a merge's header, and a commit's id.
const (
	one    = "d00491fd7e5bb6fa28c517a0bb32b8b506539d4d"
	two    = "0cfbf08886fca9a91cb753ec8734c84fcbe52c9f"
	merged = "::100644 100644 100644 " + two + " " + two + " " + one + " MM\x00"
	commit = "c9259e9448a28f6de0cd950b24a239dddd9e6537"
)

// newSearch returns a search for the files a and b, which have the content one.
func newSearch(t testing.TB, prefix string) *search {
	t.Helper()
	s := &search{prefix: prefix}
	tree := "100644 blob " + one + "\ta\x00100755 blob " + one + "\tb\x00120000 blob " + one + "\tlink\x00160000 commit " + one + "\tmodule\x00"
	if err := s.readTree(strings.NewReader(tree)); err != nil {
		t.Fatal(err)
	}
	s.begin()
	return s
}

// change is how the log tells that a file got a content.
func change(path, id string) string {
	return ":100644 100644 " + strings.Repeat("0", 40) + " " + id + " M\x00" + path + "\x00"
}

func TestReadingStopsWhenEveryFileHasItsDate(t *testing.T) {
	s := newSearch(t, "docs/")
	log := commit + " 300\x00\n" + change("docs/a", two) + change("docs/b", one) + change("other/a", one) +
		commit + " 200\x00" + commit + " 100\x00\x00" + merged + "docs/a\x00"
	rest := iotest.ErrReader(errors.New("read too far"))
	if err := s.readLog(io.MultiReader(strings.NewReader(log), rest)); err != errEnough {
		t.Fatal(err)
	}
	dates := Dates{files: s.found()}
	for name, want := range map[string]int64{"a": 100, "b": 300, "link": 0, "module": 0} {
		if got, ok := dates.Find("", name); got != want || ok != (want != 0) {
			t.Errorf("%s: %d, %v, want %d", name, got, ok, want)
		}
	}
}

func TestUnbelievableCommitDatesNothing(t *testing.T) {
	for _, date := range []string{"0", "-1", "99999999999999999999", "", "x"} {
		s := newSearch(t, "")
		if err := s.readLog(strings.NewReader(commit + " " + date + "\x00\n" + change("a", one))); err != nil || s.pending != 2 {
			t.Errorf("%q: %v, %d files without a date", date, err, s.pending)
		}
	}
}

func TestOutputOfUnknownFormIsAnError(t *testing.T) {
	for _, log := range []string{
		"word\x00", commit + " 1\x00:\x00a\x00", commit + " 1\x00: \x00a\x00", commit + " 1\x00" + ":100644 M\x00", commit + " 1",
		commit + " 1\x00\n" + strings.TrimSuffix(change("a", one), "\x00"), commit + " 1\x00" + merged,
	} {
		if err := newSearch(t, "").readLog(strings.NewReader(log)); err == nil || err == errEnough {
			t.Errorf("log %q: %v", log, err)
		}
	}
	for _, status := range []string{"\x00", "M a\x00", " M a", "MMxa\x00", " M \x00"} {
		if err := new(search).readStatus(strings.NewReader(status)); err == nil {
			t.Errorf("status %q was taken", status)
		}
	}
	for _, tree := range []string{"\x00", "100644 blob " + one + " a\x00", one + "\ta\x00", "100644 blob " + one + "\ta"} {
		if err := new(search).readTree(strings.NewReader(tree)); err == nil {
			t.Errorf("tree %q was taken", tree)
		}
	}
}

func TestEndlessRecordIsAnError(t *testing.T) {
	log := io.MultiReader(strings.NewReader(commit+" 1\x00\n"+change("a", one)), endless('x'))
	if err := newSearch(t, "").readLog(log); err == nil || err == errEnough {
		t.Error(err)
	}
}

// endless is a reader of one byte again and again.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func FuzzOutput(f *testing.F) {
	f.Add([]byte(commit + " 300\x00\n" + change("docs/a", two) + change("docs/b", one)))
	f.Add([]byte(commit + " 100\x00\x00" + merged + "docs/a\x00"))
	f.Add([]byte(" M docs/a\x00UU b\x00"))
	f.Add([]byte("100644 blob " + one + "\ta\x00160000 commit " + one + "\tdocs/b\x00"))
	f.Fuzz(func(t *testing.T, output []byte) {
		s := newSearch(t, "docs/")
		if err := s.readLog(bytes.NewReader(output)); (err == errEnough) != (s.pending == 0) {
			t.Errorf("%v, with %d files without a date", err, s.pending)
		}
		files := s.found()
		if len(files) != 2-s.pending {
			t.Errorf("%d files have a date, %d have none", len(files), s.pending)
		}
		for _, file := range files {
			if file.seconds <= 0 {
				t.Errorf("a file has the date %d", file.seconds)
			}
		}
		s = &search{prefix: "docs/"}
		if err := s.readStatus(bytes.NewReader(output)); err == nil && len(s.modified) > bytes.Count(output, []byte{0}) {
			t.Errorf("%d modified files of %q", len(s.modified), output)
		}
		if err := s.readTree(bytes.NewReader(output)); err == nil {
			s.begin()
		}
	})
}
