package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// site serves a site whose pages and sitemaps name it as HOST.
type site struct {
	*httptest.Server
	requests atomic.Int64
}

// serve serves files by path. The handlers of others are asked first.
func serve(t *testing.T, files map[string]string, others map[string]http.HandlerFunc) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		if handle, found := others[r.URL.Path]; found {
			handle(w, r)
			return
		}
		content, found := files[r.URL.Path]
		if !found {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/xml")
		if strings.HasSuffix(r.URL.Path, ".txt") {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		}
		io.WriteString(w, s.named(content))
	}))
	t.Cleanup(s.Close)
	return s
}

// named returns a content with the site's own origin for that of the examples.
func (s *site) named(content string) string {
	return strings.ReplaceAll(content, "https://www.example.com", s.URL)
}

func (s *site) options(path string) Options {
	return Options{Target: s.URL + path, Client: localClient(), Idle: 10 * time.Second}
}

// localClient returns a client that reaches nothing but this machine.
func localClient() *http.Client {
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if !strings.HasPrefix(address, "127.0.0.1:") {
				return nil, errors.New("tests make no requests to " + address)
			}
			return (&net.Dialer{}).DialContext(ctx, network, address)
		},
	}}
}

// codesOf returns the codes of findings, sorted.
func codesOf(found []Finding) []Code {
	var codes []Code
	for _, f := range found {
		codes = append(codes, f.Code)
	}
	slices.Sort(codes)
	return codes
}

var vouchedFor = "Sitemap: https://www.example.com/sitemap.xml\n"

