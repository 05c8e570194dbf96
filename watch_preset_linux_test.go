package sitewalk_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sitewalk"
	"sitewalk/mapper"
)

// stylesOf records the extension that each inference of a watch finds.
type stylesOf struct {
	mu    sync.Mutex
	found []mapper.Extension
}

func (s *stylesOf) add(found mapper.Surveyed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found = append(s.found, found.URLs.Extension)
}

func (s *stylesOf) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprint(s.found)
}

// untilFresh waits until what a watch has published is what a fresh build writes.
func untilFresh(t *testing.T, config sitewalk.Config) (sitemap string) {
	t.Helper()
	fresh := config
	fresh.Out, fresh.State, fresh.LockWait, fresh.Inferred = t.TempDir(), "", time.Minute, nil
	mustBuild(t, fresh)
	want := readXML(t, filepath.Join(fresh.Out, "sitemap.xml"))
	got := ""
	for deadline := time.Now().Add(patience); got != want; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("published is\n%s\nand should be\n%s", got, want)
		}
		content, _ := os.ReadFile(filepath.Join(config.Out, "sitemap.xml"))
		got = string(content)
	}
	return got
}

func TestWatchFollowsTheStyleThatItInfers(t *testing.T) {
	const pages = 30
	for name, withState := range map[string]bool{"with a state": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			config := sitewalk.DefaultConfig()
			config.Mapper.BaseURL, config.Mapper.URLs.Preset = "https://h.test/", mapper.PresetAuto
			config.Scanner.Docroot, config.Out = t.TempDir(), t.TempDir()
			config.Watch.Settle, config.Watch.MaxDelay = 10*time.Millisecond, 50*time.Millisecond
			if withState {
				config.State = filepath.Join(t.TempDir(), "state")
			}
			// The head of a page that says nothing of its name is read by its name too.
			writeIn(t, config.Scanner.Docroot, "z.html", "<html lang=en><link rel=alternate hreflang=de href=/de.html>")
			page := func(i int, extension string) {
				writeIn(t, config.Scanner.Docroot, fmt.Sprintf("d%d/p%d.html", i%3, i), says(fmt.Sprintf("/d%d/p%d%s", i%3, i, extension)))
			}
			for i := range pages {
				page(i, ".html")
			}
			styles := &stylesOf{}
			config.Inferred = styles.add
			events := watchWith(t, config, nil)
			await(t, events, sitewalk.EventReady)
			if set := untilFresh(t, config); !strings.Contains(set, "<loc>https://h.test/d1/p1.html</loc>") {
				t.Fatalf("at first: %s", set)
			}
			for round, extension := range []string{"", ".html"} {
				for i := range pages {
					page(i, extension)
					if i%10 == 5 {
						untilFresh(t, config) // in between too
					}
				}
				set := untilFresh(t, config)
				for _, want := range []string{"d1/p1" + extension, "z" + extension} {
					if !strings.Contains(set, "<loc>https://h.test/"+want+"</loc>") {
						t.Fatalf("round %d: %s is not listed in %s", round, want, set)
					}
				}
			}
			if got, want := styles.String(), "[keep strip keep]"; got != want {
				t.Errorf("inferred %s, want %s", got, want)
			}
		})
	}
}

// A watch looks at the first pages only, and so does a build.
func TestWatchInfersByTheFirstPagesOnly(t *testing.T) {
	files := map[string]string{}
	for i := range 150 {
		files[fmt.Sprintf("p%03d.html", i)] = says(fmt.Sprintf("/p%03d", i))
	}
	config := sitewalk.DefaultConfig()
	config.Mapper.BaseURL, config.Mapper.URLs.Preset = "https://h.test/", mapper.PresetAuto
	config.Scanner.Docroot, config.Out = makeSite(t, files), t.TempDir()
	config.Watch.Settle = 10 * time.Millisecond
	styles := &stylesOf{}
	config.Inferred = styles.add
	events := watchWith(t, config, nil)
	await(t, events, sitewalk.EventReady)
	for i := 100; i < 150; i++ {
		writeIn(t, config.Scanner.Docroot, fmt.Sprintf("p%03d.html", i), says(fmt.Sprintf("/p%03d.html", i)))
	}
	untilFresh(t, config)
	if got := styles.String(); got != "[strip]" {
		t.Errorf("what the last pages say counts: inferred %s", got)
	}
	// One page less among the first has another looked at. The eleventh that says
	// otherwise leaves no clear majority.
	for i := range 11 {
		if err := os.Remove(filepath.Join(config.Scanner.Docroot, fmt.Sprintf("p%03d.html", i))); err != nil {
			t.Fatal(err)
		}
	}
	untilFresh(t, config)
	if got := styles.String(); got != "[strip keep]" {
		t.Errorf("inferred %s", got)
	}
}
