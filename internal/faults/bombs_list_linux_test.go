package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// fileBombs are files of pages, configurations and sets.
var fileBombs = []bomb{
	{name: "page of a terabyte", set: func(b *bombFolder) []string {
		b.sparse("site/big.html", "", terabyte)
		return b.build("")
	}},
	{name: "page of a terabyte, with all of its head to be read", set: func(b *bombFolder) []string {
		b.sparse("site/big.html", "<title>", terabyte)
		return b.build("pages: {head_limit: 1048576MiB, images: true}\n")
	}},
	{name: "page of a terabyte, by its images", set: func(b *bombFolder) []string {
		b.sparse("site/big.html", "<body>", terabyte)
		return b.build("pages: {images: true}\n")
	}},
	{name: "page of a terabyte, by its content", set: func(b *bombFolder) []string {
		b.sparse("site/big.html", "<body>", terabyte)
		return b.build("lastmod: [content]\nlastmod_ignore: ['a+']\n")
	}},
	{name: "page of a terabyte in what was published before", set: func(b *bombFolder) []string {
		b.sparse("before/big.html", "<body>", terabyte)
		b.write("before/sitemap.xml", sitemapStart+"<url><loc>https://www.example.com/big.html</loc><lastmod>2024-01-01</lastmod></url></urlset>")
		b.write("site/big.html", "<body>")
		return b.build("lastmod: [content]\n", "--previous", filepath.Join(b.dir, "before"))
	}},
	{name: "head of 100 MB without an end", set: func(b *bombFolder) []string {
		b.repeat("site/big.html", "<html><head>", "<meta name=robots content=index><link rel=canonical href=/x>", 100<<20/60)
		return b.build("pages: {head_limit: 32MiB}\n")
	}},
	{name: "tag of 100 MB without an end", set: func(b *bombFolder) []string {
		b.repeat("site/big.html", "<html><head><meta content='", "robots &amp; ", 100<<20/13)
		return b.build("pages: {head_limit: 32MiB}\n")
	}},
	{name: "base that makes two kilobytes of each link", set: func(b *bombFolder) []string {
		var page strings.Builder
		fmt.Fprintf(&page, "<html lang=en><base href=https://www.example.com/%s/>", strings.Repeat("b", 1900))
		for i := range 1000 {
			fmt.Fprintf(&page, "<link rel=alternate hreflang=de href=p%d>", i)
		}
		page.WriteString("<body>")
		for i := range 1000 {
			fmt.Fprintf(&page, "<img src=i%d>", i)
		}
		for i := range 1000 {
			b.write(fmt.Sprintf("site/%d.html", i), page.String())
		}
		return append(b.build("pages: {images: true}\n"), "--jobs", "2")
	}, memory: 800},
	{name: "robots.txt of 100 MB, and then a terabyte", set: func(b *bombFolder) []string {
		must(b.t, os.Truncate(b.repeat("site/robots.txt", "User-agent: *\n", "Disallow: /x*y*z\n", 100<<20/17), terabyte))
		return b.build("robots: {update: true}\n")
	}, says: "robots-not-updated"},
	{name: "robots.txt of slow patterns", set: func(b *bombFolder) []string {
		b.write("site/robots.txt", "User-agent: *\n"+numberedLines(14_000, "Disallow: /*a*a*a*a*a*a*a*b%d"))
		for i := range 100 {
			b.write(fmt.Sprintf("site/%s/%d.html", strings.Repeat("a", 200)+"/"+strings.Repeat("a", 200), i), "")
		}
		return b.build("")
	}},
	{name: ".htaccess of 100 MB, and then a terabyte", set: func(b *bombFolder) []string {
		must(b.t, os.Truncate(b.repeat("site/.htaccess", "", "Require all granted\n", 100<<20/20), terabyte))
		return b.build("")
	}, code: 4, says: "protected"},
	{name: ".htaccess of slow patterns", set: func(b *bombFolder) []string {
		b.write("site/.htaccess", numberedLines(20_000, "<FilesMatch \"(a|b|ab|(c{1,50}){20})*%d\">\nRequire all denied\n</FilesMatch>"))
		return b.build("")
	}, code: 4, says: "protected"},
	{name: "YAML aliases", set: func(b *bombFolder) []string { return b.build(laughs(12)) }, code: 2, says: "aliases"},
	{name: "YAML, deep", set: func(b *bombFolder) []string { return b.build("include: " + strings.Repeat("[", 100_000)) }, code: 2},
	{name: "configuration of a terabyte", set: func(b *bombFolder) []string {
		args := b.build("")
		must(b.t, os.Truncate(args[4], terabyte))
		return args
	}, code: 2},
	{name: "braces", set: func(b *bombFolder) []string {
		return b.build("exclude: ['" + strings.Repeat("{a,b}", 30) + "']\n")
	}, code: 2, says: "1024 alternatives"},
	{name: "braces around a long text", set: func(b *bombFolder) []string {
		return b.build("exclude: ['" + strings.Repeat("{a,b}", 10) + strings.Repeat("x", 900_000) + "']\n")
	}, code: 2, says: "bytes of patterns"},
	{name: "braces in ten thousand patterns", set: func(b *bombFolder) []string {
		return b.build("exclude:\n" + numberedLines(10_000, "- '"+strings.Repeat("{a,b}", 10)+"%d*'"))
	}, code: 2, says: "the patterns so far"},
	{name: "braces in ten thousand rules", set: func(b *bombFolder) []string {
		return b.build("rules:\n" + numberedLines(10_000, "- match: '"+strings.Repeat("{a,b}", 10)+"%d*'"))
	}, code: 2, says: "the patterns so far"},
	{name: "slow patterns", set: func(b *bombFolder) []string {
		name := "site/" + strings.Repeat(strings.Repeat("a", 200)+"/", 5)
		for i := range 100 {
			b.write(fmt.Sprintf("%s%d.html", name, i), "")
		}
		return b.build("exclude:\n" + numberedLines(20_000, "- '**/*a*a*a*a*/**/*a*b%d*'"))
	}},
	{name: "twenty thousand rules", set: func(b *bombFolder) []string {
		return b.build("rules:\n" + numberedLines(20_000, "- {match: '**/*a*b*%[1]d*/**/x*', section: s%[1]d}"))
	}, code: 0},
	{name: "regular expressions that are large", set: func(b *bombFolder) []string {
		return b.build("lastmod: [content]\nlastmod_ignore:\n" + numberedLines(30_000, `- '(?i)\pL{1000}%d'`))
	}, code: 2, says: "too large"},
	{name: "a regular expression that is slow", set: func(b *bombFolder) []string {
		b.write("site/large.html", strings.Repeat("ab", 2<<20-1)) // too large for so slow an expression
		b.write("site/small.html", strings.Repeat("ab", 30<<10))
		return b.build("lastmod: [content]\nlastmod_ignore: ['(a|b|c|ab|bc){1,250}d']\n")
	}},
	{name: "fifty thousand sites", set: func(b *bombFolder) []string {
		return b.build("sites: [" + strings.Repeat("{docroot: site},", 50_000) + "]\n")[:5:5]
	}, code: 2, says: "more than 10000 entries"},
	{name: "extra URLs of a terabyte", set: func(b *bombFolder) []string {
		return b.build("extra_urls: [" + b.sparse("extra.txt", "https://www.example.com/a\n", terabyte) + "]\n")
	}, code: 2, says: "is longer than"},
	{name: "extra URLs, half a million", set: func(b *bombFolder) []string {
		return b.build("extra_urls: [" + b.write("extra.txt", numberedLines(500_000, "https://www.example.com/%d 2024-01-01")) + "]\n")
	}, memory: 400},
	{name: "extra URLs, one file over and over", set: func(b *bombFolder) []string {
		path := b.write("extra.txt", strings.Repeat("#"+strings.Repeat(" ", 60_000)+"\n", 16))
		return b.build("extra_urls: [" + strings.Repeat(path+",", 5_000) + "]\n")
	}, code: 2, says: "bytes together"},
	{name: "state, ten gigabytes", set: func(b *bombFolder) []string { return b.forged(b.write("state", tenGigabytes("\x00"))) }, says: "state-unusable"},
	{name: "state of a terabyte", set: func(b *bombFolder) []string { return b.forged(b.sparse("state", "", terabyte)) }, says: "state-unusable"},
	{name: "record of what was submitted, ten gigabytes", set: func(b *bombFolder) []string {
		b.write("set/sitemap.xml", sitemapStart+onePage+"</urlset>")
		b.write("state.submitted", tenGigabytes("\n"))
		return b.submit(filepath.Join(b.dir, "set"))
	}},
}