func TestWebSets(t *testing.T) {
	header := func(content string, pairs ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/xml")
			for i := 0; i < len(pairs); i += 2 {
				w.Header().Set(pairs[i], pairs[i+1])
			}
			io.WriteString(w, content)
		}
	}
	redirect := func(to string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
	}
	// A page of another site, so that what is compressed needs no site's name.
	const list = "http://127.0.0.1:1/a\n"
	zipped := compressed(t, list)
	good := map[string]string{
		"/robots.txt": vouchedFor, "/sitemap.xml": index("a.xml", "b.xml"), "/a.xml": urlset("a"), "/b.xml": urlset("b"),
	}
	with := func(path, content string) map[string]string {
		files := map[string]string{}
		for name, content := range good {
			files[name] = content
		}
		files[path] = content
		return files
	}
	for name, test := range map[string]struct {
		files  map[string]string
		others map[string]http.HandlerFunc
		path   string
		want   []Code
	}{
		"good":                       {files: good, path: "/sitemap.xml"},
		"discovered":                 {files: good, path: "/"},
		"discovered, bare":           {files: good, path: ""},
		"discovered without robots":  {files: with("/robots.txt", ""), path: "/", want: []Code{RobotsMissing}},
		"a shard":                    {files: good, path: "/a.xml", want: []Code{RobotsMissing}},
		"continued":                  {files: with("/sitemap.xml", continued(index("a.xml"), "b.xml")), path: "/sitemap.xml", want: []Code{RobotsMissing}},
		"continued in nothing":       {files: with("/sitemap.xml", continued(index("a.xml"), "x.xml")), path: "/sitemap.xml", want: []Code{MissingIndex}},
		"continued elsewhere":        {files: with("/sitemap.xml", continued(index("a.xml"), "../x.xml")), path: "/sitemap.xml", want: []Code{MissingIndex}},
		"list":                       {files: map[string]string{"/robots.txt": strings.Replace(vouchedFor, "xml", "txt", 1), "/sitemap.txt": "https://www.example.com/a\n"}, path: "/sitemap.txt"},
		"shard is not there":         {files: with("/sitemap.xml", index("a.xml", "c.xml")), path: "/sitemap.xml", want: []Code{MissingShard}},
		"shard on another host":      {files: with("/sitemap.xml", strings.Replace(index("a.xml", "b.xml"), "www.example.com/b", "cdn.example.com/b", 1)), path: "/sitemap.xml", want: []Code{ShardHost}},
		"robots names another":       {files: with("/robots.txt", "Sitemap: https://www.example.com/b.xml"), path: "/sitemap.xml", want: []Code{RobotsMissing}},
		"robots names nothing":       {files: with("/robots.txt", vouchedFor+"Sitemap: https://www.example.com/none.xml"), path: "/sitemap.xml", want: []Code{RobotsGone}},
		"robots names another host":  {files: with("/robots.txt", "Sitemap: https://staging.example.com/sitemap.xml"), path: "/sitemap.xml", want: []Code{RobotsElsewhere}},
		"robots names all":           {files: with("/robots.txt", vouchedFor+"Sitemap: https://www.example.com/a.xml\nSitemap: https://www.example.com/b.xml"), path: "/"},
		"robots names a shard first": {files: with("/robots.txt", "Sitemap: https://www.example.com/b.xml\n"+vouchedFor), path: "/"},
		"sitemap below, not vouched": {files: map[string]string{"/maps/sitemap.xml": urlset("a")}, path: "/maps/sitemap.xml", want: []Code{LocScope, RobotsMissing}},
		"sitemap below, vouched": {files: map[string]string{"/maps/sitemap.xml": urlset("a"),
			"/robots.txt": "Sitemap: https://www.example.com/maps/sitemap.xml"}, path: "/maps/sitemap.xml"},
		"redirected": {files: good, others: map[string]http.HandlerFunc{"/old.xml": redirect("/sitemap.xml")}, path: "/old.xml", want: []Code{Redirected}},
		"shard redirected": {files: with("/sitemap.xml", index("old.xml")), others: map[string]http.HandlerFunc{"/old.xml": redirect("/a.xml")},
			path: "/sitemap.xml", want: []Code{Redirected}},
		"shard redirected elsewhere": {files: with("/sitemap.xml", index("old.xml")), others: map[string]http.HandlerFunc{"/old.xml": redirect("http://127.0.0.1:1/")},
			path: "/sitemap.xml", want: []Code{RedirectHost}},
		"shard redirected for ever": {files: with("/sitemap.xml", index("old.xml")), others: map[string]http.HandlerFunc{"/old.xml": redirect("/old.xml")},
			path: "/sitemap.xml", want: []Code{MissingShard}},
		"wrong type": {files: with("/sitemap.xml", index("a.xml", "c.xml")), others: map[string]http.HandlerFunc{"/c.xml": header("<html></html>", "Content-Type", "text/html")},
			path: "/sitemap.xml", want: []Code{ContentType, RootElement}},
		"compressed on the way": {files: with("/sitemap.xml", index("c.txt")), others: map[string]http.HandlerFunc{"/c.txt": header(zipped, "Content-Encoding", "gzip", "Content-Type", "text/plain")},
			path: "/sitemap.xml", want: []Code{LocScope}},
		"compressed file": {files: with("/sitemap.xml", index("c.txt.gz")), others: map[string]http.HandlerFunc{"/c.txt.gz": header(zipped, "Content-Type", "application/gzip")},
			path: "/sitemap.xml", want: []Code{LocScope}},
		"compressed file with an encoding": {files: with("/sitemap.xml", index("c.txt.gz")), others: map[string]http.HandlerFunc{"/c.txt.gz": header(zipped, "Content-Encoding", "x-gzip", "Content-Type", "text/plain")},
			path: "/sitemap.xml", want: []Code{LocScope}},
		"compressed twice": {files: with("/sitemap.xml", index("c.txt.gz")), others: map[string]http.HandlerFunc{"/c.txt.gz": header(compressed(t, zipped), "Content-Encoding", "gzip", "Content-Type", "application/gzip")},
			path: "/sitemap.xml", want: []Code{LocScope}},
		"compressed without a word": {files: with("/sitemap.xml", index("c.txt")), others: map[string]http.HandlerFunc{"/c.txt": header(zipped, "Content-Type", "text/plain")},
			path: "/sitemap.xml", want: []Code{Gzip, LocScope}},
		"said to be compressed": {files: with("/sitemap.xml", index("c.txt")), others: map[string]http.HandlerFunc{"/c.txt": header(list, "Content-Encoding", "gzip", "Content-Type", "text/plain")},
			path: "/sitemap.xml", want: []Code{ContentEncoding, LocScope}},
		"compressed otherwise": {files: with("/sitemap.xml", index("c.txt")), others: map[string]http.HandlerFunc{"/c.txt": header("\x8b\x01\x80", "Content-Encoding", "br", "Content-Type", "text/plain")},
			path: "/sitemap.xml", want: []Code{ContentEncoding, Encoding}},
		"damaged": {files: with("/sitemap.xml", index("c.txt.gz")), others: map[string]http.HandlerFunc{"/c.txt.gz": header(zipped[:len(zipped)-3], "Content-Type", "application/gzip")},
			path: "/sitemap.xml", want: []Code{Gzip, LocScope}},
		"cut off": {files: with("/sitemap.xml", index("c.txt")), others: map[string]http.HandlerFunc{"/c.txt": header(list, "Content-Length", "1000", "Content-Type", "text/plain")},
			path: "/sitemap.xml", want: []Code{LocScope, Unread}},
		"root cut off": {files: map[string]string{"/robots.txt": ""}, others: map[string]http.HandlerFunc{"/c.txt": header(list, "Content-Length", "1000", "Content-Type", "text/plain")},
			path: "/c.txt", want: []Code{LocScope, RobotsMissing, Unread}},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, test.files, test.others)
			_, found := findingsOf(t, s.options(test.path))
			// Where robots.txt is not what the test is about, it names the set.
			if got := codesOf(found); !slices.Equal(got, test.want) {
				t.Errorf("found %+v", found)
			}
		})
	}
}

