package previous

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// serve serves files, and runs a function instead where one is given. It
// returns the server's URL, without a slash at the end.
func serve(t *testing.T, files map[string]string, functions map[string]http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if function := functions[r.URL.Path]; function != nil {
			function(w, r)
			return
		}
		content, found := files[r.URL.Path]
		if !found {
			http.NotFound(w, r)
			return
		}
		w.Write([]byte(strings.ReplaceAll(content, "HOST", "http://"+r.Host)))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusMovedPermanently) }
}

func TestSetOnTheWebIsRead(t *testing.T) {
	at := serve(t, map[string]string{
		"/docs/sitemap.xml":         index("<!-- continued in sitemap-index-2.xml -->", "HOST/docs/a.xml.gz", "HOST/b.xml?x=1&amp;y"),
		"/docs/a.xml.gz":            compress(urlset(map[string]int{"a": 1})),
		"/b.xml":                    urlset(map[string]int{"b": 2}),
		"/docs/sitemap-index-2.xml": index("", "HOST/docs/c.xml"),
		"/docs/c.xml":               urlset(map[string]int{"c": 3}),
	}, map[string]http.HandlerFunc{"/moved.xml": redirect("/docs/sitemap.xml")})
	days := map[string]int{"a": 1, "b": 2, "c": 3}
	want(t, read(t, at+"/docs/sitemap.xml", Options{}), days)
	want(t, read(t, at+"/docs/sitemap.xml?version=2#top", Options{}), days)
	want(t, read(t, at+"/moved.xml", Options{}), days)
	want(t, read(t, "HTTP"+strings.TrimPrefix(at, "http")+"/b.xml", Options{}), map[string]int{"b": 2})
}

func TestCompressionOnTheWayIsUndone(t *testing.T) {
	sitemap := urlset(map[string]int{"a": 1})
	encoded := func(content string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write([]byte(content))
		}
	}
	at := serve(t, nil, map[string]http.HandlerFunc{
		"/once.xml":     encoded(compress(sitemap)),
		"/twice.xml.gz": encoded(compress(compress(sitemap))),
		"/lie.xml":      encoded(sitemap),
	})
	for _, path := range []string{"/once.xml", "/twice.xml.gz", "/lie.xml"} {
		want(t, read(t, at+path, Options{}), map[string]int{"a": 1})
	}
}

func TestWebLeadsToNoOtherSite(t *testing.T) {
	other := serve(t, map[string]string{"/secret.xml": urlset(map[string]int{"secret": 1})}, nil)
	at := serve(t, map[string]string{
		"/index.xml":    index("", other+"/secret.xml"),
		"/https.xml":    index("", "https://HOST/secret.xml"),
		"/relative.xml": index("", "/secret.xml"),
		"/file.xml":     index("", "file:///etc/passwd"),
		"/bad.xml":      index("", "http://%zz/"),
		"/nested.xml":   index("", "HOST/relative.xml"),
		"/via.xml":      index("", "HOST/away.xml"),
		"/circle.xml":   index("<!-- continued in circle.xml -->"),
		"/up.xml":       index("<!-- continued in ../secret.xml -->"),
		"/gone.xml":     index("", "HOST/missing.xml"),
		"/page.xml":     "<!DOCTYPE html><html></html>",
	}, map[string]http.HandlerFunc{
		"/away.xml":     redirect(other + "/secret.xml"),
		"/endless.xml":  redirect("/endless.xml"),
		"/password.xml": redirect("http://user:hunter2@" + strings.TrimPrefix(other, "http://") + "/secret.xml"),
		"/broken.xml":   func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"/none.xml":     func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) },
	})
	for path, why := range map[string]string{
		"/index.xml": "is on another site", "/https.xml": "is on another site", "/relative.xml": "is on another site", "/file.xml": "is on another site",
		"/bad.xml": "is not a URL", "/nested.xml": "is an index", "/via.xml": "redirects to another site", "/away.xml": "redirects to another site",
		"/password.xml": "redirects to another site", "/endless.xml": "redirects more than 10 times", "/circle.xml": "in a circle",
		"/up.xml": "is not the name of a file", "/gone.xml": "/missing.xml: the server answers 404", "/page.xml": `the root element is "html"`,
		"/broken.xml": "the server answers 500", "/none.xml": "the server answers 204",
	} {
		refuse(t, at+path, Options{}, why)
	}
	refuse(t, "http://", Options{}, "is not the URL of a sitemap")
	refuse(t, "http://[::1/", Options{}, "is not the URL of a sitemap")
}

