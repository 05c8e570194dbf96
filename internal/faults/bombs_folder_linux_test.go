package faults

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A bombFolder is where a bomb is set, with a docroot.
type bombFolder struct {
	t       *testing.T
	dir     string
	docroot string
}

func (b *bombFolder) write(name, content string) string {
	path := filepath.Join(b.dir, name)
	writeFile(b.t, path, content)
	return path
}

// repeat writes a beginning and then a text so many times, without holding all of it: what
// a test has in memory counts for the commands that it starts.
func (b *bombFolder) repeat(name, beginning, text string, times int) string {
	path := b.write(name, "")
	file, err := os.OpenFile(path, os.O_WRONLY|unix.O_NOFOLLOW, 0)
	must(b.t, err)
	defer file.Close()
	buffered := bufio.NewWriter(file)
	_, _ = buffered.WriteString(beginning)
	for range times {
		_, _ = buffered.WriteString(text)
	}
	must(b.t, buffered.Flush())
	return path
}

// sparse gives a file a length without any content behind what it has.
func (b *bombFolder) sparse(name, content string, length int64) string {
	path := b.write(name, content)
	must(b.t, os.Truncate(path, length))
	return path
}

// build returns a command line with a configuration.
func (b *bombFolder) build(config string, more ...string) []string {
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
func (b *bombFolder) oneFileOften(loc func(i int) string) string {
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
func (b *bombFolder) submit(set string) []string {
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
func (b *bombFolder) stateOf() string {
	path := filepath.Join(b.dir, "seed.state")
	measure(b.t, command(b.t, "build", "-q", "--docroot", b.docroot, "--base-url", "https://www.example.com/", "--state", path))
	content, err := os.ReadFile(path)
	must(b.t, err)
	return string(content)
}

// forged returns a build with a forged state.
func (b *bombFolder) forged(path string) []string {
	args := b.build("lastmod: [content]\n", "--state", path)
	return args[:len(args)-1] // without --no-state
}