// setBombs are published sets, which are checked, taken dates from, and submitted.
var setBombs = []struct {
	name string
	set  func(b *bombFolder) string
	// code is that of a check, and may that of the others.
	code, may int
}{
	{"ten gigabytes of nothing", func(b *bombFolder) string { return filepath.Dir(b.write("set/sitemap.xml.gz", tenGigabytes("\x00"))) }, 5, 1},
	{"ten gigabytes of spaces", func(b *bombFolder) string {
		return filepath.Dir(b.write("set/sitemap.xml.gz", gzipped(sitemapStart)+tenGigabytes(" ")))
	}, 5, 1},
	{"ten gigabytes, compressed twice", func(b *bombFolder) string {
		return filepath.Dir(b.write("set/sitemap.xml.gz", gzippedOften("", gzippedOften("", strings.Repeat(" ", 1<<20), 16, ""), 640, "")))
	}, 5, 1},
	{"entities", func(b *bombFolder) string {
		text := `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">`
		for c := 'b'; c < 'u'; c++ {
			text += fmt.Sprintf(`<!ENTITY %c "%s">`, c, strings.Repeat(fmt.Sprintf("&%c;", c-1), 10))
		}
		return filepath.Dir(b.write("set/sitemap.xml", text+"]><urlset><url><loc>&t;</loc></url></urlset>"))
	}, 5, 1},
	{"elements in each other", func(b *bombFolder) string {
		return filepath.Dir(b.write("set/sitemap.xml", sitemapStart+strings.Repeat("<a>", 1<<20)))
	}, 5, 1},
	{"a tag without an end", func(b *bombFolder) string {
		return filepath.Dir(b.write("set/sitemap.xml", sitemapStart+"<a "+strings.Repeat("b=c ", 5<<20)))
	}, 5, 1},
	{"a terabyte", func(b *bombFolder) string {
		return filepath.Dir(b.sparse("set/sitemap.xml", sitemapStart+onePage, terabyte))
	}, 5, 1},
	{"fifty thousand times one shard", func(b *bombFolder) string { return b.oneFileOften(sameShard) }, 5, 0},
	{"fifty thousand names of one shard", func(b *bombFolder) string { return b.oneFileOften(shardByQuery) }, 5, 0},
	{"an index that goes on in itself", func(b *bombFolder) string {
		return filepath.Dir(b.write("set/sitemap.xml", indexStart+"<!-- continued in sitemap.xml --></sitemapindex>"))
	}, 5, 1},
}

