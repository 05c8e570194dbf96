package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hostileLinks are where pages of a hostile site lead to. SELF stands for the
// path of the page's own URL, BARE for that without its extension or index file.
var hostileLinks = []string{
	"https://www.example.com/site/SELF", "http://www.example.com/site/SELF", "https://WWW.Example.com:443/site/SELF",
	"https://example.com/site/SELF", "https://example.com/SELF", "https://www.example.com:8443/site/SELF", "//www.example.com/site/SELF",
	"/site/SELF", "/SELF", "/site/SELF?page=2", "/site/SELF#top", "/site/BARE", "/site/BARE/", "/site/BARE/index.html", "/site/BARE.htm", "/site/BARE.HTML",
	"", ".", "./", "..", "index.html", "page", "page.html", "page/", "page-folder/", "#top", "?", "?q", "%", "\\site\\SELF", " /site/SELF\n",
	"https://www.example.com/site", "https://www.example.com/site/", "https://www.example.com", "/", "mailto:a@b.example", "javascript:void(0)", "data:,x",
	"ftp://www.example.com/site/SELF",
	"http://", "https://[::1]/site/SELF", "http://a b/", "/site/%7Ea", "caf\u00e9.html", "caf%C3%A9.html", "/site/a/../SELF", "//",
}

// hostileTags are what heads of a hostile site are made of. LINK stands for one
// of hostileLinks.
var hostileTags = []string{
	`<link rel=canonical href="LINK">`, `<link rel=canonical href="LINK">`, `<LINK HREF='LINK' REL='x CANONICAL'>`, `<link rel="canonical" href=LINK/>`,
	`<meta http-equiv=refresh content="0;url=LINK">`, `<meta http-equiv=refresh content="5; URL = 'LINK'">`, `<meta http-equiv=refresh content=600>`,
	`<meta http-equiv=refresh content="0, LINK">`, `<meta name=URL content="LINK">`, `<base href="LINK">`, `<base target=_top>`,
	`<meta name=robots content=noindex>`, `<META CONTENT='follow, NOINDEX' NAME=Googlebot>`, `<meta name=robots content="noindexed, index">`,
	`<meta name=robots content="n&#111;ne">`, `<meta property=robots content=noindex>`, `<meta name=robots content="noindex`, `<meta name=robots content=noindex`,
	`<meta name=robots content="unavailable_after: 2020-01-01">`, `<meta name=robots content="unavailable_after: Tue, 21 Jul 2099 10:00:00 GMT, index">`,
	`<meta name=resource-type content=document>`, `<meta http-equiv=Resource-Type content="Archive">`,
	`<title>t</title>`, `<title><meta name=robots content=noindex></title>`, `<title>`, `</title>`, `<script>"<meta name=robots content=noindex>"</script>`,
	`<script><!-- <script> </script> -->`, `</script>`, `<style>`, `</style>`, `<noscript><meta name=robots content=none></noscript>`, `<template>`, `</template>`,
	`<!-- `, ` -->`, `<!-->`, `<?php `, `?>`, `<![CDATA[`, `]]>`, `<svg>`, `<p>`, `text`, `</head>`, `<head>`, `<body>`, `</html>`, `</br>`, `</p>`, `<html lang=en>`,
	`<meta charset=utf-8>`, `<meta charset=windows-1251>`, `<meta charset=nonsense>`, `<textarea>`, `<frameset>`, `<iframe src=LINK></iframe>`, "\n", "\u00a0",
}

// hostilePage returns a page that may say anything about itself.
func hostilePage(random *rand.Rand, self string) string {
	pick := func(from []string) string { return from[random.IntN(len(from))] }
	encode := func(name string) string { return escapePath(strings.ReplaceAll(name, "%", "%25")) }
	bare := pageExtension.ReplaceAllString(strings.TrimSuffix(strings.TrimSuffix(self, "index.html"), "/"), "$1")
	own := strings.NewReplacer("SELF", encode(self), "BARE", encode(bare))
	fill := func(tag string) string { return strings.ReplaceAll(tag, "LINK", own.Replace(pick(hostileLinks))) }
	page := pick([]string{"", "<!doctype html>", "<html><head>", "<!DOCTYPE html>\n<html>\n<head>\n", "\ufeff<html><head>"})
	for range random.IntN(5) {
		page += fill(pick(hostileTags))
	}
	return page + pick([]string{"", "</head><body>", `</head><meta name=robots content=noindex>`, "<body><link rel=canonical href=/>"})
}

