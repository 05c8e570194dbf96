package faults

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestBombsOnTheWeb has a server drip bytes, send without an end, and send what expands
// without an end.
func TestBombsOnTheWeb(t *testing.T) {
	program := hostileCommand(t)
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
		path string
		code int
		says string
	}{
		{"/silent.xml", 1, "within 2s"}, {"/drip.xml", 1, "within 2s"}, {"/expands.xml.gz", 5, "has a tag, text or comment of more than"}, {"/endless.xml", 1, "within 2s"},
	} {
		t.Run(test.path, func(t *testing.T) {
			t.Parallel()
			done := runHostile(t, exec.Command(program, "check", server.URL+test.path, "--timeout", "2s"))
			if done.code != test.code && done.code != 5 || !strings.Contains(done.stdout+done.stderr, test.says) && done.code == test.code {
				t.Errorf("ends not with %d, saying %q: %v", test.code, test.says, done)
			}
			if done.memory > maxBombMemory<<20 || done.processor > maxBombTime {
				t.Errorf("takes more than %d MiB or %v: %v", maxBombMemory, maxBombTime, done)
			}
		})
	}
	// A server that answers headers without an end.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	mustHostile(t, err)
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
	done := runHostile(t, exec.Command(program, "check", "http://"+listener.Addr().String()+"/sitemap.xml", "--timeout", "20s"))
	if done.code != 1 || done.memory > maxBombMemory<<20 {
		t.Errorf("headers without an end: %v", done)
	}
}
