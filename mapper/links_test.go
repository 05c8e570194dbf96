package mapper

import (
	"fmt"
	"strings"
	"testing"

	"sitewalk/scanner/head"
)

// TestLinksOfAPageAreBounded is about a page whose base makes two kilobytes of each of its
// links: a folder of such pages, of a few megabytes, would take gigabytes of memory.
func TestLinksOfAPageAreBounded(t *testing.T) {
	h := head.Head{Language: "en", Base: "https://other.test/" + strings.Repeat("b", 1900) + "/"}
	for i := range 1000 {
		h.Alternates = append(h.Alternates, head.Alternate{Language: "de", Href: fmt.Sprint("p", i)})
		h.Images = append(h.Images, fmt.Sprint("i", i))
	}
	distill := func() Facts {
		w := siteWorker(t, func(*Config) {})
		return w.Distill("p.html", []byte("https://h.test/p.html"), &h, &Reading{Alternates: true, Images: true})
	}
	facts := distill()
	size := 0
	for _, alternate := range facts.Alternates {
		size += len(alternate.Loc)
	}
	for _, image := range facts.Images {
		size += len(image)
	}
	if size > 2*maxLinks || len(facts.Alternates) < 50 || len(facts.Images) < 50 {
		t.Errorf("%d bytes, %d links, %d images", size, len(facts.Alternates), len(facts.Images))
	}
	h.Base = "https://other.test/"
	if facts := distill(); len(facts.Alternates) < 1000 || len(facts.Images) != 1000 {
		t.Errorf("of a thousand short ones %d links and %d images are left", len(facts.Alternates), len(facts.Images))
	}
}