// hostileSite makes a docroot in which each page may be any kind of nuisance.
func hostileSite(t *testing.T) string {
	t.Helper()
	docroot := publicDir(t)
	random := rand.New(rand.NewPCG(1, 2))
	folders := []string{
		"", "page-folder/", "page/", "site/", "a/b/c/d/", ".well-known/", "404/", "50x/",
		".git/", ".cache/", "node_modules/", "NODE_MODULES/", "java.sql/", "drafts/", "drafts/old/", "Drafts/",
		"private/", "private/open/", "denied/", "denied/deeper/", "members/", "disallowed/", "disallowed/not/",
		strings.Repeat(strings.Repeat("n", 200)+"/", 9) + "deep/", // some of its URLs are too long
		strings.Repeat(strings.Repeat("\u00fc", 100)+"/", 4),      // all of them
	}
	names := []string{
		"index.html", "index.htm", "index.xhtml", "INDEX.HTML", "page.html", "page.htm", "page.HTML", "page.xhtml", "page.shtml",
		"404.html", "5xx.html", "50X.HTM", "404.xhtml", "399.html", "600.html", ".html", ".hidden.html", ".env.html",
		"page.html~", "page.html.bak", "id_rsa.html", "a.sql.html", "feed.xml", "page.txt", "skip-me.html", "unlisted.html",
	}
	for _, name := range nastyNames {
		names = append(names, name+".html")
	}
	for _, folder := range folders {
		if err := os.MkdirAll(filepath.Join(docroot, folder), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			path := filepath.Join(docroot, folder, name)
			modified := firstDate.Add(time.Duration(random.IntN(1000)) * time.Hour)
			if random.IntN(50) == 0 {
				modified = []time.Time{time.Unix(0, 0), time.Unix(-1, 0), time.Unix(1, 0), time.Now().AddDate(1, 0, 0)}[random.IntN(4)]
			}
			writeFile(t, path, hostilePage(random, folder+name))
			if err := os.Chtimes(path, modified, modified); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, content := range map[string]string{
		"robots.txt": "\ufeffuser-agent: other\ndisallow: /\n\nUser-Agent: a\nUSER-AGENT: * # all\nDisallow: /site/disallowed/\nAllow: /site/disallowed/not/$\n" +
			"allow: /site/disallowed/*e.html$\nDisallow: /*cafe\nDisallow:\nSitemap: x\nDisallow: /site/caf\u00e9\nDisallow /site/dis/\nDisallow /site/drafts/old\n",
		"private/.htaccess":       "# all\nRequire all denied\n",
		"private/open/.htaccess":  "  require ALL granted\r\n",
		"denied/.htaccess":        "Order deny,allow\nDeny from all\n",
		"denied/deeper/.htaccess": "Options -Indexes\n",
		"members/.htaccess":       "AuthType Basic\nAuthName x\nRequire valid-user\n",
	} {
		writeFile(t, filepath.Join(docroot, filepath.FromSlash(name)), content)
	}
	for name, target := range map[string]string{"link.html": "page.html", "link": "page-folder", "loop": ".", "gone.html": "nowhere", "out.html": "/etc/passwd", ".git.html": "page.html"} {
		if err := os.Symlink(target, filepath.Join(docroot, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"fifo.html", ".fifo", "page-folder/fifo"} {
		if err := syscall.Mkfifo(filepath.Join(docroot, name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return docroot
}

// TestHostileSiteIsJudgedAlike judges a site in which names, heads and rules are
// at odds with each other, under several configurations.
func TestHostileSiteIsJudgedAlike(t *testing.T) {
	docroot := hostileSite(t)
	for _, j := range []judgement{
		{},
		{bare: true},
		{exclude: []string{"drafts/**", "**/skip-*", "site"}, unlist: []string{"**/unlisted.html", "a/*/**/page.*"}},
	} {
		j.docroot = docroot
		j.agree(t, "https://www.example.com/site/")
	}
}
