package faults

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// bomb is a small input that would take a careless program no end of time or memory.
type bomb struct {
	name string
	// set makes the files, and returns the command line.
	set    func(b *bombs) []string
	code   int    // with which the command ends
	says   string // on either output
	memory int64  // bound in MiB, if not maxBombMemory
}

// The bounds of what any bomb may take. Processor time is what is held to a bound: how
// long that takes is up to what else the machine does.
const (
	maxBombMemory = 200 // MiB resident
	maxBombTime   = 20 * time.Second
	// gitMemory is what git may have besides, see package gitlog.
	gitMemory = 1200
)

// bombs are the folder and the command that a bomb is for.
type bombs struct {
	t       *testing.T
	dir     string
	docroot string
}

func (b *bombs) write(name, content string) string {
	path := filepath.Join(b.dir, name)
	writeHostile(b.t, path, content)
	return path
}

// repeat writes a beginning and then a text so many times, without holding all of it: what
// a test has in memory counts for the commands that it starts.
func (b *bombs) repeat(name, beginning, text string, times int) string {
	path := b.write(name, "")
	file, err := os.OpenFile(path, os.O_WRONLY|unix.O_NOFOLLOW, 0)
	mustHostile(b.t, err)
	defer file.Close()
	buffered := bufio.NewWriter(file)
	_, _ = buffered.WriteString(beginning)
	for range times {
		_, _ = buffered.WriteString(text)
	}
	mustHostile(b.t, buffered.Flush())
	return path
}

// sparse gives a file a length without any content behind what it has.
func (b *bombs) sparse(name, content string, length int64) string {
	path := b.write(name, content)
	mustHostile(b.t, os.Truncate(path, length))
	return path
}

// build returns a command line with a configuration.
func (b *bombs) build(config string, more ...string) []string {
	args := []string{"build", "--docroot", b.docroot, "-c", b.write("config.yaml", "base_url: https://www.example.com/\n"+config)}
	return append(args, append(more, "--no-state")...)
}

const terabyte = 1 << 40

// gzipped returns text, compressed.
func gzipped(text string) string { return gzippedOften("", text, 1, "") }

// gzippedOften returns a text so many times, with what comes before and after, compressed.
func gzippedOften(before, text string, times int, after string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, before)
	for range times {
		_, _ = io.WriteString(w, text)
	}
	_, _ = io.WriteString(w, after)
	_ = w.Close()
	return b.String()
}

const (
	sitemapStart = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n"
	indexStart   = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n"
	onePage      = "<url><loc>https://www.example.com/a</loc></url>\n"
)

// tenGigabytes returns ten gigabytes of one character in ten megabytes, as members of a
// gzip file, which count as one.
func tenGigabytes(character string) string {
	return strings.Repeat(gzippedOften("", strings.Repeat(character, 1<<20), 16, ""), 640)
}

// oneFileOften writes an index of fifty thousand URLs of one shard of 49 MiB.
func (b *bombs) oneFileOften(loc func(i int) string) string {
	var index strings.Builder
	index.WriteString(indexStart)
	for i := range 50_000 {
		index.WriteString("<sitemap><loc>https://www.example.com/" + loc(i) + "</loc></sitemap>\n")
	}
	b.write("set/sitemap.xml", index.String()+"</sitemapindex>\n")
	comment := "<!--" + strings.Repeat(" ", 1<<19) + "-->"
	b.write("set/shard.xml.gz", gzippedOften(sitemapStart+onePage, comment, 98, "</urlset>\n"))
	return filepath.Join(b.dir, "set")
}

func sameShard(int) string      { return "shard.xml.gz" }
func shardByQuery(i int) string { return fmt.Sprintf("shard.xml.gz?%d", i) }
func (b *bombs) submit(set string) []string {
	return []string{"submit", "--dry-run", "-q", "--docroot", set, "--base-url", "https://www.example.com/", "--key", canaryKey, "--endpoint", "http://127.0.0.1:1/", "--state", filepath.Join(b.dir, "state")}
}

