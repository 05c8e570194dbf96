package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"

	"sitewalk"
)

// reportFile takes what became of each file, one JSON object a line. A nil one
// takes nothing.
type reportFile struct {
	file    *os.File
	buffer  *bufio.Writer
	line    bytes.Buffer
	encoder *json.Encoder // to line
	err     error         // the first
}

// createReport creates the file that --report names, and has the build fill it.
func (c *command) createReport(config *sitewalk.Config) (*reportFile, error) {
	if c.flags.report == "" {
		return nil, nil
	}
	if c.flags.report == standardOutput {
		return nil, &usageError{errors.New("--report - would mix with the result on standard output; name a file")}
	}
	// It names what is left out: drafts, hidden files. To open it for reading too does not
	// block where it is a FIFO.
	file, err := os.OpenFile(c.flags.report, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, &usageError{err}
	}
	r := &reportFile{file: file, buffer: bufio.NewWriterSize(file, 64<<10)}
	r.encoder = json.NewEncoder(&r.line)
	r.encoder.SetEscapeHTML(false)
	config.Found = r.add
	return r, nil
}

func (r *reportFile) add(found *sitewalk.Finding) {
	if r.err != nil {
		return
	}
	r.line.Reset()
	if r.err = r.encoder.Encode(found); r.err == nil {
		_, r.err = r.buffer.Write(printableJSON(r.line.Bytes()))
	}
}

func (r *reportFile) close() error {
	if r == nil {
		return nil
	}
	if r.err == nil {
		r.err = r.buffer.Flush()
	}
	if err := r.file.Close(); r.err == nil {
		r.err = err
	}
	return r.err
}
