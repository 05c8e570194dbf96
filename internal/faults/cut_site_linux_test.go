package faults

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// cutConfig makes sets of many shards.
const cutConfig = `lastmod: [content]
rules:
  - {match: "blog/**", section: blog}
  - {match: "shop/**", section: shop}
  - {match: "news/**", section: news}
`

// cutNamed has robots.txt name the set.
const cutNamed = "robots: {update: true}\n"

// A cutSite is a site on a disk whose power is cut.
type cutSite struct {
	disks       *cutDisks
	disk        uint64
	kind        fileSystem
	mounted     string
	config      string
	modest      string // config without what changes robots.txt, for a build that is compared with
	out         string // the folder that the set is in, or empty for the docroot
	stateless   bool   // runs keep no state
	on          bool   // the file system is mounted
	generations []cutGeneration
}

// newCutSite makes a file system with a site of which a set is published.
func newCutSite(t *testing.T, disks *cutDisks, kind fileSystem, config string) *cutSite {
	t.Helper()
	s := &cutSite{
		disks: disks, kind: kind,
		mounted: t.TempDir(), config: filepath.Join(t.TempDir(), "sitewalk.yaml"),
	}
	s.modest = s.config + ".modest"
	writeFile(t, s.config, cutConfig+config)
	writeFile(t, s.modest, cutConfig+strings.ReplaceAll(config, cutNamed, ""))
	disks.order(t, "Add", kind.size, &s.disk)
	file := disks.file(s.disk)
	kind.make(t, file)
	if err := kind.mount(t, file, s.mounted); err != nil {
		lack(t, "a file system to cut the power of cannot be had: %v", err)
	}
	s.on = true
	t.Cleanup(func() { s.switchOff(t) })
	for i := range 60 {
		s.write(t, fmt.Sprintf("pages/page-%02d.html", i), "first")
	}
	for i := range 5 {
		s.write(t, fmt.Sprintf("blog/post-%d.html", i), "first")
		s.write(t, fmt.Sprintf("shop/item-%d.html", i), "first")
	}
	s.build(t, s.arguments(s.mounted)...)
	return s
}

// switchOff unmounts the file system: no two of one name are mounted at a time.
func (s *cutSite) switchOff(t *testing.T) {
	t.Helper()
	if !s.on {
		return
	}
	s.on = false
	if err := unmount(s.mounted); err != nil {
		t.Errorf("unmount: %v", err)
		_ = unix.Unmount(s.mounted, unix.MNT_DETACH)
	}
}

// change edits, adds and removes pages: some shards change, some stay, one comes and
// one goes. robots.txt loses the line that names the set.
func (s *cutSite) change(t *testing.T) {
	t.Helper()
	for _, i := range []int{3, 17, 18, 44} {
		s.write(t, fmt.Sprintf("pages/page-%02d.html", i), "edited")
	}
	for i := range 12 {
		s.write(t, fmt.Sprintf("pages/more-%02d.html", i), "new")
		s.write(t, fmt.Sprintf("news/item-%02d.html", i), "new")
	}
	if err := os.RemoveAll(filepath.Join(s.docroot(), "shop")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(s.docroot(), robotsName), "User-agent: *\nDisallow: /private/\n")
}

// record makes all that was done durable, and begins to record what comes.
func (s *cutSite) record(t *testing.T) {
	t.Helper()
	s.sync(t)
	s.disks.order(t, "Record", s.disk, nil)
	s.generations = nil
	s.told(t)
}

// told notes that the set on disk is one that somebody was told of.
func (s *cutSite) told(t *testing.T) {
	t.Helper()
	moment := s.moment(t)
	files, _, err := s.read(s.mounted)
	if err != nil {
		t.Fatal(err)
	}
	s.generations = append(s.generations, cutGeneration{files, moment})
}

// read returns the files of the set, and the names of temporary files, of the site as it
// is mounted somewhere.
func (s *cutSite) read(mounted string) (files map[string]string, temps []string, err error) {
	docroot := filepath.Join(mounted, "public")
	if s.out == "" {
		return readFolder(docroot)
	}
	if files, temps, err = readFolder(filepath.Join(mounted, s.out)); os.IsNotExist(err) {
		files = map[string]string{}
	} else if err != nil {
		return nil, nil, err
	}
	robots, err := os.ReadFile(filepath.Join(docroot, robotsName))
	files[robotsName] = string(robots)
	return files, temps, err
}

// moment returns the present moment in the life of the disk.
func (s *cutSite) moment(t *testing.T) (moment int) {
	t.Helper()
	s.disks.order(t, "Moment", s.disk, &moment)
	return moment
}

func (s *cutSite) docroot() string { return filepath.Join(s.mounted, "public") }

// arguments are those of a run on the site, which may be mounted elsewhere.
func (s *cutSite) arguments(mounted string) []string {
	arguments := []string{"-c", s.config, "--docroot", filepath.Join(mounted, "public"), "--base-url", baseURL}
	if s.out != "" {
		arguments = append(arguments, "--out", filepath.Join(mounted, s.out))
	}
	if s.stateless {
		return append(arguments, "--no-state")
	}
	return append(arguments, "--state", filepath.Join(mounted, "state"))
}

// command returns the command, ready to start. The time, in the index, of every change is
// the same, so that the bytes of a set depend on its pages alone.
func (s *cutSite) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := command(t, args...)
	cmd.Env = append(cmd.Env, "SOURCE_DATE_EPOCH=1700000000")
	return cmd
}