// laughs is YAML in which each line stands for ten of the line before.
func laughs(lines int) string {
	text := "rules:\n  - &a0 {match: x}\n"
	for i := 1; i < lines; i++ {
		text += fmt.Sprintf("  - &a%d [%s]\n", i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	return text
}

// numberedLines returns n lines by a format for their numbers.
func numberedLines(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+"\n", i)
	}
	return b.String()
}

// stateOf builds once, and returns what the state then is.
func (b *bombs) stateOf(program string) string {
	path := filepath.Join(b.dir, "seed.state")
	runHostile(b.t, exec.Command(program, "build", "-q", "--docroot", b.docroot, "--base-url", "https://www.example.com/", "--state", path))
	content, err := os.ReadFile(path)
	mustHostile(b.t, err)
	return string(content)
}

// forged returns a build with a forged state.
func (b *bombs) forged(path string) []string {
	args := b.build("lastmod: [content]\n", "--state", path)
	return args[:len(args)-1] // without --no-state
}

// fileBombs are files of pages, configurations and sets.
var fileBombs = []bomb{
	{name: "page of a terabyte", set: func(b *bombs) []string {
		b.sparse("site/big.html", "", terabyte)
		return b.build("")
	}},
	{name: "page of a terabyte, with all of its head to be read", set: func(b *bombs) []string {
		b.sparse("site/big.html", "<title>", terabyte)
		return b.build("pages: {head_limit: 1048576MiB, images: true}\n")
	}},
	{name: "page of a terabyte, by its images", set: func(b *bombs) []string {
		b.sparse("site/big.html", "<body>", terabyte)
		return b.build("pages: {images: true}\n")
	}},
	{name: "page of a terabyte, by its content", set: func(b *bombs) []string {
		b.sparse("site/big.html", "<body>", terabyte)
		return b.build("lastmod: [content]\nlastmod_ignore: ['a+']\n")
	}},
	{name: "page of a terabyte in what was published before", set: func(b *bombs) []string {
		b.sparse("before/big.html", "<body>", terabyte)
		b.write("before/sitemap.xml", sitemapStart+"<url><loc>https://www.example.com/big.html</loc><lastmod>2024-01-01</lastmod></url></urlset>")
		b.write("site/big.html", "<body>")
		return b.build("lastmod: [content]\n", "--previous", filepath.Join(b.dir, "before"))
	}},
	{name: "head of 100 MB without an end", set: func(b *bombs) []string {
		b.repeat("site/big.html", "<html><head>", "<meta name=robots content=index><link rel=canonical href=/x>", 100<<20/60)
		return b.build("pages: {head_limit: 32MiB}\n")
	}},
	{name: "tag of 100 MB without an end", set: func(b *bombs) []string {
		b.repeat("site/big.html", "<html><head><meta content='", "robots &amp; ", 100<<20/13)
		return b.build("pages: {head_limit: 32MiB}\n")
	}},
	{name: "robots.txt of 100 MB, and then a terabyte", set: func(b *bombs) []string {
		mustHostile(b.t, os.Truncate(b.repeat("site/robots.txt", "User-agent: *\n", "Disallow: /x*y*z\n", 100<<20/17), terabyte))
		return b.build("robots: {update: true}\n")
	}, says: "robots-not-updated"},
	{name: "robots.txt of slow patterns", set: func(b *bombs) []string {
		b.write("site/robots.txt", "User-agent: *\n"+numberedLines(14_000, "Disallow: /*a*a*a*a*a*a*a*b%d"))
		for i := range 100 {
			b.write(fmt.Sprintf("site/%s/%d.html", strings.Repeat("a", 200)+"/"+strings.Repeat("a", 200), i), "")
		}
		return b.build("")
	}},
	{name: ".htaccess of 100 MB, and then a terabyte", set: func(b *bombs) []string {
		mustHostile(b.t, os.Truncate(b.repeat("site/.htaccess", "", "Require all granted\n", 100<<20/20), terabyte))
		return b.build("")
	}, code: 4, says: "protected"},
	{name: ".htaccess of slow patterns", set: func(b *bombs) []string {
		b.write("site/.htaccess", numberedLines(20_000, "<FilesMatch \"(a|b|ab|(c{1,50}){20})*%d\">\nRequire all denied\n</FilesMatch>"))
		return b.build("")
	}, code: 4, says: "protected"},
	{name: "YAML aliases", set: func(b *bombs) []string { return b.build(laughs(12)) }, code: 2, says: "aliases"},
	{name: "YAML, deep", set: func(b *bombs) []string { return b.build("include: " + strings.Repeat("[", 100_000)) }, code: 2},
	{name: "configuration of a terabyte", set: func(b *bombs) []string {
		args := b.build("")
		mustHostile(b.t, os.Truncate(args[4], terabyte))
		return args
	}, code: 2},
	{name: "braces", set: func(b *bombs) []string {
		return b.build("exclude: ['" + strings.Repeat("{a,b}", 30) + "']\n")
	}, code: 2, says: "1024 alternatives"},
	{name: "braces around a long text", set: func(b *bombs) []string {
		return b.build("exclude: ['" + strings.Repeat("{a,b}", 10) + strings.Repeat("x", 900_000) + "']\n")
	}, code: 2, says: "bytes of patterns"},
	{name: "braces in ten thousand patterns", set: func(b *bombs) []string {
		return b.build("exclude:\n" + numberedLines(10_000, "- '"+strings.Repeat("{a,b}", 10)+"%d*'"))
	}, code: 2, says: "the patterns so far"},
	{name: "braces in ten thousand rules", set: func(b *bombs) []string {
		return b.build("rules:\n" + numberedLines(10_000, "- match: '"+strings.Repeat("{a,b}", 10)+"%d*'"))
	}, code: 2, says: "the patterns so far"},
	{name: "slow patterns", set: func(b *bombs) []string {
		name := "site/" + strings.Repeat(strings.Repeat("a", 200)+"/", 5)
		for i := range 100 {
			b.write(fmt.Sprintf("%s%d.html", name, i), "")
		}
		return b.build("exclude:\n" + numberedLines(20_000, "- '**/*a*a*a*a*/**/*a*b%d*'"))
	}},
	{name: "twenty thousand rules", set: func(b *bombs) []string {
		return b.build("rules:\n" + numberedLines(20_000, "- {match: '**/*a*b*%[1]d*/**/x*', section: s%[1]d}"))
	}, code: 0},
	{name: "regular expressions that are large", set: func(b *bombs) []string {
		return b.build("lastmod: [content]\nlastmod_ignore:\n" + numberedLines(30_000, `- '(?i)\pL{1000}%d'`))
	}, code: 2, says: "too large"},
	{name: "a regular expression that is slow", set: func(b *bombs) []string {
		b.write("site/large.html", strings.Repeat("ab", 2<<20-1)) // too large for so slow an expression
		b.write("site/small.html", strings.Repeat("ab", 30<<10))
		return b.build("lastmod: [content]\nlastmod_ignore: ['(a|b|c|ab|bc){1,250}d']\n")
	}},
	{name: "fifty thousand sites", set: func(b *bombs) []string {
		return b.build("sites: [" + strings.Repeat("{docroot: site},", 50_000) + "]\n")[:5:5]
	}, code: 2, says: "more than 10000 entries"},
	{name: "extra URLs of a terabyte", set: func(b *bombs) []string {
		return b.build("extra_urls: [" + b.sparse("extra.txt", "https://www.example.com/a\n", terabyte) + "]\n")
	}, code: 2, says: "is longer than"},
	{name: "extra URLs, half a million", set: func(b *bombs) []string {
		return b.build("extra_urls: [" + b.write("extra.txt", numberedLines(500_000, "https://www.example.com/%d 2024-01-01")) + "]\n")
	}, memory: 400},
	{name: "extra URLs, one file over and over", set: func(b *bombs) []string {
		path := b.write("extra.txt", strings.Repeat("#"+strings.Repeat(" ", 60_000)+"\n", 16))
		return b.build("extra_urls: [" + strings.Repeat(path+",", 5_000) + "]\n")
	}, code: 2, says: "bytes together"},
	{name: "state, ten gigabytes", set: func(b *bombs) []string { return b.forged(b.write("state", tenGigabytes("\x00"))) }, says: "state-unusable"},
	{name: "state of a terabyte", set: func(b *bombs) []string { return b.forged(b.sparse("state", "", terabyte)) }, says: "state-unusable"},
	{name: "record of what was submitted, ten gigabytes", set: func(b *bombs) []string {
		b.write("set/sitemap.xml", sitemapStart+onePage+"</urlset>")
		b.write("state.submitted", tenGigabytes("\n"))
		return b.submit(filepath.Join(b.dir, "set"))
	}},
}

