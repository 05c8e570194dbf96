// Package enginetest has a search engine that plays the protocol of
// https://www.indexnow.org/documentation to the letter, and a network in memory to
// reach it by, for tests.
package enginetest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// An Engine is the endpoint of a search engine. Its zero value looks for key files in
// the real network.
type Engine struct {
	// Client is what the engine looks for key files with; nil is http.DefaultClient.
	Client *http.Client
	// Trusting has it answer 202, and leave the key file for later.
	Trusting bool

	mutex    sync.Mutex
	script   []http.HandlerFunc
	batches  [][]string
	requests int
	pings    []string
}

// Then has the next requests answered otherwise than by the protocol, each by the next
// of some handlers; nil stands for the protocol.
func (e *Engine) Then(answers ...http.HandlerFunc) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.script = append(e.script, answers...)
}

// Reset has it answer by the protocol again, whatever was to come.
func (e *Engine) Reset() {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.script = nil
}

// Batches returns the URLs of the batches that were accepted, since it was last called.
func (e *Engine) Batches() [][]string {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	batches := e.batches
	e.batches = nil
	return batches
}

// URLs returns the URLs that were accepted since Batches or it was last called.
func (e *Engine) URLs() []string { return slices.Concat(e.Batches()...) }

// Requests returns the number of requests so far.
func (e *Engine) Requests() int {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	return e.requests
}

// Pings returns what sitemaps it was told of by GET, since it was last called.
func (e *Engine) Pings() []string {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	pings := e.pings
	e.pings = nil
	return pings
}

// ServeHTTP answers a request.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mutex.Lock()
	e.requests++
	var answer http.HandlerFunc
	if len(e.script) > 0 {
		answer, e.script = e.script[0], e.script[1:]
	}
	e.mutex.Unlock()
	if answer == nil {
		answer = e.Accept
	}
	answer(w, r)
}

// submission is the body of a request, which has these keys and no others.
type submission struct {
	Host        string   `json:"host"`
	Key         string   `json:"key"`
	KeyLocation string   `json:"keyLocation"`
	URLList     []string `json:"urlList"`
}

// maxURLs is the number of URLs of a request, by the protocol.
const maxURLs = 10_000

var keyForm = regexp.MustCompile(`^[a-zA-Z0-9-]{8,128}$`)

// Accept answers a request by the protocol: a ping, or a submission.
func (e *Engine) Accept(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		e.mutex.Lock()
		e.pings = append(e.pings, r.URL.Query().Get("sitemap"))
		e.mutex.Unlock()
		return
	}
	status, said := e.judge(r)
	w.WriteHeader(status)
	fmt.Fprintln(w, said)
}

func (e *Engine) judge(r *http.Request) (status int, said string) {
	kind, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if r.Method != http.MethodPost || err != nil || kind != "application/json" || !strings.EqualFold(parameters["charset"], "utf-8") {
		return http.StatusBadRequest, "not a POST of JSON in UTF-8"
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return http.StatusBadRequest, "cut short"
	}
	var sent submission
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&sent); err != nil {
		return http.StatusBadRequest, err.Error()
	}
	if len(sent.URLList) == 0 || len(sent.URLList) > maxURLs {
		return http.StatusBadRequest, fmt.Sprintf("%d URLs", len(sent.URLList))
	}
	location, err := url.Parse(sent.KeyLocation)
	if err != nil || !keyForm.MatchString(sent.Key) || location.Host != sent.Host {
		return http.StatusUnprocessableEntity, "the key does not match"
	}
	folder := path.Dir(location.Path)
	seen := map[string]bool{}
	for _, text := range sent.URLList {
		u, err := url.Parse(text)
		if err != nil || u.Host != sent.Host || !strings.HasPrefix(u.Path, strings.TrimSuffix(folder, "/")+"/") {
			return http.StatusUnprocessableEntity, fmt.Sprintf("%q is not of the host, or not in the folder", text)
		}
		if seen[text] {
			return http.StatusBadRequest, fmt.Sprintf("%q is there twice", text)
		}
		seen[text] = true
	}
	if e.Trusting {
		return e.take(http.StatusAccepted, sent.URLList), "to be looked at"
	}
	if held, err := e.keyAt(sent.KeyLocation); err != nil || held != sent.Key {
		return http.StatusForbidden, fmt.Sprintf("key file: %.100q, %v", held, err)
	}
	return e.take(http.StatusOK, sent.URLList), "thanks"
}

func (e *Engine) take(status int, urls []string) int {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.batches = append(e.batches, urls)
	return status
}

// keyAt returns what the file at a URL holds.
func (e *Engine) keyAt(location string) (string, error) {
	client := e.Client
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Get(location)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("answer %d", response.StatusCode)
	}
	held, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
	return strings.TrimSpace(string(held)), err
}

// Status returns a handler that answers with a status, with headers by name, and with a
// text.
func Status(code int, headers map[string]string, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, name := range slices.Sorted(maps.Keys(headers)) {
			w.Header().Set(name, headers[name])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, text)
	}
}

// Cut ends the connection without an answer.
func Cut(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// Hang never answers.
func Hang(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // else nobody sees that the connection ends
	<-r.Context().Done()
}

// Endless returns a handler whose answer has no end.
func Endless(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(code)
		for {
			if _, err := io.WriteString(w, strings.Repeat("and so on \x1b[2J\n", 1000)); err != nil {
				return
			}
		}
	}
}
