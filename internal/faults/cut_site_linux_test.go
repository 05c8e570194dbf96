package faults

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const cutBase = "https://www.example.com/"

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
	command     *cutCommand
	disks       *cutDisks
	disk        uint64
	kind        cutKind
	mounted     string
	config      string
	modest      string // config without what changes robots.txt, for a build that is compared with
	out         string // the folder that the set is in, or empty for the docroot
	stateless   bool   // runs keep no state
	on          bool   // the file system is mounted
	generations []cutGeneration
}

// cutKind is a file system.
type cutKind struct {
	name    string
	mkfs    []string
	options string
	size    int64
}

var (
	cutExt4 = cutKind{"ext4", []string{"mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,nodiscard"}, "", 32 << 20}
	// What has the least care for files that nobody asked to be made durable.
	cutExt4Writeback = cutKind{"ext4", cutExt4.mkfs, "data=writeback,noauto_da_alloc", 32 << 20}
	cutExt4Journal   = cutKind{"ext4", cutExt4.mkfs, "data=journal", 32 << 20}
	cutXFS           = cutKind{"xfs", []string{"mkfs.xfs", "-q", "-f", "-K"}, "", 400 << 20}
	cutBtrfs         = cutKind{"btrfs", []string{"mkfs.btrfs", "-q", "-f", "-K"}, "", 256 << 20}
)

// newCutSite makes a file system with a site of which a set is published.
func newCutSite(t *testing.T, disks *cutDisks, kind cutKind, config string) *cutSite {
	t.Helper()
	s := &cutSite{
		command: cutBuildCommand(t), disks: disks, kind: kind,
		mounted: t.TempDir(), config: filepath.Join(t.TempDir(), "sitewalk.yaml"),
	}
	s.modest = s.config + ".modest"
	cutWriteFile(t, s.config, cutConfig+config)
	cutWriteFile(t, s.modest, cutConfig+strings.ReplaceAll(config, cutNamed, ""))
	disks.order(t, "Add", kind.size, &s.disk)
	file := disks.file(s.disk)
	mkfs := exec.Command(cutProgram(t, kind.mkfs[0]), append(kind.mkfs[1:], file)...)
	if done := cutFinish(t, mkfs); done.code != 0 {
		t.Fatalf("%v: %s", mkfs.Args, done.stderr)
	}
	if err := cutMount(t, file, s.mounted, kind.name, kind.options); err != nil {
		cutLack(t, "a file system to cut the power of cannot be had: %v", err)
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
	s.build(t)
	return s
}

// switchOff unmounts the file system: no two of one name are mounted at a time.
func (s *cutSite) switchOff(t *testing.T) {
	t.Helper()
	if !s.on {
		return
	}
	s.on = false
	if err := cutUnmount(s.mounted); err != nil {
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
	cutWriteFile(t, filepath.Join(s.docroot(), cutRobots), "User-agent: *\nDisallow: /private/\n")
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
		return readCutFolder(docroot)
	}
	if files, temps, err = readCutFolder(filepath.Join(mounted, s.out)); os.IsNotExist(err) {
		files = map[string]string{}
	} else if err != nil {
		return nil, nil, err
	}
	robots, err := os.ReadFile(filepath.Join(docroot, cutRobots))
	files[cutRobots] = string(robots)
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
	arguments := []string{"-c", s.config, "--docroot", filepath.Join(mounted, "public"), "--base-url", cutBase}
	if s.out != "" {
		arguments = append(arguments, "--out", filepath.Join(mounted, s.out))
	}
	if s.stateless {
		return append(arguments, "--no-state")
	}
	return append(arguments, "--state", filepath.Join(mounted, "state"))
}

func (s *cutSite) build(t *testing.T) cutReport {
	t.Helper()
	return s.command.build(t, s.arguments(s.mounted)...)
}

func (s *cutSite) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(s.docroot(), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	cutWriteFile(t, path, fmt.Sprintf("<!doctype html><title>%s</title><p>%s\n", name, text))
}

func cutWriteFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
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
	if err := cutMount(t, s.disks.file(left), mounted, s.kind.name, s.kind.options); err != nil {
		t.Fatalf("cut at %d of %d, %s: %v", m.at, s.moment(t), cutLosses[m.loss].name, err)
	}
	defer func() {
		if err := cutUnmount(mounted); err != nil {
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
	s.command.build(t, "-c", s.modest, "--docroot", filepath.Join(mounted, "public"), "--base-url", cutBase, "--no-state", "--out", out)
	report := s.command.build(t, s.arguments(mounted)...)
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
	fresh, _, err := readCutFolder(out)
	if err != nil {
		return err
	}
	if err := sameCutSet(healed, fresh); err != nil {
		return err
	}
	if err := s.datesKept(healed["sitemap.xml"]); err != nil {
		return err
	}
	if !strings.Contains(healed[cutRobots], "Sitemap: "+cutBase+"sitemap.xml\n") {
		return fmt.Errorf("robots.txt does not name the set: %q", healed[cutRobots])
	}
	if report := s.command.build(t, s.arguments(mounted)...); report.Event != "unchanged" || len(report.Written)+len(report.Removed) > 0 {
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

// sameCutSet says in what a set differs from a fresh one, the dates in the index aside.
func sameCutSet(set, fresh map[string]string) error {
	names, err := namedShards(set["sitemap.xml"])
	if err != nil {
		return err
	}
	want, err := namedShards(fresh["sitemap.xml"])
	if err != nil {
		return err
	}
	if !slices.Equal(names, want) {
		return fmt.Errorf("%q are named, and by a fresh build %q", names, want)
	}
	for _, name := range names {
		if set[name] != fresh[name] {
			return fmt.Errorf("%s is not what a fresh build writes", name)
		}
	}
	return nil
}

// cutCounts are how often what was seen.
type cutCounts map[string]int

func (c cutCounts) String() string {
	var counts []string
	for _, what := range slices.Sorted(maps.Keys(c)) {
		counts = append(counts, fmt.Sprintf("%d %s", c[what], what))
	}
	return strings.Join(counts, ", ")
}

// cutRandom returns what moments are chosen by.
func cutRandom(t *testing.T) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
