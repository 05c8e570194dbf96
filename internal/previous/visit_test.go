package previous

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// visit returns what Visit tells of a set in a folder, a line a URL.
func visit(t *testing.T, folder string, options Options) (roots, told []string, err error) {
	t.Helper()
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	roots, err = Visit(t.Context(), root, folder, options, func(loc, lastmod []byte) {
		told = append(told, fmt.Sprintf("%s %s", loc, lastmod))
	})
	return roots, told, err
}

func TestVisitTellsOfAllURLsAsTheyStandThere(t *testing.T) {
	sitemap := `<urlset xmlns:image="i"><url><loc>https://h.test/?a&amp;b</loc><lastmod> 2999-01-01 </lastmod></url>
<url><lastmod>yesterday &lt;</lastmod><image:loc>no</image:loc><loc>https://h.test/b</loc></url>
<url><loc>https://h.test/c</loc></url><url><lastmod>2024-01-01</lastmod></url>
<url><loc>https://h.test/c</loc><lastmod>2024-01-01</lastmod></url></urlset>`
	want := []string{"https://h.test/?a&b 2999-01-01", "https://h.test/b yesterday <", "https://h.test/c ", "https://h.test/c 2024-01-01"}
	for name, test := range map[string]struct {
		files map[string]string
		root  string
		roots []string
	}{
		"sitemap":         {map[string]string{"sitemap.xml": sitemap}, "", []string{"sitemap.xml"}},
		"compressed":      {map[string]string{"map.xml.gz": compress(sitemap), "sitemap.xml": "<html/>"}, "map.xml", []string{"map.xml.gz"}},
		"index":           {map[string]string{"sitemap.xml": index("", "https://h.test/a.xml"), "a.xml": sitemap}, "sitemap.xml", []string{"sitemap.xml"}},
		"several indexes": {map[string]string{"sitemap.xml": index("<!-- continued in more.xml -->", "https://h.test/a.xml"), "more.xml": index("", "https://h.test/b.xml"), "a.xml": "<urlset/>", "b.xml": sitemap}, "", []string{"sitemap.xml", "more.xml"}},
	} {
		t.Run(name, func(t *testing.T) {
			roots, told, err := visit(t, write(t, test.files), Options{Root: test.root})
			if err != nil || !slices.Equal(told, want) || !slices.Equal(roots, test.roots) {
				t.Errorf("of %q told %q, %v", roots, told, err)
			}
		})
	}
}

func TestVisitFailsAsReadDoes(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  string
	}{
		"nothing there": {nil, "holds no sitemap"},
		"cut short":     {map[string]string{"sitemap.xml": "<urlset><url><loc>https://h.test/</loc></url>"}, "malformed XML"},
		"a part absent": {map[string]string{"sitemap.xml": index("", "https://h.test/a.xml")}, `names "a.xml", which is not there`},
		"too many URLs": {map[string]string{"sitemap.xml": urlset(map[string]int{"a": 1, "b": 1, "c": 1})}, "more than 2 URLs"},
	} {
		t.Run(name, func(t *testing.T) {
			_, told, err := visit(t, write(t, test.files), Options{MaxURLs: 2})
			if err == nil || !strings.Contains(err.Error(), test.want) || errors.Is(err, fs.ErrNotExist) != (name == "nothing there") || len(told) > 2 {
				t.Errorf("told %q, %v", told, err)
			}
		})
	}
}

func TestVisitStaysInItsFolderAndEndsWithItsContext(t *testing.T) {
	folder := write(t, map[string]string{"sitemap.xml": urlset(map[string]int{"a": 1})})
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Visit(ctx, root, folder, Options{}, func([]byte, []byte) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	inner := filepath.Join(folder, "inner")
	if err := os.Mkdir(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("..", "sitemap.xml"), filepath.Join(inner, "sitemap.xml")); err != nil {
		t.Skipf("this system makes no links: %v", err)
	}
	if _, told, err := visit(t, inner, Options{}); err == nil {
		t.Errorf("through a link out of the folder: %q", told)
	}
}
