package sitewalk_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sitewalk"
	"sitewalk/mapper"
	"sitewalk/output"
)

// The model is the fresh build: whatever somebody does to a docroot, once it is
// quiet the set that a watch keeps is the one that a build of a copy of that docroot
// makes. A run is a docroot and a configuration at random, and rounds of operations
// at random.
//
//	SITEWALK_SEED=N      begins with the run of that seed, as a failure names it
//	SITEWALK_ROUNDS=N    does that many rounds in all
//	SITEWALK_OPERATIONS  has nothing done but the operations named, with commas between

const (
	roundsOfRun = 10
	// patience is how long a watch may take to be quiet. It is far longer than it
	// should: what a loaded machine delays is no failure. Where it polls, one slow look
	// has the next come twenty times as late.
	patience = 2 * time.Minute
	// renewal is how old the fresh build may be that a set is compared with.
	renewal = 10 * time.Second
	// maxFailures ends the test: the next runs would fail for the same reasons.
	maxFailures = 8
)

func TestWatchKeepsWhatAFreshBuildWouldWrite(t *testing.T) {
	rounds, seed := 60, uint64(time.Now().UnixNano())%1e9
	for name, set := range map[string]func(uint64){
		"SITEWALK_ROUNDS": func(n uint64) { rounds = int(n) },
		"SITEWALK_SEED":   func(n uint64) { seed = n },
	} {
		if text := os.Getenv(name); text != "" {
			n, err := strconv.ParseUint(text, 10, 64)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			set(n)
		}
	}
	tally := &tally{operations: map[string]int{}}
	seeds := make(chan uint64)
	var workers sync.WaitGroup
	for range 2 * runtime.GOMAXPROCS(0) { // a run mostly waits
		base, err := filepath.EvalSymlinks(memoryDir(t))
		if err != nil {
			t.Fatal(err)
		}
		workers.Go(func() {
			for seed := range seeds {
				runModel(t, filepath.Join(base, fmt.Sprint(seed)), seed, tally)
			}
		})
	}
	for begun := 0; begun < rounds && tally.failures() < maxFailures; begun += roundsOfRun {
		seeds <- seed
		seed++
	}
	close(seeds)
	workers.Wait()
	t.Log(tally)
}

// TestWatchModelWithoutPrivilege does the same as a user whom permissions stop.
func TestWatchModelWithoutPrivilege(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("has been done without privilege already")
	}
	rounds := "20"
	if os.Getenv("SITEWALK_ROUNDS") != "" {
		rounds = os.Getenv("SITEWALK_ROUNDS")
	}
	const nobody = 65534
	// The test's own file may be where nobody else can reach it by its path.
	command := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^TestWatchKeepsWhatAFreshBuildWouldWrite$", "-test.v")
	command.Env = append(os.Environ(), "SITEWALK_ROUNDS="+rounds, "TMPDIR=/tmp")
	command.Dir = "/"
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	said, err := command.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	t.Logf("%s", said)
}

// modelRun is one watch and what is done to its docroot.
type modelRun struct {
	*rand.Rand
	seed    uint64
	setting modelSetting
	tally   *tally

	top     string   // holds all the rest
	disk    *os.Root // of top
	docroot string   // as the watch is told; with isLink a link
	isLink  bool
	away    string // a folder outside the docroot
	out     string // the output folder's path
	copies  int
	written int

	dated    map[string]datedFile // by path, if the model keeps the dates
	hasMoved bool                 // something, in this round

	log []string // of this run's operations

	mu      sync.Mutex
	last    publishedSet
	began   time.Time // of the round
	harmed  [2]harm   // in this round, and in the one before
	wrong   []string  // promises that were broken
	events  []string
	listed  int64  // pages of the last publication
	style   string // of the URLs that was inferred last
	ahead   bool   // last may be of a publication that has not been told yet
	working bool
}

// harm is what somebody did in a round to the set on disk.
type harm struct {
	names    map[string]bool
	all      bool // also to files not named
	restarts bool // the watch must begin anew
}

