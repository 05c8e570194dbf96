package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// These tests play the hostile owner of a docroot in which root runs the command. Two
// trees outside of the docroot tell by inotify(7) whether anybody opens, lists or changes
// what is in them: one that the owner may read, and one that only root may.

// intruderID is a user without an account.
const intruderID = 54399

// intrusion is a home of the hostile owner's, with a docroot in it, and what is outside.
type intrusion struct {
	home    string // of the owner's, not below another folder of theirs
	docroot string
	open    *canary // readable for all
	vault   *canary // for root alone
	config  string  // root's, readable for all
}

// TestIntruder has a hostile owner do, while root's commands run in the docroot, all that
// an owner can do.
func TestIntruder(t *testing.T) {
	if os.Geteuid() != 0 {
		lack(t, "only root can become the owner of a docroot: run as root")
	}
	for _, test := range []struct {
		name string
		run  func(t *testing.T)
	}{
		{"sets traps", intruderSetsTraps}, {"exchanges folders", intruderExchangesFolders},
		{"mounts", intruderMounts}, {"configures", intruderConfigures}, {"names", intruderNames},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t)
		})
	}
}

// newIntrusion makes a docroot of thirty pages.
func newIntrusion(t *testing.T) *intrusion {
	t.Helper()
	n := &intrusion{home: openFolder(t)}
	n.docroot = filepath.Join(n.home, "site")
	for i := range 30 {
		writeFile(t, filepath.Join(n.docroot, fmt.Sprintf("p%d/page-%02d.html", i%3, i)), "<!doctype html><title>page</title>\n")
	}
	n.open, n.vault = newCanary(t, 0o755), newCanary(t, 0o700)
	n.config = filepath.Join(openFolder(t), "sitewalk.yaml")
	n.configure(t, "lastmod: [content]\n")
	n.give(t)
	return n
}

func (n *intrusion) configure(t *testing.T, more string) {
	t.Helper()
	writeFile(t, n.config, "base_url: https://www.example.com/\n"+more)
}