// setBombs are published sets, which are checked, taken dates from, and submitted.
var setBombs = []struct {
	name string
	set  func(b *bombs) string
	// code is that of a check, and may that of the others.
	code, may int
}{
	{"ten gigabytes of nothing", func(b *bombs) string { return filepath.Dir(b.write("set/sitemap.xml.gz", tenGigabytes("\x00"))) }, 5, 1},
	{"ten gigabytes of spaces", func(b *bombs) string {
		return filepath.Dir(b.write("set/sitemap.xml.gz", gzipped(sitemapStart)+tenGigabytes(" ")))
	}, 5, 1},
	{"ten gigabytes, compressed twice", func(b *bombs) string {
		return filepath.Dir(b.write("set/sitemap.xml.gz", gzippedOften("", gzippedOften("", strings.Repeat(" ", 1<<20), 16, ""), 640, "")))
	}, 5, 1},
	{"entities", func(b *bombs) string {
		text := `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">`
		for c := 'b'; c < 'u'; c++ {
			text += fmt.Sprintf(`<!ENTITY %c "%s">`, c, strings.Repeat(fmt.Sprintf("&%c;", c-1), 10))
		}
		return filepath.Dir(b.write("set/sitemap.xml", text+"]><urlset><url><loc>&t;</loc></url></urlset>"))
	}, 5, 1},
	{"elements in each other", func(b *bombs) string {
		return filepath.Dir(b.write("set/sitemap.xml", sitemapStart+strings.Repeat("<a>", 1<<20)))
	}, 5, 1},
	{"a tag without an end", func(b *bombs) string {
		return filepath.Dir(b.write("set/sitemap.xml", sitemapStart+"<a "+strings.Repeat("b=c ", 5<<20)))
	}, 5, 1},
	{"a terabyte", func(b *bombs) string {
		return filepath.Dir(b.sparse("set/sitemap.xml", sitemapStart+onePage, terabyte))
	}, 5, 1},
	{"fifty thousand times one shard", func(b *bombs) string { return b.oneFileOften(sameShard) }, 5, 0},
	{"fifty thousand names of one shard", func(b *bombs) string { return b.oneFileOften(shardByQuery) }, 5, 0},
	{"an index that goes on in itself", func(b *bombs) string {
		return filepath.Dir(b.write("set/sitemap.xml", indexStart+"<!-- continued in sitemap.xml --></sitemapindex>"))
	}, 5, 1},
}

