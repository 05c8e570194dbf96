package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// These tests play the customer of a hosting panel that runs sitewalk as root
// in the customer's docroot.

// The users that tests chown to: one that every system has, and one without an
// account.
const (
	nobody  = 65534
	nowhere = 12345
)

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files to other users: run as root to test what root does in their docroots")
	}
}

// give makes a user the owner of everything at a path; links are not followed.
func give(t *testing.T, uid int, path string) {
	t.Helper()
	err := filepath.WalkDir(path, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, uid, uid)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func ownerOf(t *testing.T, path string) int {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return int(info.Sys().(*syscall.Stat_t).Uid)
}

// publicConfig writes a configuration file where every user can read it.
func publicConfig(t *testing.T, owner int, content string) string {
	t.Helper()
	path := filepath.Join(publicDir(t), "sitewalk.yaml")
	writeFile(t, path, "base_url: "+exampleBase+"\n"+content)
	give(t, owner, filepath.Dir(path))
	return path
}

func TestRootPublishesAsTheDocrootsOwner(t *testing.T) {
	needRoot(t)
	for _, uid := range []int{nobody, nowhere} {
		docroot := publicDir(t)
		writePages(t, docroot, numbered("blog", 30)...)
		give(t, uid, docroot)
		done := build(t, "-v", "-c", publicConfig(t, 0, "output: {max_urls: 10, text: true}\n"), "--docroot", docroot)
		if !strings.Contains(done.stderr, fmt.Sprintf("running as user %d", uid)) {
			t.Errorf("does not say that it drops: %q", done.stderr)
		}
		files := glob(t, docroot, "sitemap*")
		if len(files) < 4 {
			t.Errorf("published only %q", files)
		}
		for _, name := range files {
			if owner := ownerOf(t, filepath.Join(docroot, name)); owner != uid {
				t.Errorf("%s belongs to %d, not to %d", name, owner, uid)
			}
		}
	}
}

func TestRootStaysRootOnlyIfToldTo(t *testing.T) {
	needRoot(t)
	docroot := publicDir(t)
	writePages(t, docroot, "index.html")
	give(t, nobody, docroot)
	out := filepath.Join(publicDir(t), "roots")
	args := []string{"--docroot", docroot, "--base-url", exampleBase, "--out", out}
	builds(t, exitFailed, args...)
	build(t, append(args, "--allow-root")...)
	if owner := ownerOf(t, filepath.Join(out, "sitemap.xml")); owner != 0 {
		t.Errorf("sitemap.xml belongs to %d", owner)
	}
}

func TestRootRefusesWhatLeadsToSomebodyElses(t *testing.T) {
	needRoot(t)
	victim := publicDir(t)
	writePages(t, victim, "index.html")
	mine := publicDir(t)
	writePages(t, mine, "site/index.html")
	give(t, nobody, mine)
	link := filepath.Join(mine, "link")
	if err := os.Symlink(victim, link); err != nil {
		t.Fatal(err)
	}
	give(t, nobody, link)
	others := publicDir(t)
	writePages(t, others, "index.html")
	give(t, nowhere, others)
	// Root's own folder below a user's, who could exchange it.
	below := filepath.Join(mine, "below")
	writePages(t, below, "index.html")

	for name, args := range map[string][]string{
		"a user's link to root's folder":               {"--docroot", link, "--base-url", exampleBase},
		"a path through a user's link":                 {"--docroot", link + "/../" + filepath.Base(victim), "--base-url", exampleBase},
		"root's folder below a user's":                 {"--docroot", below, "--base-url", exampleBase},
		"a user's configuration of root's docroot":     {"-c", publicConfig(t, nobody, "docroot: "+victim+"\n")},
		"a user's configuration of a user's docroot":   {"-c", publicConfig(t, nobody, "docroot: "+others+"\n")},
		"a user's configuration and another's docroot": {"-c", publicConfig(t, nobody, ""), "--docroot", others},
		"a user's configuration and root's docroot":    {"-c", publicConfig(t, nobody, ""), "--docroot", victim},
	} {
		done := execute(t, append([]string{"build", "--no-read"}, args...)...)
		if done.code != exitFailed && done.code != exitUsage {
			t.Errorf("%s: exit code %d\n%s%s", name, done.code, done.stdout, done.stderr)
		}
		if len(lines(done.stderr)) != 1 {
			t.Errorf("%s: says %q", name, done.stderr)
		}
		for _, folder := range []string{victim, others, below} {
			if found := glob(t, folder, "sitemap*", ".sitewalk*"); len(found) > 0 {
				t.Errorf("%s: left %q in %s", name, found, folder)
			}
		}
	}
	// The same user's configuration of their own docroot is fine.
	build(t, "-c", publicConfig(t, nobody, "docroot: "+filepath.Join(mine, "site")+"\n"))
}

// TestNothingIsWrittenThroughOutputNames puts traps where the output is to be.
func TestNothingIsWrittenThroughOutputNames(t *testing.T) {
	const treasure = "<!-- written by sitewalk -->\ntreasure\n"
	config := "output: {max_urls: 10, gzip: none, stale_grace: 0s, text: true}\n"
	for name, test := range map[string]struct {
		trap   func(docroot, outside string) error
		config string
		code   int
	}{
		"link": {func(docroot, outside string) error {
			return os.Symlink(outside+"/file", docroot+"/sitemap.xml")
		}, config, exitDone},
		"dangling link": {func(docroot, outside string) error {
			return os.Symlink(outside+"/new", docroot+"/sitemap.xml")
		}, config, exitDone},
		"link to itself": {func(docroot, outside string) error {
			return os.Symlink("sitemap.xml", docroot+"/sitemap.xml")
		}, config, exitDone},
		"hard link": {func(docroot, outside string) error {
			return os.Link(outside+"/file", docroot+"/sitemap.xml")
		}, config, exitDone},
		"FIFO": {func(docroot, outside string) error {
			return syscall.Mkfifo(docroot+"/sitemap.xml", 0o666)
		}, config, exitDone},
		"folder": {func(docroot, outside string) error {
			return os.MkdirAll(docroot+"/sitemap.xml/full", 0o777)
		}, config, exitFailed},
		"shard is a link": {func(docroot, outside string) error {
			return os.Symlink(outside+"/file", docroot+"/sitemap-pages-first.xml")
		}, config, exitDone},
		"leftover is a link": {func(docroot, outside string) error {
			return os.Symlink(outside+"/file", docroot+"/sitemap-old.xml")
		}, config, exitDone},
		"leftover is a hard link": {func(docroot, outside string) error {
			return os.Link(outside+"/file", docroot+"/sitemap-old.xml")
		}, config, exitDone},
		"second index is a link": {func(docroot, outside string) error {
			return os.Symlink(outside+"/file", docroot+"/sitemap-index-2.xml")
		}, config, exitDone},
		"text list is a link": {func(docroot, outside string) error {
			return os.Symlink(outside+"/file", docroot+"/sitemap.txt")
		}, config, exitDone},
		"temporary file is a link": {func(docroot, outside string) error {
			return os.Symlink(outside+"/file", docroot+"/.sitewalk-aaaaaaaaaaaaaaaaaaaaaaaaaa.tmp")
		}, config, exitDone},
		"output.dir is a link": {func(docroot, outside string) error {
			return os.Symlink(outside, docroot+"/maps")
		}, "output: {dir: maps}\n", exitUsage},
		"output.dir passes a link": {func(docroot, outside string) error {
			return os.Symlink(outside, docroot+"/maps")
		}, "output: {dir: maps/deeper}\n", exitUsage},
		"output.dir climbs": {func(docroot, outside string) error { return nil },
			"output: {dir: ../}\n", exitUsage},
		"output.dir is absolute": {func(docroot, outside string) error { return nil },
			"output: {dir: /tmp}\n", exitUsage},
	} {
		for _, uid := range []int{0, nobody} {
			t.Run(fmt.Sprintf("%s of user %d", name, uid), func(t *testing.T) {
				if uid != 0 {
					needRoot(t)
				}
				docroot, outside := publicDir(t), publicDir(t)
				writeFile(t, outside+"/file", treasure)
				writePages(t, docroot, numbered("p", 30)...)
				if uid != 0 {
					give(t, uid, docroot)
				}
				if err := test.trap(docroot, outside); err != nil {
					t.Fatal(err)
				}
				done := builds(t, test.code, "-c", publicConfig(t, os.Geteuid(), test.config), "--docroot", docroot)
				if names := glob(t, outside, "*"); len(names) != 1 || readFile(t, outside+"/file") != treasure {
					t.Errorf("the folder outside now holds %q, and the file %q", names, readFile(t, outside+"/file"))
				}
				if left := temps(t, docroot); len(left) > 0 && name != "temporary file is a link" {
					t.Errorf("%q are left", left)
				}
				if test.code != exitDone {
					if len(lines(done.stderr)) != 1 {
						t.Errorf("says %q", done.stderr)
					}
					return
				}
				p := protocol09
				p.scope = exampleBase
				if set := checkSet(t, docroot, p); len(set.pages) != 30 {
					t.Errorf("%d pages are listed", len(set.pages))
				}
				for _, name := range []string{"sitemap.xml", "sitemap.txt", "sitemap-pages-first.xml"} {
					if info, err := os.Lstat(filepath.Join(docroot, name)); err != nil || !info.Mode().IsRegular() {
						t.Errorf("%s is no regular file: %v", name, err)
					}
				}
			})
		}
	}
}

// TestNothingOfALinkedConfigurationIsQuoted points the configuration at a secret.
func TestNothingOfALinkedConfigurationIsQuoted(t *testing.T) {
	needRoot(t)
	for name, secret := range map[string]string{
		"shadow": "root:$6$hunter2:19000:0:99999:7:::\nhunter2:*:19000::::::\n",
		"yaml":   "hunter2: hunter2\n", "value": "max_urls: hunter2\n", "value of a known key": "output: {root: hunter2/x, gzip: hunter2}\n",
		"list": "include: [hunter2\n", "glob": "include: ['hunter2[']\n", "section": "rules: [{match: x, section: HUNTER2}]\n",
		"base": "base_url: 'ftp://hunter2/'\n", "binary": "\x00\x01hunter2", "document": "{}\n---\nhunter2\n", "extra": "base_url: https://hunter2.example/\nextra_urls: [hunter2]\n",
	} {
		for _, kind := range []string{"readable link", "unreadable link", "hard link"} {
			home, vault := publicDir(t), publicDir(t)
			writePages(t, home, "index.html")
			target, config := filepath.Join(vault, "secret"), filepath.Join(home, "sitewalk.yaml")
			writeFile(t, target, secret)
			if kind == "unreadable link" {
				if err := os.Chmod(target, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			link := os.Symlink
			if kind == "hard link" {
				link = os.Link
			}
			if err := link(target, config); err != nil {
				t.Fatal(err)
			}
			if kind != "hard link" {
				give(t, nobody, config)
			}
			if err := os.Lchown(home, nobody, nobody); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{{"-c", config}, {"-c", config, "--docroot", home}} {
				done := execute(t, append([]string{"build", "-v", "--json"}, args...)...)
				if strings.Contains(strings.ToLower(done.stderr+done.stdout), "hunter2") {
					t.Errorf("%s, %s, %v: the secret is out: %s%s", name, kind, args, done.stdout, done.stderr)
				}
				if done.code == exitDone {
					t.Errorf("%s, %s, %v: published", name, kind, args)
				}
			}
		}
	}
}

// opening is a line of strace's about a file that is opened or changed.
var opening = regexp.MustCompile(`\b(openat2?|open|creat|mkdirat|mkdir|renameat2?|rename|unlinkat|unlink|linkat|symlinkat|truncate|utimensat|fchmodat|fchownat)\((.*)`)

func TestNothingOutsideTheDocrootIsWrittenAndNoFIFOIsOpened(t *testing.T) {
	strace := program(t, "strace")
	docroot := publicDir(t)
	writePages(t, docroot, numbered("p", 30)...)
	for _, name := range []string{"fifo", "fifo.html", "p/fifo.html", "sitemap.xml", "sitemap-old.xml", "robots.txt", ".htaccess"} {
		if err := syscall.Mkfifo(filepath.Join(docroot, name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if os.Geteuid() == 0 {
		give(t, nobody, docroot)
	}
	log := filepath.Join(t.TempDir(), "strace")
	sitewalk, err := exec.LookPath("sitewalk")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(strace, "-f", "-y", "-s", "4096", "-o", log, "-e", "trace=file,desc",
		sitewalk, "build", "--no-read", "-c", publicConfig(t, os.Geteuid(), "output: {max_urls: 10}\n"), "--docroot", docroot)
	cmd.Env = cleanEnv()
	if done := finish(t, cmd); done.code != exitDone {
		if strings.Contains(done.stderr, "ptrace") {
			t.Skipf("strace may not trace here: %s", done.stderr)
		}
		t.Fatalf("exit code %d\n%s", done.code, done.stderr)
	}
	writes := 0
	for line := range bytes.SplitSeq([]byte(readFile(t, log)), []byte("\n")) {
		found := opening.FindSubmatch(line)
		if found == nil {
			continue
		}
		call, rest := string(found[1]), string(found[2])
		if strings.HasPrefix(call, "open") {
			if strings.Contains(rest, "fifo") || strings.Contains(rest, `"sitemap.xml"`) && !strings.Contains(rest, "O_PATH") || strings.Contains(rest, `"sitemap-old.xml"`) {
				t.Errorf("opens a FIFO: %s", line)
			}
			if strings.Contains(rest, ".html") {
				t.Errorf("opens a page in spite of --no-read: %s", line)
			}
			if !strings.Contains(rest, "O_WRONLY") && !strings.Contains(rest, "O_RDWR") && !strings.Contains(rest, "O_CREAT") {
				continue
			}
		}
		if strings.Contains(rest, `"/dev/null"`) || strings.Contains(rest, "covmeta") || strings.Contains(rest, "covcounters") {
			continue
		}
		writes++
		if !strings.Contains(rest, "<"+docroot) {
			t.Errorf("writes outside the docroot: %s", line)
		}
	}
	if writes < 8 {
		t.Errorf("strace shows only %d writes: the test no longer sees them", writes)
	}
}

// TestPagesSwappedBehindTheScanAreNotFollowed has another process exchange pages
// for traps all the time, so that what was listed as a regular file is another
// when it is opened. The page outside says noindex: a verdict of noindex tells
// that it was read.
func TestPagesSwappedBehindTheScanAreNotFollowed(t *testing.T) {
	const outsider = "<meta name=robots content=noindex>"
	docroot, outside := publicDir(t), publicDir(t)
	writeFile(t, outside+"/outsider.html", outsider)
	pages := numbered("p", 100)
	writePages(t, docroot, pages...)
	traps := []string{"traps/link", "traps/fifo", "traps/folder"}
	for _, err := range []error{
		os.Mkdir(docroot+"/traps", 0o755),
		os.Symlink(outside+"/outsider.html", docroot+"/traps/link"),
		syscall.Mkfifo(docroot+"/traps/fifo", 0o666),
		os.Symlink(outside, docroot+"/traps/folder"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if os.Geteuid() == 0 { // others may not make devices
		if err := syscall.Mknod(docroot+"/traps/zero", syscall.S_IFCHR|0o666, int(unix.Mkdev(1, 5))); err == nil {
			traps = append(traps, "traps/zero")
		}
		give(t, nobody, docroot)
	}

	done := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			page, trap := docroot+"/"+pages[i%len(pages)], docroot+"/"+traps[i%len(traps)]
			for range 2 {
				if err := unix.Renameat2(unix.AT_FDCWD, page, unix.AT_FDCWD, trap, unix.RENAME_EXCHANGE); err != nil {
					t.Error(err)
					return
				}
				time.Sleep(50 * time.Microsecond)
			}
		}
	})
	defer swapping.Wait()
	defer close(done)

	caught := 0
	for n := 0; n < 8 || caught == 0 && n < 100; n++ {
		ran := execute(t, "build", "-v", "--json", "--no-state", "-c", publicConfig(t, os.Geteuid(), "lastmod: [content]\n"), "--docroot", docroot)
		if ran.code != exitDone && ran.code != exitUnreadable {
			t.Fatalf("exit code %d\n%s", ran.code, ran.stderr)
		}
		if strings.Contains(ran.stdout, "noindex") {
			t.Errorf("a page outside the docroot was read: %s", ran.stdout)
		}
		caught += strings.Count(ran.stderr, "left out: p/")
	}
	if caught == 0 {
		t.Error("no trap was met: the test no longer shows anything")
	}
}

// TestRobotsAndAccessFilesLeadNowhere puts traps in the places of files that are
// read from the docroot beside pages. What they lead to would leave out the page.
func TestRobotsAndAccessFilesLeadNowhere(t *testing.T) {
	const secret = "User-agent: *\nDisallow: /hunter2.html\nRequire user hunter2\n"
	for name, test := range map[string]struct {
		trap func(path, secret string) error
		// codes of the warnings about robots.txt and .htaccess.
		robots, access string
		root           bool // whether only a customer of root's is kept out
	}{
		"link":           {func(path, secret string) error { return os.Symlink(secret, path) }, "robots-ignored", "htaccess-ignored", false},
		"dangling link":  {func(path, secret string) error { return os.Symlink(secret+"-none", path) }, "robots-ignored", "htaccess-ignored", false},
		"link to itself": {func(path, _ string) error { return os.Symlink(filepath.Base(path), path) }, "robots-ignored", "htaccess-ignored", false},
		"FIFO":           {func(path, _ string) error { return syscall.Mkfifo(path, 0o666) }, "robots-ignored", "htaccess-ignored", false},
		"hard link":      {func(path, secret string) error { return os.Link(secret, path) }, "robots-unreadable", "htaccess-unreadable", true},
	} {
		t.Run(name, func(t *testing.T) {
			if test.root {
				needRoot(t)
			}
			docroot, outside := publicDir(t), publicDir(t)
			writePages(t, docroot, "hunter2.html", "shut/a.html")
			if os.Geteuid() == 0 {
				give(t, nobody, docroot)
			}
			writeFile(t, outside+"/secret", secret)
			if err := os.Chmod(outside+"/secret", 0o600); err != nil {
				t.Fatal(err)
			}
			for _, trap := range []string{"robots.txt", "shut/.htaccess"} {
				if err := test.trap(filepath.Join(docroot, trap), outside+"/secret"); err != nil {
					t.Fatal(err)
				}
			}
			report := filepath.Join(t.TempDir(), "report")
			if os.Geteuid() == 0 {
				report = filepath.Join(docroot, "report.ndjson")
			}
			done := execute(t, "build", "-v", "--no-state", "--report", report, "-c",
				publicConfig(t, os.Geteuid(), "robots: {update: true}\n"), "--docroot", docroot)
			if done.code != exitDone {
				t.Fatalf("exit code %d\n%s", done.code, done.stderr)
			}
			for _, code := range []string{test.robots, test.access, "robots-not-updated"} {
				if !strings.Contains(done.stderr, "["+code+"]") {
					t.Errorf("no warning is called %s\n%s", code, done.stderr)
				}
			}
			if said := done.stderr + readFile(t, report); strings.Contains(said, "Disallow") || strings.Contains(said, "Require") {
				t.Errorf("the secret is out: %s", said)
			}
			if set := readFile(t, docroot+"/sitemap.xml"); !strings.Contains(set, "/hunter2.html<") {
				t.Errorf("a robots.txt that is none of the docroot's left out a page\n%s", set)
			}
			if names := glob(t, outside, "*"); len(names) != 1 || readFile(t, outside+"/secret") != secret {
				t.Errorf("the folder outside now holds %q, and the secret %q", names, readFile(t, outside+"/secret"))
			}
		})
	}
}

// TestWhatRootKeepsForARunIsTheOwners puts the state and the report where the
// docroot's owner may not write, or leads elsewhere.
func TestWhatRootKeepsForARunIsTheOwners(t *testing.T) {
	needRoot(t)
	const gem = "carbuncle"
	for name, test := range map[string]struct {
		flag string
		trap func(home, vault string) (path string, err error)
		code int
		says string
	}{
		"state in root's folder": {"--state", func(_, vault string) (string, error) {
			return vault + "/state", nil
		}, exitDone, "[state-not-kept]"},
		"state in a folder that is not there": {"--state", func(_, vault string) (string, error) {
			return vault + "/cache/sitewalk/state", nil
		}, exitDone, "[state-not-kept]"},
		"state over root's file": {"--state", func(_, vault string) (string, error) {
			return vault + "/treasure", nil
		}, exitDone, "[state-not-kept]"},
		"state that is a link": {"--state", func(home, vault string) (string, error) {
			return home + "/state", os.Symlink(vault+"/treasure", home+"/state")
		}, exitDone, ""},
		"state that is a hard link": {"--state", func(home, vault string) (string, error) {
			return home + "/state", os.Link(vault+"/treasure", home+"/state")
		}, exitDone, ""},
		"state that is a FIFO": {"--state", func(home, _ string) (string, error) {
			return home + "/state", syscall.Mkfifo(home+"/state", 0o666)
		}, exitDone, "warning"},
		"report in root's folder": {"--report", func(_, vault string) (string, error) {
			return vault + "/report", nil
		}, exitUsage, "permission denied"},
		"report that is a link": {"--report", func(home, vault string) (string, error) {
			return home + "/report", os.Symlink(vault+"/treasure", home+"/report")
		}, exitUsage, "permission denied"},
		"report that is a hard link": {"--report", func(home, vault string) (string, error) {
			return home + "/report", os.Link(vault+"/treasure", home+"/report")
		}, exitUsage, "permission denied"},
		"previous that is a link": {"--previous", func(home, vault string) (string, error) {
			return home + "/previous", os.Symlink(vault+"/treasure", home+"/previous")
		}, exitFailed, "permission denied"},
		"previous that is a FIFO": {"--previous", func(home, _ string) (string, error) {
			return home + "/previous", syscall.Mkfifo(home+"/previous", 0o666)
		}, exitFailed, "previous"},
	} {
		t.Run(name, func(t *testing.T) {
			home, vault := publicDir(t), publicDir(t)
			writePages(t, home, "site/index.html")
			writeFile(t, vault+"/treasure", gem)
			for path, mode := range map[string]fs.FileMode{vault: 0o755, vault + "/treasure": 0o600} {
				if err := os.Chmod(path, mode); err != nil {
					t.Fatal(err)
				}
			}
			give(t, nobody, home)
			path, err := test.trap(home, vault)
			if err != nil {
				t.Fatal(err)
			}
			done := execute(t, "build", "-c", publicConfig(t, 0, "lastmod: [content]\n"), "--docroot", home+"/site", test.flag, path)
			if done.code != test.code || !strings.Contains(done.stderr, test.says) {
				t.Errorf("exit code %d\n%s", done.code, done.stderr)
			}
			if strings.Contains(done.stdout+done.stderr, gem) {
				t.Errorf("quotes what it may not read: %s", done.stderr)
			}
			if names := glob(t, vault, "*"); len(names) != 1 || readFile(t, vault+"/treasure") != gem || ownerOf(t, vault+"/treasure") != 0 {
				t.Errorf("root's folder now holds %q, and the treasure %q", names, readFile(t, vault+"/treasure"))
			}
			if published := len(glob(t, home+"/site", "sitemap.xml")) > 0; published != (test.code == exitDone) {
				t.Errorf("published: %v", published)
			}
		})
	}
}

// TestRootGivesOwnersFoldersForTheirStates builds, as root, the sites of users who have
// no home.
func TestRootGivesOwnersFoldersForTheirStates(t *testing.T) {
	needRoot(t)
	top, states := publicDir(t), publicDir(t)
	owners := map[string]int{"a": nowhere, "b": other, "c": 0}
	for name, uid := range owners {
		docroot := filepath.Join(top, name)
		writePages(t, docroot, "index.html")
		give(t, uid, docroot)
	}
	args := []string{"build", "--sites", top + "/*", "--base-url", "https://{1}.example.com/", "--state-dir", states}
	for range 2 {
		if done := execute(t, args...); done.code != exitDone || done.stderr != "" {
			t.Fatalf("exit code %d\n%s", done.code, done.stderr)
		}
	}
	for _, uid := range owners {
		folder := filepath.Join(states, strconv.Itoa(uid))
		info, err := os.Lstat(folder)
		if err != nil || info.Mode() != fs.ModeDir|0o700 || ownerOf(t, folder) != uid {
			t.Errorf("the folder of user %d: %v, %v", uid, info, err)
		}
		if kept := glob(t, folder, "*.state"); len(kept) != 1 || ownerOf(t, filepath.Join(folder, kept[0])) != uid {
			t.Errorf("user %d has the states %q", uid, kept)
		}
	}

	// In a folder that is not root's alone, none is kept, and the build goes on.
	give(t, other, states)
	done := execute(t, args...)
	if done.code != exitDone || strings.Count(done.stderr, "[state-not-kept]") != len(owners) {
		t.Errorf("exit code %d\n%s", done.code, done.stderr)
	}
}

// TestAnOwnerWithoutACacheFolderIsNoFailure runs as users whose states have no
// place by default.
func TestAnOwnerWithoutACacheFolderIsNoFailure(t *testing.T) {
	needRoot(t)
	for _, uid := range []int{nobody, nowhere} {
		docroot := publicDir(t)
		writePages(t, docroot, "index.html")
		give(t, uid, docroot)
		for range 2 {
			done := execute(t, "build", "-v", "--docroot", docroot, "--base-url", exampleBase)
			if done.code != exitDone {
				t.Fatalf("exit code %d\n%s", done.code, done.stderr)
			}
			if !strings.Contains(done.stderr, "[state-not-kept]") && !strings.Contains(done.stderr, "no state is kept") {
				t.Errorf("user %d: does not say that no state is kept: %q", uid, done.stderr)
			}
		}
	}
}
