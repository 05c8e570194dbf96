package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// homes makes a folder like /home: users with a site each, which are theirs if root
// runs the test and the users have numbers.
func homes(t *testing.T, owners map[string]int) string {
	t.Helper()
	dir := publicDir(t)
	for name, owner := range owners {
		writePages(t, dir, name+"/public_html/index.html")
		if owner > 0 {
			give(t, owner, filepath.Join(dir, name))
		}
	}
	return dir
}

// siteArgs are the arguments for all sites of homes.
func siteArgs(command, dir string, more ...string) []string {
	return append([]string{command, "--json", "--no-state", "--sites", dir + "/*/public_html", "--base-url", "https://{1}.example/"}, more...)
}

// objects returns the JSON object of each site that a run printed, by the folder above
// its docroot.
func objects(t *testing.T, stdout string) map[string]watchEvent {
	t.Helper()
	all := map[string]watchEvent{}
	for _, line := range lines(stdout) {
		var object watchEvent
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		name := object.user()
		if _, twice := all[name]; twice {
			t.Errorf("%s is told of twice:\n%s", name, stdout)
		}
		all[name] = object
	}
	return all
}

// user returns the user of homes whose site an event is about.
func (e *watchEvent) user() string { return filepath.Base(filepath.Dir(e.Docroot)) }

func TestRootBuildsEachSiteAsItsOwner(t *testing.T) {
	needRoot(t)
	owners := map[string]int{"ann": nobody, "bob": nowhere, "cid": 0, "dan": nobody}
	for _, parallel := range []string{"1", "4"} {
		dir := homes(t, owners)
		done := execute(t, siteArgs("build", dir, "--parallel", parallel)...)
		if done.code != exitDone {
			t.Errorf("exit code %d\n%s", done.code, done.stderr)
		}
		told := objects(t, done.stdout)
		for name, owner := range owners {
			if told[name].Event != "published" {
				t.Errorf("%s: %+v", name, told[name])
			}
			if got := ownerOf(t, filepath.Join(dir, name, "public_html/sitemap.xml")); got != owner {
				t.Errorf("%s's sitemap belongs to %d, want %d", name, got, owner)
			}
		}
	}
}

