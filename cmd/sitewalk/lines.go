package main

import (
	"bytes"
	"io"
	"sync"
)

// maxLine is how many bytes of a line are passed on. The longest that is meant is the
// JSON object of a site with many shards, each of which takes a hundred. Of a longer one
// the rest is dropped: passed on in parts, it would let whoever has it written put what
// reads as lines of other sites between these.
const maxLine = 4 << 20

// sharedOutput is what several sites write to, a line at a time.
type sharedOutput struct {
	mutex sync.Mutex
	to    io.Writer
}

// A lineWriter hands whole lines on to an output that it shares with others, with the
// same text before each. Its own methods are for one goroutine at a time.
type lineWriter struct {
	output *sharedOutput
	prefix string
	line   []byte // what was written since the last line ended, or its beginning
}

func (w *lineWriter) Write(data []byte) (int, error) {
	var lines []byte
	for line := range bytes.Lines(data) {
		text, ended := bytes.CutSuffix(line, []byte("\n"))
		w.line = append(w.line, text[:min(len(text), maxLine-len(w.line))]...)
		if ended {
			lines = append(append(append(lines, w.prefix...), w.line...), '\n')
			w.line = w.line[:0]
		}
	}
	if len(lines) == 0 {
		return len(data), nil
	}
	w.output.mutex.Lock()
	defer w.output.mutex.Unlock()
	if _, err := w.output.to.Write(lines); err != nil {
		return 0, err
	}
	return len(data), nil
}
