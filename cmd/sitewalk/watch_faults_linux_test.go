package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// failSyncs has each fsync(2) of a folder fail that a process makes, until it is ended.
func failSyncs(t *testing.T, process int, folder string) (end func()) {
	t.Helper()
	strace := exec.Command(program(t, "strace"), "-f", "-p", strconv.Itoa(process), "-P", folder,
		"-e", "trace=fsync", "-e", "inject=fsync:error=EIO", "-o", filepath.Join(t.TempDir(), "log"))
	said, err := strace.StderrPipe()
	if err == nil {
		err = strace.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	end = func() {
		_ = strace.Process.Signal(os.Interrupt)
		_ = strace.Wait()
	}
	lines := bufio.NewScanner(said)
	if !lines.Scan() || !strings.Contains(lines.Text(), " attached") {
		end()
		lack(t, "strace may not trace here: %s", lines.Text())
	}
	return end
}

// What waits for the event published would else wait for ever: when it is tried again
// there is nothing left to write.
func TestAPublicationThatFailsAtItsVeryEndIsToldOfWhenItSucceeds(t *testing.T) {
	t.Parallel()
	for _, sections := range []bool{false, true} {
		docroot := publicDir(t)
		writePages(t, docroot, "index.html", "a/a.html", "b/b.html")
		config, want := quick, []string{"sitemap.xml"}
		if sections {
			config += "rules: [{match: 'a/**', section: a}, {match: 'b/**', section: b}]\n"
			want = []string{"sitemap-a.xml.gz", "sitemap.xml"}
		}
		w := watchSite(t, docroot, config)
		end := failSyncs(t, w.cmd.Process.Pid, w.out)
		writePages(t, docroot, "a/new.html")
		w.await(t, "error")
		end()
		event := w.next(t)
		if event.Event != "published" || !slices.Equal(event.Written, want) || event.PagesAdded != 1 || event.PagesChanged+event.PagesRemoved != 0 ||
			event.Pages != 4 || event.Unchanged != event.Shards-1 {
			t.Errorf("sections: %t: tells\n%s", sections, w.said())
		}
		writePages(t, docroot, "b/new.html")
		if event, _ := w.await(t, "published"); event.PagesAdded != 1 || slices.Contains(event.Written, "sitemap-a.xml.gz") {
			t.Errorf("sections: %t: what is told of is told again\n%s", sections, w.said())
		}
	}
}