// TestHostileSitesHarmNobody is about customers whose folders lead to others', or whose
// configuration does.
func TestHostileSitesHarmNobody(t *testing.T) {
	needRoot(t)
	dir := homes(t, map[string]int{"good": nowhere, "linked": nobody, "rooted": nobody, "config": nobody, "quoted": nobody, "fifo": nobody, "nested": nobody})
	vault := publicDir(t)
	writePages(t, vault, "index.html")
	const secret = "carbuncle: 1\n"
	writeFile(t, vault+"/secret.yaml", secret)
	if err := os.Chmod(vault+"/secret.yaml", 0o600); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"linked": dir + "/good/public_html", "rooted": vault} {
		path := filepath.Join(dir, name, "public_html")
		remove(t, path)
		link(t, target, path)
		if err := os.Lchown(path, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	own := func(name string) string { return filepath.Join(dir, name, "public_html", configFile) }
	writeFile(t, own("config"), "docroot: "+dir+"/good/public_html\n")
	link(t, vault+"/secret.yaml", own("quoted"))
	if err := syscall.Mkfifo(own("fifo"), 0o666); err != nil {
		t.Fatal(err)
	}
	writeFile(t, own("nested"), "sites: [{docroot: "+vault+"}]\n")
	for _, name := range []string{"config", "quoted", "fifo", "nested"} {
		if err := os.Lchown(own(name), nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	done := execute(t, siteArgs("build", dir)...)
	if done.code != exitFailed {
		t.Errorf("exit code %d", done.code)
	}
	told := objects(t, done.stdout)
	for _, name := range []string{"linked", "rooted", "config", "quoted", "fifo", "nested"} {
		if told[name].Event != "error" {
			t.Errorf("%s: %+v", name, told[name])
		}
	}
	if told["good"].Event != "published" {
		t.Errorf("good: %+v", told["good"])
	}
	if got := ownerOf(t, dir+"/good/public_html/sitemap.xml"); got != nowhere {
		t.Errorf("good's sitemap belongs to %d", got)
	}
	if strings.Contains(done.stdout+done.stderr, "carbuncle") {
		t.Errorf("quotes what the customer may not read:\n%s", done.stderr)
	}
	if left := glob(t, vault, "*"); len(left) != 2 {
		t.Errorf("the vault holds %q", left)
	}
}

// TestWhatSitesInheritIsRoots is about a customer's configuration that would decide for
// all.
func TestWhatSitesInheritIsRoots(t *testing.T) {
	needRoot(t)
	dir := homes(t, map[string]int{"ann": nobody, "bob": nowhere})
	done := execute(t, siteArgs("build", dir, "-c", publicConfig(t, nobody, "lastmod: []\n"))...)
	if done.code != exitUsage || !strings.Contains(done.stderr, "must be root's") {
		t.Errorf("exit code %d\n%s", done.code, done.stderr)
	}
	// A customer's own list of sites may name the customer's docroots alone.
	list := publicConfig(t, nobody, fmt.Sprintf("sites: [{docroot: %s/ann/public_html}, {docroot: %s/bob/public_html}]\n", dir, dir))
	done = execute(t, "build", "--no-state", "--json", "-c", list)
	told := objects(t, done.stdout)
	if done.code != exitFailed || told["ann"].Event != "published" || told["bob"].Event != "error" {
		t.Errorf("exit code %d\n%s", done.code, done.stdout)
	}
}

// TestRootsListOfFoldersMayNameAnybodysDocroots is about configurations that are kept
// apart from the docroots, each in a folder of its own.
func TestRootsListOfFoldersMayNameAnybodysDocroots(t *testing.T) {
	needRoot(t)
	dir, list := homes(t, map[string]int{"ann": nobody, "cid": 0}), publicDir(t)
	for _, name := range []string{"ann", "cid"} {
		if err := os.Mkdir(filepath.Join(list, name), 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(list, name, configFile), fmt.Sprintf("docroot: %s/%s/public_html\n", dir, name))
	}
	done := execute(t, "build", "--no-state", "--sites", list+"/*", "--base-url", "https://{1}.example/")
	if done.code != exitDone {
		t.Errorf("exit code %d\n%s", done.code, done.stderr)
	}
	for name, owner := range map[string]int{"ann": nobody, "cid": 0} {
		path := filepath.Join(dir, name, "public_html/sitemap.xml")
		if got := ownerOf(t, path); got != owner || !strings.Contains(readFile(t, path), "https://"+name+".example/") {
			t.Errorf("%s's sitemap belongs to %d:\n%s", name, got, readFile(t, path))
		}
	}
}

// watchSites has several sites watched, and returns when there are that many ready.
func watchSites(t *testing.T, ready int, args ...string) *watched {
	t.Helper()
	w := &watched{}
	w.cmd = newCommand(args...)
	w.start(t)
	for range ready {
		w.await(t, "ready")
	}
	return w
}

// published awaits the publication of a user's site.
func (w *watched) published(t *testing.T, user string) watchEvent {
	t.Helper()
	for {
		if event, _ := w.await(t, "published"); event.user() == user {
			return event
		}
	}
}

func TestSeveralSitesAreWatchedByOneProcess(t *testing.T) {
	dir := homes(t, map[string]int{"ann": 0, "bob": 0})
	writeFile(t, dir+"/bob/public_html/"+configFile, quick)
	w := watchSites(t, 2, siteArgs("watch", dir, "--parallel", "2")...)
	if children := childrenOf(t, w.cmd); len(children) > 0 {
		t.Errorf("there are processes %v", children)
	}

	writePages(t, dir, "ann/public_html/new.html")
	if event := w.published(t, "ann"); event.Pages != 2 {
		t.Errorf("%+v", event)
	}
	// A site that comes is watched, one that goes is not missed.
	writePages(t, dir, "cid/public_html/index.html")
	if event := w.published(t, "cid"); event.Pages != 1 {
		t.Errorf("%+v", event)
	}
	w.await(t, "ready")
	remove(t, dir+"/ann")
	// A site's own configuration, and a request to look anew.
	writeFile(t, dir+"/bob/public_html/"+configFile, quick+"base_url: https://other.example/\n")
	w.signal(t, syscall.SIGHUP)
	w.published(t, "bob")
	if got := readFile(t, dir+"/bob/public_html/sitemap.xml"); !strings.Contains(got, "https://other.example/") {
		t.Errorf("bob's sitemap is\n%s", got)
	}
	writePages(t, dir, "cid/public_html/more.html")
	w.published(t, "cid")
	if code, _ := w.end(t, syscall.SIGTERM); code != exitSignal+int(syscall.SIGTERM) {
		t.Errorf("exit code %d\n%s", code, w.said())
	}
	if got := strings.Count(w.said(), "sitewalk: stopped"); got != 1 {
		t.Errorf("it said %d times that it stopped:\n%s", got, w.said())
	}
}

func TestASiteThatCannotBeWatchedIsInNobodysWay(t *testing.T) {
	dir := homes(t, map[string]int{"ann": 0, "bob": 0})
	config := siteConfig(t, fmt.Sprintf("%ssites:\n- {docroot: %[2]s/ann/public_html, base_url: 'https://ann.example/'}\n"+
		"- {docroot: %[2]s/bob/public_html, base_url: nonsense}\n- {docroot: %[2]s/cid/public_html, base_url: 'https://cid.example/'}\n", quick, dir))
	w := watchSites(t, 1, "watch", "--json", "--no-state", "-c", config)
	until(t, "bob's mistake is told", func() bool { return strings.Contains(w.said(), "base_url must begin with http") })
	until(t, "cid is waited for", func() bool { return strings.Contains(w.said(), `"event":"waiting"`) })
	writePages(t, dir, "cid/public_html/index.html", "ann/public_html/new.html")
	seen := map[string]bool{}
	for len(seen) < 2 {
		event, _ := w.await(t, "published")
		seen[event.user()] = true
	}
	// The mistake is mended.
	writeFile(t, config, strings.ReplaceAll(readFile(t, config), "nonsense", "https://bob.example/"))
	w.published(t, "bob")
	if code, _ := w.end(t, syscall.SIGINT); code != exitSignal+int(syscall.SIGINT) {
		t.Errorf("exit code %d\n%s", code, w.said())
	}
}

// TestTwoSitesMayShareADocroot is about two sets of one docroot, by other names.
func TestTwoSitesMayShareADocroot(t *testing.T) {
	dir := homes(t, map[string]int{"ann": 0})
	config := siteConfig(t, fmt.Sprintf("%ssites:\n- {docroot: %[2]s/ann/public_html, state: a, output: {root: a.xml}}\n"+
		"- {docroot: %[2]s/ann/public_html, state: b, output: {root: b.xml}}\n", quick, dir))
	w := watchSites(t, 2, "watch", "--json", "-c", config)
	for _, root := range []string{"a.xml", "b.xml"} {
		if _, err := os.Stat(filepath.Join(dir, "ann/public_html", root)); err != nil {
			t.Error(err)
		}
	}
	w.end(t, syscall.SIGTERM)
}

func TestASiteThatWasInConflictIsWatchedOnceTheOtherIsGone(t *testing.T) {
	dir, real := homes(t, map[string]int{"ann": 0, "bob": 0}), publicDir(t)
	writePages(t, real, "index.html")
	for _, name := range []string{"ann", "bob"} {
		writeFile(t, filepath.Join(dir, name, "public_html", configFile), quick+"docroot: "+real+"\n")
	}
	w := watchSites(t, 1, siteArgs("watch", dir)...)
	until(t, "the conflict is told", func() bool { return strings.Contains(w.said(), "under the same name in the same folder") })
	remove(t, dir+"/ann")
	w.await(t, "ready")
	writePages(t, real, "new.html")
	if event := w.published(t, "bob"); event.Pages != 2 {
		t.Errorf("%+v", event)
	}
	w.end(t, syscall.SIGTERM)
}

func TestAWatchWaitsForTheFirstSite(t *testing.T) {
	dir := publicDir(t)
	w := &watched{}
	w.cmd = newCommand(siteArgs("watch", dir, "-v")...)
	w.start(t)
	until(t, "it waits", func() bool { return strings.Contains(w.said(), "waiting for one") })
	writePages(t, dir, "ann/public_html/index.html")
	w.published(t, "ann")
	w.end(t, syscall.SIGTERM)
}

func TestAWatchOfWhichNoSiteCanBeWatchedEnds(t *testing.T) {
	dir := homes(t, map[string]int{"ann": 0, "bob": 0})
	done := execute(t, "watch", "--json", "--no-state", "--sites", dir+"/*/public_html", "--base-url", "nonsense")
	if done.code != exitUsage {
		t.Errorf("exit code %d\n%s", done.code, done.stderr)
	}
}

func TestRootWatchesTheSitesOfOthersByProcessesOfTheirs(t *testing.T) {
	needRoot(t)
	dir := homes(t, map[string]int{"ann": nobody, "bob": nowhere, "cid": 0, "dan": nobody})
	w := watchSites(t, 4, siteArgs("watch", dir)...)
	children := childrenOf(t, w.cmd)
	if len(children) != 2 {
		t.Errorf("there are processes %v", children)
	}
	for _, change := range []struct {
		name  string
		owner int
	}{{"ann", nobody}, {"bob", nowhere}, {"cid", 0}, {"dan", nobody}} {
		page := filepath.Join(dir, change.name, "public_html/new.html")
		writePages(t, filepath.Dir(page), filepath.Base(page))
		if change.owner > 0 {
			give(t, change.owner, page)
		}
		w.published(t, change.name)
		if got := ownerOf(t, filepath.Join(dir, change.name, "public_html/sitemap.xml")); got != change.owner {
			t.Errorf("%s's sitemap belongs to %d", change.name, got)
		}
	}
	// One more of ann's owner: the process for all of them begins anew.
	writePages(t, dir, "eve/public_html/index.html")
	give(t, nobody, dir+"/eve")
	w.published(t, "eve")
	if code, _ := w.end(t, syscall.SIGTERM); code != exitSignal+int(syscall.SIGTERM) {
		t.Errorf("exit code %d\n%s", code, w.said())
	}
	for _, child := range children {
		if err := syscall.Kill(child, 0); err == nil {
			t.Errorf("process %d is left", child)
		}
	}
}

// TestAProcessThatIsKilledIsToldOfAndStartedAgain is about the process for an owner.
func TestAProcessThatIsKilledIsToldOfAndStartedAgain(t *testing.T) {
	needRoot(t)
	dir := homes(t, map[string]int{"ann": nobody, "bob": nobody})
	w := watchSites(t, 2, siteArgs("watch", dir)...)
	for _, child := range childrenOf(t, w.cmd) {
		if err := syscall.Kill(child, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]bool{}
	for range 2 {
		event, _ := w.await(t, "error")
		seen[event.user()] = strings.Contains(event.Message, "killed")
	}
	if !seen["ann"] || !seen["bob"] {
		t.Errorf("told of %v", seen)
	}
	w.end(t, syscall.SIGTERM)
}

// TestEachSiteIsToldOfThoughItsOwnerCannotBeBecome is about users whose only group is
// root's, which is never kept.
func TestEachSiteIsToldOfThoughItsOwnerCannotBeBecome(t *testing.T) {
	needRoot(t)
	dir := homes(t, map[string]int{"ann": nowhere, "bob": nowhere, "cid": nobody})
	for _, name := range []string{"ann", "bob"} {
		for _, path := range []string{"", "public_html", "public_html/index.html"} {
			if err := os.Lchown(filepath.Join(dir, name, path), nowhere, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	done := execute(t, siteArgs("build", dir)...)
	told := objects(t, done.stdout)
	if done.code != exitFailed || told["ann"].Event != "error" || told["bob"].Event != "error" || told["cid"].Event != "published" {
		t.Errorf("exit code %d\n%s%s", done.code, done.stdout, done.stderr)
	}
}

func TestAnOwnerMayHaveMoreSitesThanArgumentsHaveRoom(t *testing.T) {
	needRoot(t)
	dir := publicDir(t)
	const sites = 600
	long := strings.Repeat("x", 200)
	for i := range sites {
		// Each path of four kilobytes: more than two megabytes in all.
		path := filepath.Join(dir, fmt.Sprintf("%03d", i), strings.Repeat(long+"/", 18))
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	give(t, nobody, dir)
	pattern := dir + "/*" + strings.Repeat("/"+long, 18)
	done := execute(t, "build", "--json", "--no-state", "--sites", pattern, "--base-url", "https://{1}.example/")
	if got := len(lines(done.stdout)); done.code != exitNoPages || got != sites {
		t.Errorf("exit code %d, %d sites told of\n%.1000s", done.code, got, done.stderr)
	}
}

func TestAnInterruptionOfSeveralOwnersBuildsIsToldAsOne(t *testing.T) {
	needRoot(t)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		dir := homes(t, map[string]int{"ann": nobody, "bob": nowhere})
		// Both wait for somebody else to let go of the docroot.
		for _, name := range []string{"ann", "bob"} {
			folder, err := os.Open(filepath.Join(dir, name, "public_html"))
			if err != nil {
				t.Fatal(err)
			}
			defer folder.Close()
			if err := unix.Flock(int(folder.Fd()), unix.LOCK_EX); err != nil {
				t.Fatal(err)
			}
		}
		cmd := newCommand(siteArgs("build", dir, "--parallel", "2", "--lock-wait", "1m")...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		until(t, "both have begun", func() bool { return len(childrenOf(t, cmd)) == 2 })
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if code := wait(t, cmd); code != exitSignal+int(signal) {
			t.Errorf("%v: exit code %d", signal, code)
		}
	}
}

func TestTheProcessesOfOwnersEndWithRoots(t *testing.T) {
	needRoot(t)
	dir := homes(t, map[string]int{"ann": nobody})
	w := watchSites(t, 1, siteArgs("watch", dir)...)
	children := childrenOf(t, w.cmd)
	if len(children) != 1 {
		t.Fatalf("there are processes %v", children)
	}
	handle, err := unix.PidfdOpen(children[0], 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(handle)
	w.signal(t, syscall.SIGKILL)
	until(t, "the process of the owner ends", func() bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(handle), Events: unix.POLLIN}}, 10)
		return n == 1 && err == nil
	})
	w.ending(t)
}

// childrenOf returns the processes that a command has started.
func childrenOf(t *testing.T, cmd *exec.Cmd) []int {
	t.Helper()
	var children []int
	for _, process := range glob(t, "/proc", "[1-9]*") {
		status, err := os.ReadFile(filepath.Join("/proc", process, "status"))
		if err != nil || !strings.Contains(string(status), fmt.Sprintf("\nPPid:\t%d\n", cmd.Process.Pid)) {
			continue // it may have ended meanwhile
		}
		child, err := strconv.Atoi(process)
		if err != nil {
			t.Fatal(err)
		}
		children = append(children, child)
	}
	return children
}
