package sitewalk

import (
	"fmt"
	"slices"
	"testing"

	"sitewalk/mapper"
)

func TestStyleWarningNamesWhatMostPagesSay(t *testing.T) {
	type group struct {
		pages   int
		setting string
	}
	for _, test := range []struct {
		name    string
		listed  int64
		groups  []group
		message string
		first   bool
		paths   []string
	}{
		{
			"one page", 20, []group{{1, "urls.slash: never"}},
			"1 of 20 pages says a canonical in another style than the sitemap's, such as https://h.test/c0, listed as https://h.test/l0; to list what they say, set urls.slash: never",
			false, []string{"dir/p0.html"},
		},
		{
			"some pages", 20, []group{{12, "urls.extension: strip"}},
			"12 of 20 pages say a canonical in another style than the sitemap's, such as https://h.test/c0, listed as https://h.test/l0; to list what they say, set urls.extension: strip",
			false, []string{"dir/p0.html"},
		},
		{
			"not quite nearly all", 100, []group{{89, "urls.extension: strip"}},
			"89 of 100 pages say a canonical in another style than the sitemap's, such as https://h.test/c0, listed as https://h.test/l0; to list what they say, set urls.extension: strip",
			false, []string{"dir/p0.html"},
		},
		{
			"nearly all", 100, []group{{90, "urls.extension: strip"}},
			"nearly every page (90 of 100) says a canonical in another style than the sitemap's, such as https://h.test/c0, listed as https://h.test/l0; to list what they say, set urls.extension: strip",
			true, []string{"dir/p0.html"},
		},
		{
			"the only page", 1, []group{{1, "base_url: http://h.test/"}},
			"1 of 1 pages says a canonical in another style than the sitemap's, such as https://h.test/c0, listed as https://h.test/l0; to list what they say, set base_url: http://h.test/",
			true, []string{"dir/p0.html"},
		},
		{
			"several settings", 100, []group{{2, "urls.slash: never"}, {5, "urls.extension: strip"}},
			"7 of 100 pages say a canonical in another style than the sitemap's, such as https://h.test/c1, listed as https://h.test/l1; to list what they say, set urls.extension: strip (5 of them)",
			false, []string{"dir/p1.html", "dir/p0.html"},
		},
		{
			"settings that are as frequent", 100, []group{{3, "urls.slash: never"}, {3, "urls.extension: strip"}},
			"6 of 100 pages say a canonical in another style than the sitemap's, such as https://h.test/c0, listed as https://h.test/l0; to list what they say, set urls.slash: never (3 of them)",
			false, []string{"dir/p0.html", "dir/p1.html"},
		},
		{
			"no setting", 100, []group{{4, ""}},
			"4 of 100 pages say a canonical in another style than the sitemap's, such as https://h.test/c0, listed as https://h.test/l0",
			false, []string{"dir/p0.html"},
		},
		{
			"no setting for most", 100, []group{{4, ""}, {1, "urls.slash: never"}},
			"5 of 100 pages say a canonical in another style than the sitemap's, such as https://h.test/c1, listed as https://h.test/l1; to list what they say, set urls.slash: never (1 of them)",
			false, []string{"dir/p0.html", "dir/p1.html"},
		},
	} {
		var count styleCount
		for i, group := range test.groups {
			for range group.pages {
				count.add("dir", &styledPage{
					name: fmt.Sprintf("p%d.html", i), loc: fmt.Sprintf("https://h.test/l%d", i),
					style: mapper.Style{Canonical: fmt.Sprintf("https://h.test/c%d", i), Setting: group.setting},
				})
			}
		}
		warning, first := count.warning(test.listed)
		if warning.Code != "canonical-style" || warning.Message != test.message || first != test.first {
			t.Errorf("%s: got %s, first %v:\n got %s\nwant %s", test.name, warning.Code, first, warning.Message, test.message)
		}
		if !slices.Equal(warning.Paths, test.paths) || len(warning.Details) != len(test.paths) {
			t.Errorf("%s: got examples %q, %q, want %q", test.name, warning.Paths, warning.Details, test.paths)
		}
	}
}

func TestStylesOfManySettingsAreBounded(t *testing.T) {
	var count styleCount
	for i := range 10 * maxStyles {
		page := styledPage{name: "p.html", style: mapper.Style{Canonical: "c", Setting: fmt.Sprintf("base_url: http://h%d.test/", i)}}
		count.add("", &page)
		count.add("", &page)
	}
	if count.total != 20*maxStyles || len(count.by) != maxStyles {
		t.Errorf("%d pages and %d settings are counted", count.total, len(count.by))
	}
	if warning, _ := count.warning(20 * maxStyles); len(warning.Paths) != maxExamples {
		t.Errorf("%d examples", len(warning.Paths))
	}
}
