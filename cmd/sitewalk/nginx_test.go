//go:build unix

package main

import (
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// serve has a real nginx serve a docroot on a free port of 127.0.0.1, with the
// given lines in its location /, and returns its base URL.
func serve(t *testing.T, docroot, location string) string {
	t.Helper()
	nginx := program(t, "nginx")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	dir := t.TempDir()
	config := fmt.Sprintf(`daemon off; master_process off; pid %[1]s/pid; error_log stderr;
events {}
http {
	access_log off; default_type application/octet-stream;
	client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/fastcgi; uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;
	server { listen %[2]s; root %[3]s; location / { index index.html; %[4]s } }
}
`, dir, address, docroot, location)
	file := filepath.Join(dir, "nginx.conf")
	writeFile(t, file, config)
	cmd := exec.Command(nginx, "-p", dir, "-c", file)
	cmd.Env = cleanEnv()
	var log strings.Builder
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		wait(t, cmd)
		if t.Failed() {
			t.Logf("nginx says:\n%s", log.String())
		}
	})
	until(t, "nginx", func() bool {
		connection, err := net.Dial("tcp", address)
		if err == nil {
			connection.Close()
		}
		return err == nil
	})
	return "http://" + address + "/"
}

// checkServed fetches every listed URL, and demands the bytes and the date of one
// of the wanted files, each of which must be had by one URL.
func checkServed(t *testing.T, docroot string, set *publishedSet, wanted []string) {
	t.Helper()
	lacking := map[string]string{} // content → name
	for _, name := range wanted {
		lacking[readFile(t, filepath.Join(docroot, name))] = name
	}
	client := &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer client.CloseIdleConnections()
	for _, page := range set.pages {
		response, content, err := fetch(client, page.Loc)
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", page.Loc, response.Status)
			continue
		}
		name, found := lacking[content]
		if !found {
			t.Errorf("%s: answers with %q, which is no file that lacks a URL", page.Loc, content)
			continue
		}
		delete(lacking, content)
		modified, err := http.ParseTime(response.Header.Get("Last-Modified"))
		if err != nil {
			t.Errorf("%s: %v", page.Loc, err)
		} else if want := modified.Format("2006-01-02T15:04:05+00:00"); page.LastMod != want {
			t.Errorf("%q: lastmod is %s, and the server says %s", name, page.LastMod, want)
		}
	}
	for _, name := range lacking {
		t.Errorf("%q is listed under no URL that leads to it", name)
	}
}

// fetch gets a URL, every byte of which goes over the wire as it is.
func fetch(client *http.Client, loc string) (*http.Response, string, error) {
	host, path, _ := strings.Cut(strings.TrimPrefix(loc, "http://"), "/")
	request := &http.Request{Method: http.MethodGet, URL: &url.URL{Scheme: "http", Host: host, Opaque: "/" + path}}
	response, err := client.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return response, string(content), err
}

// nastyNames are names of files and folders, without an extension, that have
// gone wrong somewhere.
var nastyNames = []string{
	"two words", " leading space", "trailing space ", "100% true", "50%", "%", "c#", "why?", `"quoted"`, "it's",
	"a<b", "a>b", "bread & rolls", "&amp;", `back\slash`, "new\nline", "carriage\rreturn", "tab\tbed", "bell\a",
	"escape\x1b[31mred", "\x01\x02\x1f", "delete\x7f", "caf\xe9", "\xff\xfe", "\xc3", "caf\u00e9", "cafe\u0301",
	"\U0001f968 pretzel", "\u65e5\u672c\u8a9e", "\u202egnp", "a%20b", "a b", "%2F", "%2e%2e", "%00", "%C3%A9", "a+b", "a;b", "a;jsessionid=1",
	"a:b", "javascript:x", "a@b", "a=b", "a,b", "a!b", "a$b", "a*b", "(a)", "[a]", "{a}", "a|b", "a^b", "`a`", "a~b",
	"trailing.", "two..dots", "-leading-dash", "--help", strings.Repeat("n", 200), strings.Repeat("\u00fc", 100), "]]>", "<!--", "http:",
}

