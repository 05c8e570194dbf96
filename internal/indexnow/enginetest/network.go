package enginetest

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
)

// A Network is one in memory, so that tests in a bubble of testing/synctest can use it:
// there time passes only while all wait.
type Network struct {
	// Hosts are the servers by host, as in the header Host.
	Hosts map[string]http.Handler

	server http.Server
	line   listener
}

// NewNetwork returns a network of no hosts.
func NewNetwork() *Network {
	n := &Network{Hosts: map[string]http.Handler{}}
	n.line = listener{calls: make(chan net.Conn), closed: make(chan struct{})}
	n.server = http.Server{ErrorLog: log.New(io.Discard, "", 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if host := n.Hosts[r.Host]; host != nil {
			host.ServeHTTP(w, r)
		} else {
			http.Error(w, "no such host", http.StatusNotFound)
		}
	})}
	go func() { _ = n.server.Serve(&n.line) }()
	return n
}

// Client returns a client in the network, which can ask by http only.
func (n *Network) Client() *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: n.dial, DisableKeepAlives: true}}
}

// Close ends all connections.
func (n *Network) Close() { _ = n.server.Close() }

func (n *Network) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case n.line.calls <- there:
		return here, nil
	case <-n.line.closed:
		return nil, errors.New("the network is down")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// listener hands the far ends of pipes to a server.
type listener struct {
	calls  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case call := <-l.calls:
		return call, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *listener) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }
