package catalog

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"sitewalk/internal/state"
	"sitewalk/scanner"
)

// roundTrip packs files into a leaf and unpacks it.
func roundTrip(t *testing.T, files []File) {
	t.Helper()
	var p packer
	// What a packer made before leaves no trace.
	p.appendLeaf(nil, []File{{Name: "other.txt", Known: true, Section: 3, LastMod: 5, Page: state.Page{Facts: "x"}}})
	for range 2 {
		leaves := p.appendLeaf(nil, files)
		if len(leaves) == 0 {
			if len(files) > 0 {
				t.Fatal("no leaf")
			}
			return
		}
		var mask Sections
		want := slices.Clone(files)
		for i := range want {
			mask |= want[i].sections()
			if !want[i].Known {
				want[i].Page = state.Page{}
			}
		}
		l := leaves[0]
		if l.first() != files[0].Name || l.mask != mask {
			t.Fatalf("first name %q, mask %x, want %q and %x", l.first(), l.mask, files[0].Name, mask)
		}
		got := l.appendFiles(nil)
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Fatalf("file %d: got %+v\nwant %+v", i, got[i], want[i])
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%d files, want %d", len(got), len(want))
		}
	}
}

func TestLeafHoldsExtremes(t *testing.T) {
	extreme := state.Page{
		Identity: state.Identity{Size: math.MinInt64, ModTime: math.MinInt64, ChangeTime: math.MaxInt64, Inode: math.MaxUint64},
		Racy:     true, Digest: math.MaxUint64, Masked: 1, Date: math.MinInt64, DateOnly: true, Facts: "\x00\xff",
	}
	other := state.Page{
		Identity: state.Identity{Size: math.MaxInt64, ModTime: math.MaxInt64, ChangeTime: math.MinInt64, Inode: 1},
		Masked:   1, Date: math.MaxInt64, Facts: strings.Repeat("long ", 100_000),
	}
	wholeSeconds := state.Page{Identity: state.Identity{ModTime: -9_223_372_036_000_000_000, ChangeTime: -1}, Date: -9_223_372_036}
	last := scanner.Verdict(len(scanner.Verdicts{}) - 1)
	roundTrip(t, []File{
		{Name: "a.html", Known: true, Page: extreme, LastMod: math.MinInt64, DateOnly: true, Section: 65535},
		{Name: "b.html", Known: true, Page: other, LastMod: math.MaxInt64, Verdict: last},
		{Name: "c", Known: true, Page: wholeSeconds, LastMod: -9_223_372_036, Folder: true},
		{Name: "d.html", Known: true, Page: extreme, LastMod: 1},
		{Name: "e", Known: true, Page: wholeSeconds},
		{Name: "f.html", LastMod: 1, Section: 1},
		{Name: strings.Repeat("f", 300) + ".html"},
	})
}

func TestLeafHoldsAnyNames(t *testing.T) {
	tests := [][]string{
		{"a"}, {""}, {"."}, {".html", "a.html"}, {"a", "a.html", "a.html.html"}, {"html", "x.html"}, {"a.", "a..", "b"},
		{"\x00", "a", "a\x01", "\xff", "\xff\xff"}, {"a.html", "a.htmlx", "a.xhtml", "ahtml"},
		{"index.html", "index.html.html", "index"},
	}
	for _, names := range tests {
		var files []File
		for _, name := range names {
			files = append(files, File{Name: name})
		}
		roundTrip(t, files)
	}
}

func TestPlainPageTakesFewBytes(t *testing.T) {
	for _, test := range []struct {
		site site
		most int
	}{
		{site{each: 500}, 13}, {site{each: 500, kept: true}, 17}, {site{each: 500, digests: true}, 21},
	} {
		var p packer
		packed := p.appendLeaf(nil, test.site.files(nil, 0))[0].packed
		if perPage := len(packed) / test.site.each; perPage > test.most {
			t.Errorf("%+v: %d bytes a page", test.site, perPage)
		}
	}
}

// take cuts a number or a text off the data of a fuzzer.
type take struct{ data []byte }

func (r *take) number() int64 {
	n, size := binary.Varint(r.data)
	if size <= 0 {
		r.data = nil
		return 0
	}
	r.data = r.data[size:]
	return n
}

func (r *take) text() string {
	length := min(int(uint16(r.number())), len(r.data))
	s := string(r.data[:length])
	r.data = r.data[length:]
	return s
}

func FuzzLeaf(f *testing.F) {
	f.Add([]byte("\x0aaaaaa\x02\x04\x06\x08\x0a\x0c\x0e\x10\x12\x14\x0cbbbbbb"))
	f.Add(append([]byte("\x0aa.txt\xff\xff\x02"), strings.Repeat("\x0cb.html\x01\x7f\xff\x03", 40)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := take{data}
		var files []File
		for len(r.data) > 0 {
			flags := r.number()
			file := File{
				Name:    r.text(),
				Verdict: scanner.Verdict(uint(flags>>8) % uint(len(scanner.Verdicts{}))),
				Folder:  flags&1 != 0, Known: flags&2 != 0, DateOnly: flags&4 != 0,
				Section: int(uint16(r.number())),
				LastMod: r.number(),
			}
			page := state.Page{
				Identity: state.Identity{Size: r.number(), ModTime: r.number(), ChangeTime: r.number(), Inode: uint64(r.number())},
				Racy:     flags&8 != 0, DateOnly: flags&16 != 0,
				Digest: uint64(r.number()), Masked: uint64(r.number()), Date: r.number(), Facts: r.text(),
			}
			if flags&32 != 0 {
				page.ModTime = page.ModTime / 1e9 * 1e9
			}
			if flags&64 != 0 {
				page.Date = seconds(page.ModTime)
			}
			if flags&128 != 0 {
				file.LastMod = page.Date
			}
			if len(page.Facts) < 100 {
				page.Facts = strings.Repeat(page.Facts, 1+int(uint(flags>>14)%50))
			}
			file.Page = page
			files = append(files, file)
		}
		roundTrip(t, files)
	})
}