// TestSetThatCannotBeHad has servers without a sitemap. Each is asked only so often.
func TestSetThatCannotBeHad(t *testing.T) {
	for name, test := range map[string]struct {
		handle   http.HandlerFunc
		path     string
		requests int64
	}{
		"nothing there":    {http.NotFound, "/sitemap.xml", 1},
		"nothing anywhere": {http.NotFound, "/", 1 + int64(len(rootNames))},
		"not allowed":      {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }, "/sitemap.xml", 1},
		"in a circle":      {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/sitemap.xml", http.StatusFound) }, "/sitemap.xml", maxRedirects + 1},
		"to a file": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		}, "/sitemap.xml", 1},
		"broken": {func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := w.(http.Hijacker).Hijack()
			io.WriteString(conn, "HTP/1.1\r\n\r\n")
			conn.Close()
		}, "/sitemap.xml", 1},
	} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				test.handle(w, r)
			}))
			defer server.Close()
			_, err := Run(t.Context(), Options{Target: server.URL + test.path, Client: localClient()})
			if !errors.Is(err, ErrAbsent) {
				t.Errorf("the error is %v", err)
			}
			if n := requests.Load(); n != test.requests {
				t.Errorf("%d requests", n)
			}
		})
	}
	server := httptest.NewServer(nil)
	server.Close()
	if _, err := Run(t.Context(), Options{Target: server.URL + "/sitemap.xml", Client: localClient()}); !errors.Is(err, ErrAbsent) {
		t.Errorf("without a server the error is %v", err)
	}
}

// TestSilentServersAreLeft has one that accepts a request and sends nothing, or nothing
// more.
func TestSilentServersAreLeft(t *testing.T) {
	for name, begins := range map[string]bool{"from the beginning": false, "later": true} {
		t.Run(name, func(t *testing.T) {
			released := make(chan struct{})
			s := serve(t, map[string]string{"/sitemap.xml": index("a.xml"), "/robots.txt": vouchedFor}, map[string]http.HandlerFunc{
				"/a.xml": func(w http.ResponseWriter, r *http.Request) {
					if begins {
						w.Header().Set("Content-Type", "text/xml")
						io.WriteString(w, "<urlset>")
						w.(http.Flusher).Flush()
					}
					select {
					case <-released:
					case <-r.Context().Done():
					}
				},
			})
			defer close(released)
			options := s.options("/sitemap.xml")
			options.Idle = 100 * time.Millisecond
			_, found := findingsOf(t, options)
			want := MissingShard
			if begins {
				want = Unread
			}
			codes := codesOf(found)
			if !slices.Contains(codes, want) || !strings.Contains(fmt.Sprint(found), errSilence.Error()) {
				t.Errorf("found %+v", found)
			}
		})
	}
}