func runModel(t *testing.T, top string, seed uint64, tally *tally) {
	r := &modelRun{
		Rand: rand.New(rand.NewPCG(seed, 0)), seed: seed, tally: tally, top: top, away: filepath.Join(top, "away"),
	}
	defer func() {
		makeWritable(top)
		_ = os.RemoveAll(top)
	}()
	r.must(os.MkdirAll(r.away, 0o755))
	disk, err := os.OpenRoot(top)
	r.must(err)
	defer disk.Close()
	r.disk = disk
	r.must(r.disk.WriteFile(r.at(r.outside()), nil, 0o644))
	r.isLink = r.IntN(2) == 0
	r.docroot = filepath.Join(top, "site")
	folder := r.docroot
	if r.isLink {
		folder = filepath.Join(top, "releases", "1")
		r.must(os.MkdirAll(filepath.Dir(folder), 0o755))
		r.must(os.Symlink(filepath.Join("releases", "1"), r.docroot))
	}
	r.must(os.Mkdir(folder, 0o755))
	r.setting = anySetting(r)
	r.setting.config.Inferred = r.inferred
	r.out = filepath.Join(r.docroot, r.setting.config.Output.Files.Dir)
	if r.setting.config.Out != "" {
		r.out = r.setting.config.Out
	}
	for range r.IntN(60) {
		_, _ = r.writePage()
	}
	for range r.IntN(20) {
		r.operate()
	}
	r.keepPage()
	r.keepOutputFolder()

	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	ready := make(chan struct{})
	go func() {
		ended <- sitewalk.Watch(ctx, r.setting.config, func(e sitewalk.Event) { r.hear(e, ready) })
	}()
	problem := ""
	select {
	case <-ready:
		problem = r.rounds(t)
	case err := <-ended:
		ended <- err
		problem = fmt.Sprintf("the watch ended before it was ready: %v", err)
	case <-time.After(patience):
		problem = "the watch does not get ready"
	}
	cancel()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) && problem == "" {
			problem = fmt.Sprintf("the watch ended with %v", err)
		}
	case <-time.After(patience):
		problem += "; the watch does not end"
	}
	if problem == "" {
		problem = r.rebuild()
	}
	tally.mu.Lock()
	tally.runs++
	if problem != "" {
		tally.failed++
	}
	tally.mu.Unlock()
	if problem != "" {
		r.mu.Lock()
		defer r.mu.Unlock()
		t.Errorf("SITEWALK_SEED=%d (%s):\n%s\noperations:\n  %s\nevents:\n  %s", seed, r.setting.name, problem,
			strings.Join(r.log[max(0, len(r.log)-40):], "\n  "), strings.Join(r.events[max(0, len(r.events)-20):], "\n  "))
	}
}

// inferred notes that the watch begins anew, as the pages are found to be of another
// style. It then knows no dates of shards but those that are on disk.
func (r *modelRun) inferred(found mapper.Surveyed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.style != "" && r.style != fmt.Sprint(found.URLs) {
		r.harmed[0].restarts = true
	}
	r.style = fmt.Sprint(found.URLs)
}

func (r *modelRun) must(err error) {
	if err != nil {
		panic(err)
	}
}

// rounds does the rounds of a run, and returns what is wrong.
func (r *modelRun) rounds(t *testing.T) string {
	if problem := r.settle(); problem != "" {
		return "at first: " + problem
	}
	for n := range roundsOfRun {
		r.mu.Lock()
		r.began = time.Now().Truncate(time.Second)
		r.harmed = [2]harm{{names: map[string]bool{}}, r.harmed[0]}
		r.mu.Unlock()
		r.log = append(r.log, fmt.Sprintf("round %d", n+1))
		for range 1 + r.IntN(12) {
			r.operate()
			r.rest()
		}
		if r.IntN(8) > 0 {
			r.keepPage()
		}
		r.keepOutputFolder()
		begun := time.Now()
		if problem := r.settle(); problem != "" {
			return fmt.Sprintf("round %d: %s", n+1, problem)
		}
		if summary := r.tally.round(time.Since(begun)); summary != "" {
			fmt.Fprintln(os.Stderr, summary)
		}
	}
	return ""
}

// rest waits between two operations: mostly not at all, and sometimes so long that
// the watch publishes meanwhile.
func (r *modelRun) rest() {
	switch r.IntN(8) {
	case 0:
		time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond)
	case 1:
		time.Sleep(time.Duration(r.IntN(60)) * time.Millisecond)
	}
}

