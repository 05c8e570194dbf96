package faults

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A crawler reads a set again and again, as search engines do: the index, and then each
// shard that it names.
type crawler struct {
	name  string
	fetch func(name string) (string, error)
	// grace is how long after the index was read its shards must be there.
	grace time.Duration

	stop, done chan struct{}
	rounds     int // at least fewestRounds, unless err is set
	shards     int
	late       int // shards that were gone, long after the index was read
	err        error
}

// fewestRounds is how often a set is read at least, also on a machine that is so busy
// that the test is over before.
const fewestRounds = 10

// crawl begins to read, until the test calls end.
func crawl(t *testing.T, name string, grace time.Duration, fetch func(name string) (string, error)) *crawler {
	c := &crawler{name: name, fetch: fetch, grace: grace, stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(c.done)
		stop := c.stop
		for c.err == nil && (stop != nil || c.rounds < fewestRounds) {
			select {
			case <-stop:
				stop = nil
			case <-time.After(time.Millisecond):
				c.err = c.round()
			}
		}
	}()
	return c
}

func (c *crawler) round() error {
	c.rounds++
	begun := time.Now()
	index, err := c.fetch("sitemap.xml")
	if err != nil {
		return err
	}
	names, err := namedShards(index)
	if err != nil {
		return err
	}
	seen := map[string]string{}
	for _, name := range names {
		content, err := c.fetch(name)
		if err != nil && time.Since(begun) > c.grace {
			c.late++
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s, which the index names: %w", name, err)
		}
		locs, err := shardPages(name, content)
		if err != nil {
			return err
		}
		for _, loc := range locs {
			if !strings.HasPrefix(loc, baseURL) || seen[loc] == name {
				return fmt.Errorf("%s lists %q", name, loc)
			}
			seen[loc] = name
		}
		c.shards++
	}
	return nil
}

// end ends the reading, and fails the test if anything was broken.
func (c *crawler) end(t *testing.T) {
	t.Helper()
	close(c.stop)
	<-c.done
	if c.err != nil {
		t.Errorf("%s, round %d: %v", c.name, c.rounds, c.err)
	}
	t.Logf("%s: the index read %d times, %d shards, %d of them too late", c.name, c.rounds, c.shards+c.late, c.late)
}

// fromFolder reads the files of a folder.
func fromFolder(folder string) func(name string) (string, error) {
	return func(name string) (string, error) {
		content, err := os.ReadFile(filepath.Join(folder, name))
		return string(content), err
	}
}

// fromServer asks a web server, behind a socket, for files. It may have no file of that
// name; whatever it sends must be as long as it says.
func fromServer(socket string) func(name string) (string, error) {
	client := &http.Client{Timeout: patience, Transport: &http.Transport{
		DisableCompression: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}}
	return func(name string) (string, error) {
		response, err := client.Get("http://nginx.test/" + name)
		if err != nil {
			return "", err
		}
		defer response.Body.Close()
		content, err := io.ReadAll(response.Body)
		if err == nil && response.StatusCode != http.StatusOK {
			err = errors.New(response.Status)
		}
		return string(content), err
	}
}

// serveSet has a real nginx serve a folder, and returns the socket that it listens to.
func serveSet(t *testing.T, folder string) string {
	t.Helper()
	nginx, dir := program(t, "nginx"), openFolder(t)
	config, socket := filepath.Join(dir, "nginx.conf"), filepath.Join(dir, "socket")
	writeFile(t, config, fmt.Sprintf(`daemon off; master_process off; pid %[1]s/pid; error_log stderr;
events {}
http {
	access_log off; sendfile on;
	client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/fastcgi; uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;
	server { listen unix:%[2]s; root %[3]s; }
}
`, dir, socket, folder))
	cmd := exec.Command(nginx, "-p", dir, "-c", config)
	cmd.SysProcAttr = bound()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	must(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-ended
	})
	for end := time.Now().Add(patience); ; {
		connection, err := net.Dial("unix", socket)
		if err == nil {
			connection.Close()
			return socket
		}
		select {
		case <-ended:
			t.Fatalf("nginx has ended: %v", &stderr)
		case <-time.After(time.Millisecond):
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}