// give makes the hostile user the owner of the home. It follows no link, and leaves what
// has further names.
func (n *intrusion) give(t *testing.T) {
	t.Helper()
	err := filepath.Walk(n.home, func(path string, info os.FileInfo, err error) error {
		if err != nil || !info.IsDir() && info.Sys().(*syscall.Stat_t).Nlink > 1 {
			return err
		}
		return os.Lchown(path, intruderID, intruderID)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// run runs the command under a name for messages, and holds it to what must always be so.
func (n *intrusion) run(t *testing.T, what string, args ...string) outcome {
	t.Helper()
	done := finish(t, command(t, args...))
	n.open.judge(t, what+" "+args[0])
	n.vault.judge(t, what+" "+args[0])
	if said := done.stdout + done.stderr; strings.Contains(said, canarySecret) {
		t.Errorf("%s %s quotes what is outside: %s", what, args[0], said)
	}
	err := filepath.Walk(n.home, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return nil // it went away meanwhile
		}
		if stat := info.Sys().(*syscall.Stat_t); stat.Uid != intruderID && stat.Nlink == 1 {
			t.Errorf("%s %s: %s belongs to user %d", what, args[0], path, stat.Uid)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return done
}

// commands are all that read a docroot. Where they write beside it they are told to write
// into the owner's home.
func (n *intrusion) commands() [][]string {
	in := func(name string) string { return filepath.Join(n.home, name) }
	with := func(command string, more ...string) []string {
		return append([]string{command, "-c", n.config, "--docroot", n.docroot, "--state", in("state")}, more...)
	}
	return [][]string{
		with("build", "-v", "--report", in("report.ndjson"), "--previous", in("previous.xml")),
		with("build", "-v", "--json"),
		with("explain", "p0/page-00.html", "trap.html", "sitemap.xml"),
		with("report", "-v", "--output", in("report.html")),
		with("submit", "--dry-run", "--key", canaryKey, "--endpoint", "http://127.0.0.1:1/"),
		{"submit", "--create-key-file", "-c", n.config, "--docroot", n.docroot, "--key", canaryKey},
		{"check", n.docroot, "-v"},
		{"check", n.docroot, "-c", n.config, "--docroot", n.docroot, "--no-state"},
		{"init", n.docroot, "--base-url", "https://www.example.com/"},
		{"build", "-v", "--base-url", "https://www.example.com/", "--no-state", "--sites", filepath.Join(n.home, "s*")},
	}
}

const canaryKey = "5f0c1e7a93d84b6fa2c7d1e09b3f4a68"

// intruderSetsTraps puts what is no plain file of the owner's into every place that is
// read or written.
func intruderSetsTraps(t *testing.T) {
	// Names in the docroot, none of which may lead anywhere, and names that somebody has
	// chosen, which may lead where the owner may read.
	inside := []string{"trap.html", "p0/trap.html", "robots.txt", ".htaccess", "p1/.htaccess", "sitemap.xml", "sitemap-pages.xml.gz", "sitemap-old.xml",
		".sitewalk.lock", ".sitewalk-aaaaaaaaaaaaaaaaaaaaaaaaaa.tmp", canaryKey + ".txt", "package.json", "hugo.toml", "CNAME"}
	outside := []string{"site/sitewalk.yaml", "state", "state.submitted", "report.ndjson", "report.html", "previous.xml", "extra.txt"}
	for _, kind := range []struct {
		name string
		code int // with which a build ends
		set  func(n *intrusion, trap string, within bool) error
	}{
		{"a link", 0, func(n *intrusion, trap string, within bool) error {
			if within {
				return os.Symlink(n.open.file(), trap)
			}
			return os.Symlink(n.vault.file(), trap)
		}},
		{"a link to a folder", 0, func(n *intrusion, trap string, _ bool) error { return os.Symlink(n.vault.path, trap) }},
		{"a hard link", 4, func(n *intrusion, trap string, _ bool) error { return os.Link(n.vault.file(), trap) }},
		{"a FIFO", 0, func(_ *intrusion, trap string, _ bool) error { return syscall.Mkfifo(trap, 0o666) }},
		{"a socket", 0, func(_ *intrusion, trap string, _ bool) error { return syscall.Mknod(trap, syscall.S_IFSOCK|0o666, 0) }},
		{"a device", 0, func(_ *intrusion, trap string, _ bool) error {
			return syscall.Mknod(trap, syscall.S_IFCHR|0o666, int(unix.Mkdev(1, 5)))
		}},
		{"a folder", 1, func(_ *intrusion, trap string, _ bool) error { return os.Mkdir(trap, 0o755) }},
	} {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			n := newIntrusion(t)
			for _, name := range inside {
				must(t, kind.set(n, filepath.Join(n.docroot, name), true))
			}
			for _, name := range outside {
				must(t, kind.set(n, filepath.Join(n.home, name), false))
			}
			n.give(t)
			var ended []int
			for _, command := range n.commands() {
				ended = append(ended, n.run(t, kind.name, command...).code)
			}
			if ended[1] != kind.code {
				t.Errorf("the commands ended with %v", ended)
			}
			n.configure(t, "extra_urls: ["+n.home+"/extra.txt]\nrobots: {update: true}\noutput: {text: true}\n")
			n.run(t, kind.name+" of extra URLs", "build", "-v", "-c", n.config, "--docroot", n.docroot, "--no-state")
		})
	}
}

// intruderExchangesFolders exchanges folders with links to others all the time:
// a folder of pages, the folder that is published in, and the docroot itself.
func intruderExchangesFolders(t *testing.T) {
	n := newIntrusion(t)
	writeFile(t, filepath.Join(n.docroot, "maps/x.html"), "<title>x</title>")
	must(t, os.Symlink(n.open.path, filepath.Join(n.docroot, "link")))
	must(t, os.Symlink(n.open.path, filepath.Join(n.docroot, "outlet")))
	must(t, os.Symlink(n.vault.path, filepath.Join(n.home, "vault")))
	n.give(t)
	n.configure(t, "output: {dir: maps}\n")
	// The docroot is opened before it is compared with what was meant, so that the folder
	// which a link then leads to is opened too; it is not listed.
	n.vault.mayOpen = true
	rounds := 1
	if everything {
		rounds = 20
	}
	for _, pair := range [][2]string{
		{filepath.Join(n.docroot, "p1"), filepath.Join(n.docroot, "link")},
		{filepath.Join(n.docroot, "maps"), filepath.Join(n.docroot, "outlet")},
		{n.docroot, filepath.Join(n.home, "vault")},
	} {
		swaps := 0
		stop := make(chan struct{})
		var swapping sync.WaitGroup
		swapping.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				for range 2 { // so that in the end all is as it was
					if err := unix.Renameat2(unix.AT_FDCWD, pair[0], unix.AT_FDCWD, pair[1], unix.RENAME_EXCHANGE); err != nil {
						t.Error(err)
						return
					}
					time.Sleep(time.Duration(swaps%7) * 100 * time.Microsecond)
				}
				swaps++
			}
		})
		met := 0
		for round := 0; round < rounds || met == 0 && round < 100*rounds; round++ {
			for _, command := range n.commands() {
				if done := n.run(t, "exchanging "+filepath.Base(pair[0]), command...); done.code != 0 || strings.Contains(done.stderr+done.stdout, "symlink") {
					met++
				}
			}
			n.watch(t)
		}
		close(stop)
		swapping.Wait()
		if met == 0 {
			t.Errorf("%s was exchanged %d times, and no run met the link: the test shows nothing", pair[0], swaps)
		}
	}
}

// watch watches for a second.
func (n *intrusion) watch(t *testing.T) {
	t.Helper()
	second := []string{program(t, "timeout"), "-s", "TERM", "1"}
	finish(t, under(second, command(t, "watch", "--json", "-c", n.config, "--docroot", n.docroot, "--no-state")))
	n.open.judge(t, "watch")
	n.vault.judge(t, "watch")
}