// settle waits until the set is what a fresh build makes, and returns what is wrong.
func (r *modelRun) settle() string {
	deadline := time.Now().Add(patience)
	quiet := time.Now().Add(3 * r.setting.config.Watch.Settle)
	want, listed, err := r.fresh()
	if err != nil && !errors.Is(err, sitewalk.ErrNoPages) {
		return fmt.Sprintf("the fresh build fails: %v", err)
	}
	time.Sleep(time.Until(quiet))
	again := time.Now().Add(renewal)
	for {
		looked := time.Now()
		differs := ""
		var got publishedSet
		if err == nil {
			got = readSet(r.out, r.setting.root())
			differs = want.differences(&got)
		} else {
			got = r.known()
		}
		if differs == "" {
			differs = r.leftTemporary()
		}
		if differs == "" {
			differs = r.robotsDiffer(&want)
		}
		if differs == "" {
			if differs = r.quiet(&got, listed, err == nil); differs == "" {
				return r.broken()
			}
		}
		if r.broken() != "" || time.Now().After(deadline) {
			return r.broken() + "the set is not what a fresh build makes:\n" + differs
		}
		// A large set takes long to read, and the watch needs the processors too.
		time.Sleep(min(max(3*time.Millisecond, 3*time.Since(looked)), time.Second))
		if time.Now().After(again) {
			// What the watch itself did meanwhile may be why: what was harmed is mended,
			// before it leaves the set or after.
			if want, listed, err = r.fresh(); err != nil && !errors.Is(err, sitewalk.ErrNoPages) {
				return fmt.Sprintf("the fresh build fails: %v", err)
			}
			again = time.Now().Add(renewal)
		}
	}
}

// known returns the set that was published last.
func (r *modelRun) known() publishedSet {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// broken returns the promises that were broken.
func (r *modelRun) broken() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.wrong) == 0 {
		return ""
	}
	return strings.Join(r.wrong, "\n") + "\n"
}

// quiet says in what a set that is as it should be is not the one that was told of
// last. If it is, it is remembered.
func (r *modelRun) quiet(got *publishedSet, listed int64, hasPages bool) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !hasPages { // what was harmed is not mended
		for name := range r.harmed[1].names {
			r.harmed[0].names[name] = true
		}
		r.harmed[0].all = r.harmedAll()
		r.harmed[0].restarts = r.harmed[0].restarts || r.harmed[1].restarts
		return ""
	}
	if r.listed != listed {
		return fmt.Sprintf("the last publication says %d pages, and there are %d", r.listed, listed)
	}
	// What was told since it was read is in last already. Nothing is told now.
	for name, now := range readSet(r.out, r.setting.root()).files {
		if was, found := got.files[name]; !found || !now.isSame(&was) {
			return name + " was written while it was looked at"
		}
	}
	ahead := r.harmedAll()
	for name, now := range got.files {
		if was, found := r.last.files[name]; !found || now.isSame(&was) {
			continue
		}
		if !r.isHarmed(name) {
			return name + " was written without an event"
		}
		ahead = true // the event may be told in the next round, in which nothing is harmed
	}
	r.last, r.ahead = *got, ahead
	return ""
}

func (r *modelRun) harmedAll() bool { return r.harmed[0].all || r.harmed[1].all }
func (r *modelRun) isHarmed(name string) bool {
	return r.harmedAll() || r.harmed[0].names[name] || r.harmed[1].names[name]
}

// leftTemporary returns the temporary files that lie about.
func (r *modelRun) leftTemporary() string {
	entries, _ := os.ReadDir(r.out)
	for _, entry := range entries {
		if output.IsTemp(entry.Name()) {
			return "a temporary file is left: " + entry.Name()
		}
	}
	return ""
}

// robotsDiffer says how robots.txt is not as a fresh build leaves it.
func (r *modelRun) robotsDiffer(want *publishedSet) string {
	if !r.setting.config.Mapper.Robots.Update || want.files == nil {
		return ""
	}
	path := filepath.Join(r.docroot, "robots.txt")
	if isLink(path) || isShared(path) {
		return "" // which is left alone, and is no longer so in the copy
	}
	content, _ := os.ReadFile(path)
	if string(content) != want.robots {
		return fmt.Sprintf("robots.txt is %q, not %q", content, want.robots)
	}
	return ""
}

// rebuild builds with the state that the watch left, and says what that finds to do.
func (r *modelRun) rebuild() string {
	config := r.setting.config
	if config.State == "" {
		return ""
	}
	before := readSet(r.out, r.setting.root())
	report, err := sitewalk.Build(context.Background(), config)
	if errors.Is(err, sitewalk.ErrNoPages) {
		return ""
	}
	after := readSet(r.out, r.setting.root())
	if differs := before.differences(&after); err != nil || differs != "" {
		return fmt.Sprintf("a build with the state of the watch: %v: %s%s", err, report.Event, differs)
	}
	return ""
}
