package scanner

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

func TestListingHoldsManyNamesInOrder(t *testing.T) {
	var l listing
	var want []string
	for i := range 20_000 { // of which a text holds some 1,300
		name := fmt.Sprintf("%s-%d.html", strings.Repeat("n", i%97), i*7919%20_000)
		want = append(want, name)
		if err := l.add([]byte(name), kind(i%5)); err != nil {
			t.Fatal(err)
		}
	}
	l.seal()
	l.sort()
	slices.Sort(want)
	for i := range l.entries {
		name := l.nameOf(&l.entries[i])
		if name != want[i] {
			t.Fatalf("entry %d is %q, want %q", i, name, want[i])
		}
		// What fstatat relies on.
		if behind := unsafe.String(unsafe.StringData(name), len(name)+1); behind[len(name)] != 0 {
			t.Fatalf("%q is followed by %q", name, behind[len(name)])
		}
	}
	if len(l.entries) != len(want) || len(l.texts) < 10 {
		t.Errorf("%d entries in %d texts", len(l.entries), len(l.texts))
	}
}

func TestListingSortsNamesThatBeginAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var l listing
		var want []string
		for range random.IntN(40) {
			name := []byte(strings.Repeat("p", random.IntN(2)*random.IntN(9)))
			for range random.IntN(10) {
				name = append(name, "ab\x01\xff"[random.IntN(4)])
			}
			want = append(want, string(name))
			if err := l.add(name, kindFile); err != nil {
				t.Fatal(err)
			}
		}
		l.seal()
		l.sort()
		slices.Sort(want)
		var got []string
		for i := range l.entries {
			got = append(got, l.nameOf(&l.entries[i]))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got %q\nwant %q", got, want)
		}
	}
}

func TestListingRefusesWhatItCannotHold(t *testing.T) {
	var l listing
	longest := strings.Repeat("x", maxText-1)
	for _, name := range []string{"a", longest, "b", longest} {
		if err := l.add([]byte(name), kindFile); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.add([]byte(longest+"x"), kindFile); err == nil {
		t.Error("took a name that is too long")
	}
	l.seal()
	l.sort()
	for i, want := range []string{"a", "b", longest, longest} {
		if got := l.nameOf(&l.entries[i]); got != want {
			t.Errorf("entry %d has %d bytes", i, len(got))
		}
	}
}
