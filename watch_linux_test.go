package sitewalk_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sitewalk"
)

// watchFolder watches a new docroot with some files, by path, and returns the docroot,
// the output folder, and what the watch tells.
func watchFolder(t *testing.T, files map[string]string, tell func(sitewalk.Config, sitewalk.Event)) (config sitewalk.Config, events <-chan sitewalk.Event) {
	t.Helper()
	config = sitewalk.DefaultConfig()
	config.Mapper.BaseURL = "https://h.test/"
	config.Scanner.Docroot, config.Out = t.TempDir(), t.TempDir()
	config.Watch.Settle = 20 * time.Millisecond
	for path, content := range files {
		writeIn(t, config.Scanner.Docroot, path, content)
	}
	return config, watchWith(t, config, tell)
}

// watchWith watches with a configuration, and returns what the watch tells.
func watchWith(t *testing.T, config sitewalk.Config, tell func(sitewalk.Config, sitewalk.Event)) (events <-chan sitewalk.Event) {
	t.Helper()
	told := make(chan sitewalk.Event, 1000)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() {
		ended <- sitewalk.Watch(ctx, config, func(e sitewalk.Event) {
			if tell != nil {
				tell(config, e)
			}
			told <- e
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the watch ends with %v", err)
		}
	})
	return told
}

func writeIn(t *testing.T, docroot, path, content string) {
	t.Helper()
	path = filepath.Join(docroot, path)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(content), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// await returns the next event of a kind.
func await(t *testing.T, events <-chan sitewalk.Event, kind sitewalk.EventKind) sitewalk.Event {
	t.Helper()
	for deadline := time.After(patience); ; {
		select {
		case e := <-events:
			if e.Kind == kind {
				return e
			}
		case <-deadline:
			t.Fatalf("no event %q", kind)
		}
	}
}

// When many files go, many others are judged anew, and these are kin of others still.
func TestFilesThatDependOnManyOthersAreJudgedAnew(t *testing.T) {
	const families = 450
	files := map[string]string{"index.html": "x"}
	for i := range families {
		canonical := fmt.Sprintf(`<link rel="canonical" href="https://h.test/x%d.html">`, i)
		files[fmt.Sprintf("x%d.html", i)] = "x"
		files[fmt.Sprintf("x%d/index.html", i)] = canonical
		files[fmt.Sprintf("x%d/index.htm", i)] = canonical
	}
	config, events := watchFolder(t, files, nil)
	await(t, events, sitewalk.EventReady)
	for i := range families {
		if err := os.Remove(filepath.Join(config.Scanner.Docroot, fmt.Sprintf("x%d.html", i))); err != nil {
			t.Fatal(err)
		}
	}
	fresh := config
	fresh.Out = t.TempDir()
	fresh.LockWait = time.Minute
	if _, err := sitewalk.Build(t.Context(), fresh); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(fresh.Out, "sitemap.xml"))
	if err != nil {
		t.Fatal(err)
	}
	var got []byte
	for deadline := time.Now().Add(patience); string(got) != string(want); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d URLs are listed, not %d", strings.Count(string(got), "<loc>"), strings.Count(string(want), "<loc>"))
		}
		got, _ = os.ReadFile(filepath.Join(config.Out, "sitemap.xml"))
	}
}

// Whoever is told of a publication may begin a run of its own.
func TestNothingIsLockedWhileAnEventIsTold(t *testing.T) {
	scratch := t.TempDir()
	config, events := watchFolder(t, map[string]string{"index.html": "x"}, func(config sitewalk.Config, e sitewalk.Event) {
		config.Out = scratch
		if _, err := sitewalk.Build(context.Background(), config); err != nil {
			t.Errorf("%s: %v", e.Kind, err)
		}
	})
	await(t, events, sitewalk.EventPublished)
	await(t, events, sitewalk.EventReady)
	writeIn(t, config.Scanner.Docroot, "new.html", "x")
	await(t, events, sitewalk.EventPublished)
}
