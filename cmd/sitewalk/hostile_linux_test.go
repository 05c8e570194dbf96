package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
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
			lack(t, "strace may not trace here: %s", done.stderr)
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