// TestBombs sets each of them, and holds the run to its bounds.
func TestBombs(t *testing.T) {
	program := hostileCommand(t)
	all := append([]bomb(nil), fileBombs...)
	for _, set := range setBombs {
		all = append(all,
			bomb{name: "check of " + set.name, set: func(b *bombs) []string { return []string{"check", set.set(b)} }, code: set.code},
			bomb{name: "dates from " + set.name, set: func(b *bombs) []string {
				return b.build("lastmod: [content]\n", "--previous", set.set(b))
			}, code: set.may},
			bomb{name: "submission of " + set.name, set: func(b *bombs) []string { return b.submit(set.set(b)) }, code: set.may})
	}
	all = append(all,
		bomb{name: "state, whole, with a terabyte behind it", set: func(b *bombs) []string {
			return b.forged(b.sparse("state", b.stateOf(program), terabyte))
		}, says: "state-unusable"},
		bomb{name: "state, whole, with ten gigabytes behind it", set: func(b *bombs) []string {
			return b.forged(b.write("state", b.stateOf(program)+tenGigabytes("\n")))
		}, says: "state-unusable"},
		bomb{name: "folders, 3000 deep, each with a .htaccess", set: deepFolders},
		bomb{name: "git tree of ten thousand million files", set: gitTree, says: "git-unavailable", memory: gitMemory})
	if hostileEverything {
		all = append(all, bomb{name: "a million files in a folder", set: millionFiles})
	}
	var counting sync.Mutex
	var largest, longest hostileOutcome
	t.Cleanup(func() {
		t.Logf("| %d bombs | at most %d MiB | and %v |", len(all), largest.memory>>20, longest.processor)
	})
	for _, one := range all {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			b := &bombs{t: t, dir: hostileFolder(t)}
			b.docroot = filepath.Dir(b.write("site/index.html", "<!doctype html><title>page</title>\n"))
			done := runHostile(t, exec.Command(program, one.set(b)...))
			if done.code != one.code || !strings.Contains(done.stdout+done.stderr, one.says) {
				t.Errorf("ends not with %d, saying %q: %v", one.code, one.says, done)
			}
			t.Logf("%d MiB, %v", done.memory>>20, done.processor)
			counting.Lock()
			defer counting.Unlock()
			bound := int64(maxBombMemory)
			if one.memory > 0 {
				bound = one.memory
			} else if done.memory > largest.memory {
				largest = done
			}
			if done.memory > bound<<20 || done.processor > maxBombTime {
				t.Errorf("takes more than %d MiB or %v: %v", bound, maxBombTime, done)
			}
			if done.processor > longest.processor {
				longest = done
			}
		})
	}
}