// nastyDocroot makes pages of nasty names, in nasty folders too, and returns
// their names.
func nastyDocroot(t *testing.T, docroot string) []string {
	t.Helper()
	names := []string{"index.html"}
	for i, name := range nastyNames {
		names = append(names, name+".html", name+"-folder/index.html", name+"-folder/"+nastyNames[(i*7+3)%len(nastyNames)]+".html")
	}
	names = append(names, "deep\n/er %/\xe9t\xe9/\u00e9/\"'/index.html")
	writePages(t, docroot, names...)
	return names
}

func TestEveryNastyNameIsServedUnderItsURL(t *testing.T) {
	docroot := publicDir(t)
	names := nastyDocroot(t, docroot)
	base := serve(t, docroot, "")
	done := build(t, "--docroot", docroot, "--base-url", base)
	p := protocol09
	p.scope = base
	set := checkSet(t, docroot, p)
	if len(set.pages) != len(names) {
		t.Errorf("%d pages are listed, of %d\n%s", len(set.pages), len(names), done.stdout)
	}
	checkServed(t, docroot, set, names)
}

func TestNastyNamesWithoutExtensionAreServedUnderTheirURL(t *testing.T) {
	docroot := publicDir(t)
	names := nastyNames
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return strings.HasSuffix(name, "~") })
	writePages(t, docroot, names...)
	base := serve(t, docroot, "")
	config := filepath.Join(t.TempDir(), "sitewalk.yaml")
	writeFile(t, config, "include: ['**']\noutput: {gzip: all}\n")
	build(t, "-c", config, "--docroot", docroot, "--base-url", base)
	p := protocol09
	p.scope = base
	checkServed(t, docroot, checkSet(t, docroot, p), names)
}

func TestStrippedURLsAreServedWithoutRedirect(t *testing.T) {
	docroot := publicDir(t)
	var names []string
	for i, name := range nastyNames {
		names = append(names, name+".html", fmt.Sprintf("%s-folder/index.html", nastyNames[len(nastyNames)-1-i]))
	}
	names = append(names, "index.html", "version-1.2.html", "a/b/c/index.html", "a/b/d.html")
	writePages(t, docroot, names...)
	base := serve(t, docroot, "try_files $uri $uri.html $uri/index.html =404;")
	config := filepath.Join(t.TempDir(), "sitewalk.yaml")
	writeFile(t, config, "urls: {extension: strip, slash: never}\n")
	build(t, "-c", config, "--docroot", docroot, "--base-url", base)
	p := protocol09
	p.scope = base
	set := checkSet(t, docroot, p)
	for _, page := range set.pages {
		if strings.HasSuffix(page.Loc, "/") && page.Loc != base || strings.HasSuffix(page.Loc, ".html") {
			t.Errorf("%s is not stripped", page.Loc)
		}
	}
	checkServed(t, docroot, set, names)
}

func TestEveryPageOfTheHugoSiteIsServedUnderItsURL(t *testing.T) {
	docroot := buildHugo(t)
	var names []string
	date := firstDate
	err := filepath.WalkDir(docroot, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".html") || entry.Name() == "404.html" {
			return err
		}
		name := strings.TrimPrefix(path, docroot+"/")
		// Hugo's lists are alike in more than one language: the name tells them apart.
		content := readFile(t, path) + "<!-- " + name + " -->\n"
		names, date = append(names, name), date.Add(time.Hour)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return err
		}
		return os.Chtimes(path, date, date)
	})
	if err != nil {
		t.Fatal(err)
	}
	base := serve(t, docroot, "")
	build(t, "--docroot", docroot, "--base-url", base)
	p := protocol09
	p.scope = base
	checkServed(t, docroot, checkSet(t, docroot, p), names)
}
