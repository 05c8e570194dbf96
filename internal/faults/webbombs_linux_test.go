package faults

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestBombsOnTheWeb has a server drip bytes, send without an end, and send what expands
// without an end.
func TestBombsOnTheWeb(t *testing.T) {
	member := gzippedOften("", strings.Repeat(" ", 1<<20), 16, "")
	stop := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/silent"):
			<-stop
		case strings.HasPrefix(r.URL.Path, "/drip"):
			_, _ = io.WriteString(w, sitemapStart)
			for {
				if _, err := io.WriteString(w, " "); err != nil {
					return
				}
				w.(http.Flusher).Flush()
				select {
				case <-stop:
					return
				case <-time.After(20 * time.Millisecond):
				}
			}
		case strings.HasPrefix(r.URL.Path, "/expands"):
			_, _ = io.WriteString(w, gzipped(sitemapStart))
			for range 10_000 {
				if _, err := io.WriteString(w, member); err != nil {
					return
				}
			}
		case strings.HasPrefix(r.URL.Path, "/endless"):
			_, _ = io.WriteString(w, sitemapStart)
			for {
				if _, err := io.WriteString(w, strings.Repeat(onePage, 1000)); err != nil {
					return
				}
			}
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(func() {
		close(stop)
		server.Close()
	})
	for _, test := range []struct {
		path    string
		timeout string
		says    map[int]string // by the exit codes that there may be
	}{
		{"/silent.xml", "2s", map[int]string{1: "within 2s"}},
		{"/drip.xml", "2s", map[int]string{1: "within 2s"}},
		{"/expands.xml.gz", "60s", map[int]string{5: "has a tag, text or comment of more than"}},
		// What is too large may be seen before the time is over, or not.
		{"/endless.xml", "2s", map[int]string{1: "within 2s", 5: ""}},
	} {
		t.Run(test.path, func(t *testing.T) {
			t.Parallel()
			done := measure(t, command(t, "check", server.URL+test.path, "--timeout", test.timeout))
			says, expected := test.says[done.code]
			if !expected || !strings.Contains(done.stdout+done.stderr, says) {
				t.Errorf("ends not with %v: %v", test.says, done)
			}
			done.wantWithin(t, maxBombMemory)
		})
	}
	// A server that answers headers without an end.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer connection.Close()
				_, err := io.WriteString(connection, "HTTP/1.1 200 OK\r\n")
				for err == nil {
					_, err = io.WriteString(connection, "X-Filler: "+strings.Repeat("x", 4096)+"\r\n")
				}
			}()
		}
	}()
	done := measure(t, command(t, "check", "http://"+listener.Addr().String()+"/sitemap.xml", "--timeout", "20s"))
	if done.code != 1 || done.memory > maxBombMemory<<20 {
		t.Errorf("headers without an end: %v", done)
	}
}