// TestEndlessAnswersEnd has a sitemap without end, and a context that does end.
func TestEndlessAnswersEnd(t *testing.T) {
	started := make(chan struct{}, 1)
	s := serve(t, map[string]string{"/sitemap.xml": index("a.xml"), "/robots.txt": vouchedFor}, map[string]http.HandlerFunc{
		"/a.xml": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "<urlset xmlns=%q>", namespace09)
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat(" ", 1000)+"<url/>"); err != nil {
					return
				}
				select {
				case started <- struct{}{}:
				default:
				}
			}
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		<-started
		cancel()
	}()
	if _, err := Run(ctx, s.options("/sitemap.xml")); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// TestOtherHostsMayVouch lists pages of a second site, whose robots.txt names the set
// of the first, or does not.
func TestOtherHostsMayVouch(t *testing.T) {
	for name, vouches := range map[string]bool{"vouches": true, "does not": false} {
		t.Run(name, func(t *testing.T) {
			var first *site
			second := serve(t, nil, map[string]http.HandlerFunc{"/robots.txt": func(w http.ResponseWriter, _ *http.Request) {
				if vouches {
					fmt.Fprintf(w, "Sitemap: %s/sitemap.xml\n", first.URL)
				}
			}})
			first = serve(t, map[string]string{"/robots.txt": vouchedFor}, map[string]http.HandlerFunc{
				"/sitemap.xml": func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "text/xml")
					io.WriteString(w, strings.ReplaceAll(urlset("a", "b", "c"), "https://www.example.com", second.URL))
				}})
			_, found := findingsOf(t, first.options("/sitemap.xml"))
			if vouches != (len(found) == 0) || !vouches && !slices.Equal(codesOf(found), []Code{LocScope, LocScope, LocScope}) {
				t.Errorf("found %+v", found)
			}
			if n := second.requests.Load(); n != 1 {
				t.Errorf("the other host was asked %d times", n)
			}
		})
	}
}

// TestPasswordsAreSentHomeAndNotTold has a site that asks for one.
func TestPasswordsAreSentHomeAndNotTold(t *testing.T) {
	var s *site
	s = serve(t, nil, map[string]http.HandlerFunc{"/sitemap.xml": func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "me" || password != "secret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "text/xml")
		io.WriteString(w, s.named(urlset("a b")))
	}})
	options := s.options("/sitemap.xml")
	options.Target = strings.Replace(options.Target, "://", "://me:secret@", 1)
	result, found := findingsOf(t, options)
	if !slices.Contains(codesOf(found), LocEscaping) || result.Pages != 1 {
		t.Errorf("found %+v", found)
	}
	if strings.Contains(fmt.Sprint(result, found), "secret") {
		t.Errorf("the password is told: %+v", found)
	}
}

