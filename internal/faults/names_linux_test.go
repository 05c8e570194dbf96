package faults

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode"
	"unicode/utf8"
)

// hostileTexts upset terminals, forge lines, turn text around or are no text at all.
var hostileTexts = []string{
	"\x1b]0;title\x07\x1b[31m", "\nforged: line", "\u202eturned", "\xff\xfe", "\u009b31m", "\u2028line", "\ufeff", "\x7f\r\b", "\U000e0041", "\u2066x", "<script>alert(1)<\\script>", "%1b\\x1b",
}

// intruderNames puts such texts wherever a file or its name can have text.
func intruderNames(t *testing.T) {
	n := newIntrusion(t)
	root := filepath.Join(n.home, "site"+hostileTexts[0]+hostileTexts[2]+hostileTexts[3]+"\nx")
	must(t, os.Rename(n.docroot, root))
	n.docroot = root
	var paths []string
	for _, text := range hostileTexts {
		line := strings.ReplaceAll(text, "\n", "\r")
		for name, content := range map[string]string{
			text + ".html":        "<title>" + text + "</title><meta name=robots content='noindex" + text + "'>",
			text + "/a.html":      "<link rel=canonical href='https://www.example.com/" + text + "'><link rel=alternate hreflang=de href='https://www.example.com/" + text + "'>",
			text + "/b.html":      "<meta http-equiv=refresh content='0;url=https://other.example/" + text + "'>",
			text + "/c.html":      "<meta name=resource-type content='" + text + "'>",
			text + "/.htaccess":   "<Files d.html>\nRequire user " + line + "\n</Files>\n",
			text + "/d.html":      "",
			text + "/sitemap.xml": "",
		} {
			writeFile(t, filepath.Join(root, name), content)
			paths = append(paths, name)
		}
		must(t, os.Symlink("/"+text, filepath.Join(root, text+".link.html")))
		must(t, syscall.Mkfifo(filepath.Join(root, text+".fifo.html"), 0o666))
	}
	writeFile(t, filepath.Join(root, "robots.txt"), "User-agent: *\nDisallow: /p0/*"+hostileTexts[0]+"\nSitemap: https://www.example.com/"+hostileTexts[2]+".xml\n")
	extra := filepath.Join(n.home, "extra.txt")
	writeFile(t, extra, "https://other.example/"+strings.Join(hostileTexts, "\nhttps://www.example.com/x 2020"))
	n.give(t)
	n.configure(t, "extra_urls: ["+extra+"]\noutput: {max_urls: 5}\nlastmod: [git, meta, content]\n")
	commands := append(n.commands(), append([]string{"explain", "-c", n.config, "--docroot", root, "--no-state", "--"}, paths...),
		[]string{"check", root, "--json"}, []string{"explain", "-c", n.config, "--docroot", root, "--json", "--no-state", "--", paths[0], paths[1], hostileTexts[3]})
	for _, command := range commands {
		done := n.run(t, "names", command...)
		if done.code != 0 && done.code != 5 && command[0] != "init" && command[0] != "explain" && command[0] != "submit" {
			t.Errorf("%q: %v", command, done)
		}
		isClean(t, command[0], done.stdout, command[0] == "build" && command[len(command)-1] == "--json")
		isClean(t, command[0], done.stderr, false)
	}
	for name, lines := range map[string]bool{"report.ndjson": true, "report.html": false, "site/sitemap.xml": false} {
		content, err := os.ReadFile(strings.Replace(filepath.Join(n.home, name), filepath.Join(n.home, "site"), root, 1))
		must(t, err)
		isClean(t, name, strings.ReplaceAll(string(content), "\t", " "), lines)
	}
	n.configureHostile(t)
}

// configureHostile puts such texts into the owner's configuration.
func (n *intrusion) configureHostile(t *testing.T) {
	t.Helper()
	values := []string{
		"base_url: \"https://www.example.com/TEXT\"", "nonsenseTEXT: 1", "include: ['TEXT[']", "lastmod_ignore: ['TEXT(']", "rules: [{match: x, section: 'TEXT'}]",
		"output: {root: 'TEXT'}", "output: {dir: '../TEXT'}", "urls: {charset: 'TEXT'}", "submit: {indexnow: {key: 0123456789abcdef, endpoint: 'https://x.example/TEXT'}}",
		"submit: {ping: ['https://x.example/TEXT']}", "extra_urls: ['TEXT']",
	}
	texts := hostileTexts
	if !everything {
		texts = []string{hostileTexts[0], hostileTexts[2], hostileTexts[4]}
	}
	for _, text := range texts {
		for _, value := range values {
			content := strings.ReplaceAll(value, "TEXT", strings.ReplaceAll(text, "\n", " "))
			if !strings.Contains(value, "base_url") {
				content = "base_url: https://www.example.com/\n" + content
			}
			writeFile(t, n.config, content+"\n")
			commands := [][]string{{"build", "--dry-run"}}
			if strings.Contains(value, "submit") {
				commands = append(commands, []string{"submit", "--dry-run"}, []string{"submit", "--dry-run", "--json"})
			}
			for _, command := range commands {
				done := n.run(t, value, append(command, "-c", n.config, "--docroot", n.docroot, "--state", filepath.Join(n.home, "state"))...)
				isClean(t, value, done.stdout, false)
				isClean(t, value, done.stderr, false)
			}
		}
	}
}

// isClean fails the test unless text is UTF-8 without anything that does not show, in
// lines that are JSON if that is asked for.
func isClean(t *testing.T, what, text string, lines bool) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%s: is not UTF-8: %.500q", what, text)
	}
	for i, r := range text {
		if r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co)) {
			t.Errorf("%s: prints %U: %q", what, r, text[max(0, i-80):i])
			return
		}
	}
	if strings.Contains(text, "\nforged: ") {
		t.Errorf("%s: a line is forged: %s", what, text)
	}
	if !lines {
		return
	}
	for line := range strings.Lines(text) {
		if !json.Valid([]byte(line)) {
			t.Errorf("%s: is no JSON: %s", what, line)
		}
	}
}