func TestOnlyAMissingRootIsNoSet(t *testing.T) {
	at := serve(t, map[string]string{"/sitemap.xml": index("", "HOST/missing.xml")}, nil)
	if _, err := Read(context.Background(), at+"/nothing.xml", Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Read(context.Background(), at+"/sitemap.xml", Options{}); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestPasswordIsSentToTheSiteAndToldToNobody(t *testing.T) {
	protect := func(content string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if user, password, _ := r.BasicAuth(); user != "user" || password != "hunter2" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			w.Write([]byte(strings.ReplaceAll(content, "HOST", "http://"+r.Host)))
		}
	}
	at := serve(t, nil, map[string]http.HandlerFunc{
		"/sitemap.xml":         protect(index("<!-- continued in sitemap-index-2.xml -->", "HOST/a.xml")),
		"/a.xml":               protect(urlset(map[string]int{"a": 1})),
		"/sitemap-index-2.xml": protect(index("", "HOST/missing.xml")),
		"/missing.xml":         protect("no sitemap"),
	})
	refuse(t, at+"/sitemap.xml", Options{}, "401")
	location := "http://user:hunter2@" + strings.TrimPrefix(at, "http://") + "/sitemap.xml"
	refuse(t, location, Options{}, "/missing.xml:1:1: malformed XML")
	_, err := Read(context.Background(), location, Options{})
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Error(err)
	}
}

// TestRedirectMayLeadToHTTPS has a client that reaches one server under the
// ports of http and https.
func TestRedirectMayLeadToHTTPS(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/back.xml":
			http.Redirect(w, r, "http://h.test/sitemap.xml", http.StatusFound)
		case r.TLS == nil && r.URL.Path == "/www.xml":
			http.Redirect(w, r, "https://www.h.test/sitemap.xml", http.StatusFound)
		case r.TLS == nil:
			http.Redirect(w, r, "https://H.test:443"+r.URL.Path, http.StatusFound)
		case r.URL.Path == "/sitemap.xml":
			w.Write([]byte(index("", "https://h.test/a.xml")))
		case r.URL.Path == "/a.xml":
			w.Write([]byte(urlset(map[string]int{"a": 1})))
		}
	})
	plain, secure := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	defer plain.Close()
	defer secure.Close()
	servers := map[string]string{":80": plain.URL, ":443": secure.URL}
	transport := secure.Client().Transport.(*http.Transport).Clone()
	transport.TLSClientConfig.ServerName = "example.com" // which the test's certificate is for
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		server, err := url.Parse(servers[address[strings.LastIndexByte(address, ':'):]])
		if err != nil {
			return nil, err
		}
		return new(net.Dialer).DialContext(ctx, network, server.Host)
	}
	client := &http.Client{Transport: transport}
	want(t, read(t, "http://h.test/sitemap.xml", Options{Client: client}), map[string]int{"a": 1})
	refuse(t, "https://h.test/back.xml", Options{Client: client}, "redirects to another site")
	refuse(t, "http://h.test/www.xml", Options{Client: client}, "redirects to another site")
}

func TestContextEndsASlowServer(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	at := serve(t, nil, map[string]http.HandlerFunc{"/sitemap.xml": func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("<urlset>"))
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
	}})
	if _, err := Read(ctx, at+"/sitemap.xml", Options{}); err != context.Canceled {
		t.Error(err)
	}
}