// build runs a build, which must end with 0.
func (s *cutSite) build(t *testing.T, args ...string) report {
	t.Helper()
	return buildReport(t, s.command(t, append([]string{"build", "--json"}, args...)...))
}

// buildUnder runs a build, which may end in any way, under another program.
func (s *cutSite) buildUnder(t *testing.T, line []string) outcome {
	t.Helper()
	return finish(t, under(line, s.command(t, append([]string{"build"}, s.arguments(s.mounted)...)...)))
}

func (s *cutSite) write(t *testing.T, name, text string) {
	t.Helper()
	writeFile(t, filepath.Join(s.docroot(), name), fmt.Sprintf("<!doctype html><title>%s</title><p>%s\n", name, text))
}

// sync makes all that is on the file system durable.
func (s *cutSite) sync(t *testing.T) {
	t.Helper()
	folder, err := os.Open(s.mounted)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if err := unix.Syncfs(int(folder.Fd())); err != nil {
		t.Fatal(err)
	}
}

// neighbour has somebody else on the file system make files of their own durable, until
// the function that is returned is called. The file system then makes what others did
// durable at any moment, and not all of it.
func (s *cutSite) neighbour(t *testing.T) (end func()) {
	t.Helper()
	file, err := os.Create(filepath.Join(s.mounted, "neighbour"))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		defer file.Close()
		for i := range 1 << 20 {
			select {
			case <-done:
				return
			default:
			}
			_, err := file.WriteAt([]byte("an entry of a journal\n"), int64(i%1000)*22)
			if err == nil {
				err = file.Sync()
			}
			if err != nil {
				t.Errorf("the neighbour: %v", err)
				return
			}
		}
	})
	return func() { close(done); wait.Wait() }
}

// A cutMoment is where the power is cut, and what becomes of what was not flushed.
type cutMoment struct {
	at, loss int
}

// moments returns where to cut: at the moments at which somebody was told of a set, with
// each loss, at the end, and at some at random.
func (s *cutSite) moments(t *testing.T, random *rand.Rand, count int) []cutMoment {
	t.Helper()
	end := s.moment(t)
	var moments []cutMoment
	for _, g := range s.generations {
		for loss := range cutLosses {
			moments = append(moments, cutMoment{g.since, loss})
		}
	}
	moments = append(moments, cutMoment{end, 1})
	for len(moments) < count {
		moments = append(moments, cutMoment{random.IntN(end + 1), random.IntN(len(cutLosses))})
	}
	return moments
}

// cut cuts the power at a moment, mounts what is left, and says which set that is, or
// what is wrong with it. If nothing is, and a run is to heal it, that must make it what a
// fresh build makes.
func (s *cutSite) cut(t *testing.T, random *rand.Rand, m cutMoment, heal bool) (set int, err error) {
	t.Helper()
	s.switchOff(t)
	var left uint64
	s.disks.order(t, "Cut", CutOrder{s.disk, m.at, m.loss, random.Uint64()}, &left)
	defer s.disks.order(t, "Forget", left, nil)
	mounted, err := os.MkdirTemp(filepath.Dir(s.config), "cut-")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.kind.mount(t, s.disks.file(left), mounted); err != nil {
		t.Fatalf("cut at %d of %d, %s: %v", m.at, s.moment(t), cutLosses[m.loss].name, err)
	}
	defer func() {
		if err := unmount(mounted); err != nil {
			t.Fatalf("unmount: %v", err)
		}
	}()
	found, _, err := s.read(mounted)
	if err != nil {
		return 0, err
	}
	if set, err = cutVerdict(found, s.generations, m.at); err != nil || !heal {
		return set, err
	}
	return set, s.heal(t, mounted)
}

// heal runs a build where the power was cut, and says what it has left undone.
func (s *cutSite) heal(t *testing.T, mounted string) error {
	t.Helper()
	out := t.TempDir()
	s.build(t, "-c", s.modest, "--docroot", filepath.Join(mounted, "public"), "--base-url", baseURL, "--no-state", "--out", out)
	report := s.build(t, s.arguments(mounted)...)
	if report.warned("state-unusable") {
		return fmt.Errorf("the state is damaged")
	}
	healed, temps, err := s.read(mounted)
	if err != nil {
		return err
	}
	if len(temps) > 0 {
		return fmt.Errorf("%q are left", temps)
	}
	fresh, _, err := readFolder(out)
	if err != nil {
		return err
	}
	if err := sameSet(healed, fresh); err != nil {
		return err
	}
	if err := s.datesKept(healed["sitemap.xml"]); err != nil {
		return err
	}
	if !strings.Contains(healed[robotsName], "Sitemap: "+baseURL+"sitemap.xml\n") {
		return fmt.Errorf("robots.txt does not name the set: %q", healed[robotsName])
	}
	if report := s.build(t, s.arguments(mounted)...); report.Event != "unchanged" || len(report.Written)+len(report.Removed) > 0 {
		return fmt.Errorf("the run after the next is %+v", report)
	}
	return nil
}

// datesKept says whether an index that was healed has lost track of which shards have
// changed: after one publication, whenever it was cut off, the index must say what it
// would have said.
func (s *cutSite) datesKept(index string) error {
	if before := s.generations[0].files["sitemap.xml"]; len(s.generations) == 2 && before != "" && index != s.generations[1].files["sitemap.xml"] {
		return fmt.Errorf("the index says\n%s\nand not\n%s", index, s.generations[1].files["sitemap.xml"])
	}
	return nil
}