// deepFolders makes folders in each other, by handles, because their path is longer than
// any system takes.
func deepFolders(b *bombFolder) []string {
	at, err := os.OpenRoot(b.docroot)
	must(b.t, err)
	rules := strings.Repeat("Require ip 192.0.2.1\n", 50) + "Require all granted\n" + numberedLines(20, "<Files \"a%d*\">\nRequire all denied\n</Files>")
	for range 3000 {
		must(b.t, at.WriteFile(".htaccess", []byte(rules), 0o644))
		must(b.t, at.Mkdir("d", 0o755))
		next, err := at.OpenRoot("d")
		must(b.t, err)
		at.Close()
		at = next
		must(b.t, at.WriteFile("index.html", nil, 0o644))
	}
	at.Close()
	return b.build("")
}

func millionFiles(b *bombFolder) []string {
	folder, err := os.OpenRoot(b.docroot)
	must(b.t, err)
	defer folder.Close()
	for i := range 1_000_000 {
		file, err := folder.Create(fmt.Sprintf("page-%07d.html", i))
		must(b.t, err)
		file.Close()
	}
	return b.build("")
}

// gitTree makes a commit of a tree that holds itself ten times over, ten levels deep.
func gitTree(b *bombFolder) []string {
	git := program(b.t, "git")
	run := func(input string, args ...string) string {
		cmd := exec.Command(git, append([]string{"-C", b.docroot, "-c", "user.name=A", "-c", "user.email=a@site.test"}, args...)...)
		cmd.Stdin = strings.NewReader(input)
		cmd.Env = cleanEnv()
		said, err := cmd.Output()
		must(b.t, err)
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
