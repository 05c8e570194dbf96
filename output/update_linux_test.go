package output

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func init() { children["update"] = childUpdate }

// tracedSite is the site that childUpdate publishes and updates.
func tracedSite(dir string) *living {
	l := &living{site: crashSite(dir)}
	l.now = time.Now()
	for i := range 400 {
		p := placedPage{testPage: onePage(i), dir: "articles", name: fmt.Sprintf("%03d", i)}
		p.hash = p.Hash()
		l.pages = append(l.pages, p)
	}
	return l
}

// childUpdate publishes, looks at a file that is not there, and updates one page.
func childUpdate() {
	l := tracedSite(os.Getenv("OUTPUT_TEST_DIR"))
	var err error
	if l.result, l.published, err = l.build(); err == nil {
		_, _ = os.Lstat(filepath.Join(l.dir, "begin"))
		_, err = l.update(l.edit(200), nil)
		_, _ = os.Lstat(filepath.Join(l.dir, "end"))
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Neither another shard nor the folder is opened, read, or looked at.
func TestUpdateTouchesOneShardAndTheIndex(t *testing.T) {
	dir := t.TempDir()
	out, code, log := tracedChild(t, "update", dir, "-e", "trace=%file,getdents64")
	if code != 0 {
		t.Fatal(out)
	}
	_, log, begun := strings.Cut(log, `/begin"`)
	log, _, ended := strings.Cut(log, `/end"`)
	if !begun || !ended {
		t.Fatalf("the update is not in the log")
	}
	if strings.Contains(log, "getdents") {
		t.Error("the folder was listed")
	}
	touched := map[string]bool{}
	for _, name := range regexp.MustCompile(`sitemap[a-z0-9-]*\.[a-z.]+`).FindAllString(log, -1) {
		touched[name] = true
	}
	for shard := range shardURLs(t, dir) {
		if slices.Contains(shardURLs(t, dir)[shard], string(onePage(200).Loc)) {
			wantNames(t, "touched", slices.Sorted(maps.Keys(touched)), shard, "sitemap.xml")
		}
	}
}

// An update whose index could not be put in place leaves a shard that is newer than
// the index. The next one, which has its changes too, says that the shard changed.
func TestUpdateThatFailsIsCompletedByTheNext(t *testing.T) {
	l := newLiving(t, 300)
	said := lastMods(t, l.dir)
	l.now = l.now.Add(time.Minute)
	changed := l.edit(100)
	root := filepath.Join(l.dir, "sitemap.xml")
	laterThan(t, root)
	index, err := os.ReadFile(root)
	must(t, err)
	before := l.published
	l.mustUpdate(t, changed)
	shard := l.result.Written[0]
	// As it would be if the index had not been renamed.
	must(t, os.WriteFile(root, index, 0o644))
	must(t, os.Chtimes(root, before.indexes[0].identity.written(), before.indexes[0].identity.written()))
	l.published = before
	l.now = l.now.Add(time.Minute)
	l.mustUpdate(t, changed)
	wantNames(t, "written", l.result.Written, "sitemap.xml")
	said[shard] = w3c(l.now)
	if got := lastMods(t, l.dir); !maps.Equal(got, said) {
		t.Errorf("the index says %v, want %v", got, said)
	}
}