// TestPasswordsAreSentToNoOtherHost has a site whose target, or robots.txt, redirects to
// another, which is asked then, and names a sitemap of its own in its robots.txt.
func TestPasswordsAreSentToNoOtherHost(t *testing.T) {
	for name, test := range map[string]struct{ path, redirected string }{
		"target":                        {"/sitemap.xml", "/sitemap.xml"},
		"robots.txt":                    {"/", "/robots.txt"},
		"sitemap that is found by name": {"/", "/sitemap.xml"},
	} {
		t.Run(name, func(t *testing.T) {
			var told, asked atomic.Int64
			other := serve(t, nil, nil)
			other.Config.Handler = watchFor(&told, &asked, other, map[string]string{"/robots.txt": vouchedFor, "/sitemap.xml": index("a.xml"), "/a.xml": urlset("a")})
			var home, homeAsked atomic.Int64
			named := serve(t, nil, nil)
			named.Config.Handler = watchFor(&home, &homeAsked, named, nil, test.redirected, other.URL+test.redirected)
			options := named.options(test.path)
			options.Target = strings.Replace(options.Target, "://", "://me:secret@", 1)
			if result, _ := findingsOf(t, options); result.Pages != 1 {
				t.Errorf("%d pages", result.Pages)
			}
			if told.Load() > 0 || asked.Load() < 3 {
				t.Errorf("of %d requests the other host has the password in %d", asked.Load(), told.Load())
			}
			if home.Load() == 0 || home.Load() != homeAsked.Load() {
				t.Errorf("of %d requests the host that was named has the password in %d", homeAsked.Load(), home.Load())
			}
		})
	}
}

// watchFor serves files and, after them, a redirect, and counts the requests, and those
// with a password.
func watchFor(told, asked *atomic.Int64, s *site, files map[string]string, redirect ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.Header.Get("Authorization") != "" {
			told.Add(1)
		}
		if len(redirect) > 0 && r.URL.Path == redirect[0] {
			http.Redirect(w, r, redirect[1], http.StatusFound)
			return
		}
		content, found := files[r.URL.Path]
		if !found {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/xml")
		io.WriteString(w, s.named(content))
	})
}

// TestPasswordsGoAlongToHTTPS asks a host by https that was named by http, and others.
func TestPasswordsGoAlongToHTTPS(t *testing.T) {
	for loc, want := range map[string]bool{
		"http://www.example.com/sitemap.xml":       true,
		"http://WWW.example.com:80/":               true,
		"https://www.example.com/robots.txt":       true,
		"https://www.example.com:8443/":            false,
		"http://www.example.com:8080/":             false,
		"https://example.com/":                     false,
		"https://www.example.com.elsewhere.test/":  false,
		"http://elsewhere.test/www.example.com/":   false,
		"https://elsewhere.test/?www.example.com/": false,
	} {
		w := &web{user: url.UserPassword("me", "secret"), home: "http://www.example.com", site: originOf(loc), idle: time.Minute}
		sent := false
		w.client.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
			_, _, sent = r.BasicAuth()
			return nil, errors.New("no network")
		})
		if _, err := w.request(t.Context(), loc); err == nil || sent != want {
			t.Errorf("%s: sent %v, %v", loc, sent, err)
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

// TestRobotsLinesLeadNowhereElse has a robots.txt that names a sitemap which redirects to
// another host, as the network's own.
func TestRobotsLinesLeadNowhereElse(t *testing.T) {
	other := serve(t, map[string]string{"/sitemap.xml": urlset("a")}, nil)
	s := serve(t, map[string]string{"/robots.txt": "Sitemap: https://www.example.com/elsewhere.xml\n", "/sitemap.xml": urlset("a", "b")},
		map[string]http.HandlerFunc{"/elsewhere.xml": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/sitemap.xml", http.StatusFound)
		}})
	result, _ := findingsOf(t, s.options("/"))
	if n := other.requests.Load(); n > 0 {
		t.Errorf("the other host was asked %d times", n)
	}
	if result.Pages != 2 { // of the sitemap that is there under a usual name
		t.Errorf("%d pages", result.Pages)
	}
}

func TestATargetThatIsNoURLIsToldWithoutItsPassword(t *testing.T) {
	for _, target := range []string{"https://me:sec%ret@www.example.com/", "https://me:sec/ret@www.example.com/", "https://me:sec@ret@/", "http://me:secret@"} {
		_, err := Run(t.Context(), Options{Target: target, Client: localClient()})
		if !errors.Is(err, ErrAbsent) || strings.Contains(err.Error(), "sec") || strings.Contains(err.Error(), "ret@") {
			t.Errorf("%s: %v", target, err)
		}
	}
}
