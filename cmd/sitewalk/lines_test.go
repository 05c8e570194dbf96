package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestPartsOfALineDoNotStandBetweenThoseOfOthers is about a site whose owner has a line
// written that is longer than any, and ends in what reads as another site's.
func TestPartsOfALineDoNotStandBetweenThoseOfOthers(t *testing.T) {
	var all bytes.Buffer
	output := &sharedOutput{to: &all}
	hostile, honest := &lineWriter{output: output, prefix: "ann: "}, &lineWriter{output: output, prefix: "bob: "}
	write := func(w *lineWriter, text string) {
		t.Helper()
		if n, err := w.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatal(n, err)
		}
	}
	write(hostile, "a line\nthe next")
	for range 5 {
		write(hostile, strings.Repeat("x", 1<<20))
		write(honest, "fine\n")
	}
	write(hostile, "bob: failed\nthe last\n")
	got := strings.Split(all.String(), "\n")
	if len(got) != 9 || got[0] != "ann: a line" || got[7] != "ann: the last" || got[8] != "" {
		t.Fatalf("%d lines, the first %.20q", len(got), got[0])
	}
	for _, line := range got[1:6] {
		if line != "bob: fine" {
			t.Errorf("%.40q", line)
		}
	}
	if long := got[6]; !strings.HasPrefix(long, "ann: the nextxxx") || strings.Contains(long, "bob") || len(long) > maxLine+len("ann: ") {
		t.Errorf("%d bytes, %.20q", len(long), long)
	}
}