// intruderMounts has what is root's alone mounted into the docroot. The owner could
// not do so; where somebody has, the owner's rights are what protects.
func intruderMounts(t *testing.T) {
	n := newIntrusion(t)
	unshare := program(t, "unshare")
	for _, name := range []string{"robots.txt", ".htaccess", "sitemap.xml", "sitewalk.yaml"} {
		writeFile(t, filepath.Join(n.docroot, name), "")
	}
	must(t, os.Mkdir(filepath.Join(n.docroot, "mounted"), 0o755))
	n.give(t)
	script := "set -e; vault=$1; secret=$2; site=$3; shift 3; mount --bind \"$vault\" \"$site/mounted\"\n" +
		"for name in robots.txt .htaccess sitemap.xml sitewalk.yaml; do mount --bind \"$secret\" \"$site/$name\"; done; exec \"$@\""
	run := func(args ...string) outcome {
		t.Helper()
		line := []string{unshare, "--mount", "--propagation", "private", "sh", "-c", script, "sh", n.vault.path, n.vault.file(), n.docroot}
		done := finish(t, under(line, command(t, args...)))
		if strings.Contains(done.stderr, "unshare failed") || strings.Contains(done.stderr, "mount: ") {
			lack(t, "nothing may be mounted here: %s", done.stderr)
		}
		n.open.judge(t, "mounted "+args[0])
		n.vault.judge(t, "mounted "+args[0])
		if strings.Contains(done.stdout+done.stderr, canarySecret) {
			t.Errorf("%v quotes what is root's: %s%s", args, done.stdout, done.stderr)
		}
		return done
	}
	n.vault.mayOpen = true // mount(8) and the shell look at what they mount
	done := run("build", "-v", "-c", n.config, "--docroot", n.docroot, "--no-state")
	if !strings.Contains(done.stderr, "mounted/ (unreadable)") {
		t.Errorf("the mounted folder is not told of as unreadable: %d %s", done.code, done.stderr)
	}
	for _, command := range n.commands() {
		run(command...)
	}
	n.configure(t, "output: {dir: mounted}\n")
	if done := run("build", "-c", n.config, "--docroot", n.docroot, "--no-state"); done.code == 0 {
		t.Error("published in a folder of root's")
	}
}

// intruderConfigures has the owner's own configuration, and the owner's own set, lead
// outside.
func intruderConfigures(t *testing.T) {
	n := newIntrusion(t)
	own := filepath.Join(n.docroot, "sitewalk.yaml")
	base := "base_url: https://www.example.com/\ndocroot: " + n.docroot + "\n"
	// A set whose URLs have the path of its folder, as though all of the disk were served.
	place := "https://www.example.com" + n.docroot + "/"
	index := func(locs ...string) string {
		text := `<?xml version="1.0" encoding="UTF-8"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`
		for _, loc := range locs {
			text += "<sitemap><loc>" + loc + "</loc></sitemap>"
		}
		return text + "</sitemapindex>"
	}
	writeFile(t, filepath.Join(n.docroot, "sitemap.xml"), index(place+"a.xml", "https://www.example.com"+n.open.file(), "https://www.example.com"+n.vault.file()))
	writeFile(t, filepath.Join(n.docroot, "a.xml"), `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>`+place+`a</loc></url></urlset>`)
	for name, content := range map[string]string{
		"docroot of root's":    "base_url: https://www.example.com/\ndocroot: " + n.open.path + "\n",
		"docroot above":        "base_url: https://www.example.com/\ndocroot: /\n",
		"output.dir above":     base + "output: {dir: ../../..}\n",
		"output.root above":    base + "output: {root: ../../x.xml}\n",
		"state of root's":      base + "state: " + n.vault.path + "/state\n",
		"state over root's":    base + "state: " + n.vault.file() + "\n",
		"extra_urls of root's": base + "extra_urls: [" + n.vault.file() + "]\n",
		"key above":            base + "submit: {indexnow: {key: ../../../etc/x, key_location: 'https://www.example.com/../x.txt'}}\n",
		"many sites":           base + "sites: [" + strings.Repeat("{docroot: "+n.open.path+"},", 20) + "]\n",
		"path as on disk":      "base_url: " + place + "\ndocroot: " + n.docroot + "\n",
	} {
		writeFile(t, own, content)
		n.give(t)
		for _, args := range [][]string{
			{"build", "-v", "-c", own}, {"build", "-v", "--sites", n.docroot}, {"explain", "-c", own, "a.xml"}, {"check", "-c", own}, {"check", "-c", own, n.docroot},
			{"check", n.docroot}, {"check", n.docroot, "--docroot", n.docroot, "-c", own}, {"submit", "--create-key-file", "-c", own},
			{"report", "-c", own, "--output", n.home + "/report.html"},
		} {
			n.run(t, name, args...)
		}
	}
}
