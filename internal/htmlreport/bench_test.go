package htmlreport

import (
	"fmt"
	"io"
	"testing"
)

// BenchmarkPageOfAHundredThousandFiles measures what the page costs beside the build.
func BenchmarkPageOfAHundredThousandFiles(b *testing.B) {
	files := make([]File, 100_000)
	for i := range files {
		files[i] = listed(fmt.Sprintf("blog/%d/%02d/post-about-thing-%d/index.html", 2010+i*15/len(files), 1+i*180/len(files)%12, i))
		files[i].LastMod = fmt.Sprintf("20%02d-%02d-%02dT%02d:%02d:09+00:00", 10+i%15, 1+i%12, 1+i%28, i%24, i%60)
	}
	b.ReportAllocs()
	for b.Loop() {
		d := New("https://example.com/")
		for i := range files {
			d.Add(&files[i])
		}
		if err := d.Write(io.Discard, &Site{MaxURLs: 1, MaxBytes: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
