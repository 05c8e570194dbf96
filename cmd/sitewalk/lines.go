package main

import (
	"bytes"
	"io"
	"sync"
)

// maxLine is how long a line may be before it is passed on in parts.
const maxLine = 1 << 20

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
	line   []byte // what was written since the last line ended
}

func (w *lineWriter) Write(data []byte) (int, error) {
	w.line = append(w.line, data...)
	end := bytes.LastIndexByte(w.line, '\n') + 1
	if end == 0 && len(w.line) < maxLine {
		return len(data), nil
	}
	if end == 0 {
		end = len(w.line)
	}
	var lines []byte
	for line := range bytes.Lines(w.line[:end]) {
		lines = append(append(lines, w.prefix...), line...)
	}
	w.line = append(w.line[:0], w.line[end:]...)
	w.output.mutex.Lock()
	defer w.output.mutex.Unlock()
	if _, err := w.output.to.Write(lines); err != nil {
		return 0, err
	}
	return len(data), nil
}