// deepFolders makes folders in each other, by handles, because their path is longer than
// any system takes.
func deepFolders(b *bombs) []string {
	at, err := os.OpenRoot(b.docroot)
	mustHostile(b.t, err)
	rules := strings.Repeat("Require ip 192.0.2.1\n", 50) + "Require all granted\n" + numberedLines(20, "<Files \"a%d*\">\nRequire all denied\n</Files>")
	for range 3000 {
		mustHostile(b.t, at.WriteFile(".htaccess", []byte(rules), 0o644))
		mustHostile(b.t, at.Mkdir("d", 0o755))
		next, err := at.OpenRoot("d")
		mustHostile(b.t, err)
		at.Close()
		at = next
		mustHostile(b.t, at.WriteFile("index.html", nil, 0o644))
	}
	at.Close()
	return b.build("")
}

func millionFiles(b *bombs) []string {
	folder, err := os.OpenRoot(b.docroot)
	mustHostile(b.t, err)
	defer folder.Close()
	for i := range 1_000_000 {
		file, err := folder.Create(fmt.Sprintf("page-%07d.html", i))
		mustHostile(b.t, err)
		file.Close()
	}
	return b.build("")
}

// gitTree makes a commit of a tree that holds itself ten times over, ten levels deep.
func gitTree(b *bombs) []string {
	git, err := exec.LookPath("git")
	if err != nil {
		lackForHostile(b.t, "git is not installed, and this test needs it")
	}
	run := func(input string, args ...string) string {
		cmd := exec.Command(git, append([]string{"-C", b.docroot, "-c", "user.name=A", "-c", "user.email=a@site.test"}, args...)...)
		cmd.Stdin = strings.NewReader(input)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/no-home"}
		said, err := cmd.Output()
		mustHostile(b.t, err)
		return strings.TrimSpace(string(said))
	}
	run("", "init", "-q")
	kind, id := "100644 blob", run("", "hash-object", "-w", "index.html")
	for range 10 {
		var tree strings.Builder
		for i := range 10 {
			fmt.Fprintf(&tree, "%s %s\tf%d.html\n", kind, id, i)
		}
		kind, id = "040000 tree", run(tree.String(), "mktree")
	}
	run("", "update-ref", "HEAD", run("", "commit-tree", "-m", "bomb", id))
	return b.build("lastmod: [git, mtime]\n")
}
