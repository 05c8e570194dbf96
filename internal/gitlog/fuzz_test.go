package gitlog

import (
	"strconv"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
)

// FuzzHistory writes histories as git's log tells them, and holds the dates that are
// found to a plain reading of the same commits: a file has that of the newest commit
// which gave it the content that it has, of those with a date that is believed.
func FuzzHistory(f *testing.F) {
	f.Add([]byte("\x00\x05\x01\x02\x00\x03\x05"))
	f.Add([]byte("\x00\x80\x01\x00\x07\x11\x00\x09\x21\x41\x02"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := newSearch(t, "docs/")
		boundary := strings.Repeat("b", 40)
		s.boundary = map[string]bool{boundary: true}
		want := map[uint64]int64{}
		var log strings.Builder
		seconds, believed := int64(0), false
		paths := []string{"docs/a", "docs/b", "a", "docs/link", "docs/module", "docs/a/b", "other/docs/a", "docs/\n:x"}
		for i := 0; i < len(data); i++ {
			op := data[i]
			if op == 0 || log.Len() == 0 { // a commit, older or not than the one before
				id := commit
				if i++; i == len(data) {
					break
				}
				if seconds = int64(int8(data[i])); data[i]&3 == 3 {
					id = boundary
				}
				believed = seconds > 0 && id != boundary
				log.WriteString(id + " " + strconv.FormatInt(seconds, 10) + "\x00")
				continue
			}
			path, content := paths[op%8], two
			if op&8 != 0 {
				content = one
			}
			if op&16 != 0 {
				log.WriteByte('\n') // as in front of a commit's first file
			}
			if op&32 != 0 { // a merge's
				log.WriteString("::100644 100644 100644 " + two + " " + two + " " + content + " MM\x00" + path + "\x00")
			} else {
				log.WriteString(change(path, content))
			}
			if name, inside := strings.CutPrefix(path, "docs/"); inside && (name == "a" || name == "b") && content == one && believed {
				if hash := xxhash.Sum64String(name); want[hash] == 0 {
					want[hash] = seconds
				}
			}
		}
		err := s.readLog(strings.NewReader(log.String()))
		if enough := len(want) == 2; enough != (err == errEnough) || !enough && err != nil {
			t.Fatalf("%q: %v", log.String(), err)
		}
		for _, file := range s.found() {
			if want[file.path] != file.seconds {
				t.Errorf("%q: the date is %d, want %d", log.String(), file.seconds, want[file.path])
			}
			delete(want, file.path)
		}
		if len(want) > 0 {
			t.Errorf("%q: %d files have no date", log.String(), len(want))
		}
	})
}

// FuzzTree writes what git says of a tree and of the work tree over it, with paths of any
// bytes, and holds the files that are sought to a plain reading: those of the tree that
// are files, and are as in it.
func FuzzTree(f *testing.F) {
	f.Add("a\x00b\x00dir/a\x00link\x00\xff\n", uint64(2))
	f.Add("a\x00a\t\x00 a\x00-> \x00100644 blob", uint64(9))
	f.Fuzz(func(t *testing.T, text string, modified uint64) {
		var tree, status strings.Builder
		want := map[uint64]bool{}
		for i, path := range strings.Split(text, "\x00") {
			if path == "" {
				continue
			}
			mode, kind := "100644", "blob"
			switch i % 8 {
			case 3:
				mode = "100755"
			case 5:
				mode = "120000"
			case 7:
				mode, kind = "160000", "commit"
			}
			tree.WriteString(mode + " " + kind + " " + one + "\t" + path + "\x00")
			if hash := xxhash.Sum64String(path); strings.HasPrefix(mode, "100") {
				want[hash] = want[hash] || modified>>(i%64)&1 == 0
			}
		}
		// What is modified once is modified, also where a path stands twice.
		for i, path := range strings.Split(text, "\x00") {
			if path != "" && modified>>(i%64)&1 == 1 {
				status.WriteString(" M docs/" + path + "\x00?? other/" + path + "\x00")
				delete(want, xxhash.Sum64String(path))
			}
		}
		s := &search{prefix: "docs/"}
		if err := s.readStatus(strings.NewReader(status.String())); err != nil {
			t.Fatalf("%q: %v", status.String(), err)
		}
		if err := s.readTree(strings.NewReader(tree.String())); err != nil {
			t.Fatalf("%q: %v", tree.String(), err)
		}
		s.begin()
		for _, file := range s.files {
			if !want[file.path] || file.content != contentOf([]byte(one)) {
				t.Fatalf("%q, %q: %+v is sought", tree.String(), status.String(), file)
			}
		}
		if len(s.files) != len(want) || s.pending != len(want) {
			t.Fatalf("%q, %q: %d files are sought, want %d", tree.String(), status.String(), len(s.files), len(want))
		}
	})
}
