package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// spool copies what a server sends to a temporary file. An index is read only as fast
// as the sitemaps that it names, and no server waits that long.
func (f *file) spool(ctx context.Context) error {
	defer f.body.Close()
	to, err := os.CreateTemp("", "sitewalk-check-*.tmp")
	if err != nil {
		return fmt.Errorf("keep %s for a while: %w", f.name, err)
	}
	body := &spooled{file: to}
	_, err = io.Copy(to, &bounded{ctx: ctx, from: f.body, left: maxRead})
	var bound *boundError
	var read *readError
	if errors.As(err, &bound) || errors.As(err, &read) {
		body.end, err = err, nil // is told when the reading comes to it
	}
	if err == nil {
		_, err = to.Seek(0, io.SeekStart)
	}
	if err != nil {
		body.Close()
		return fmt.Errorf("keep %s for a while: %w", f.name, err)
	}
	f.body = body
	return nil
}

// spooled is a body in a temporary file.
type spooled struct {
	file *os.File
	end  error // in place of io.EOF, if not nil
}

func (s *spooled) Read(p []byte) (int, error) {
	n, err := s.file.Read(p)
	if err == io.EOF && s.end != nil {
		err = s.end
	}
	return n, err
}

// Close also removes the file.
func (s *spooled) Close() error {
	err := s.file.Close()
	if removed := os.Remove(s.file.Name()); err == nil {
		err = removed
	}
	return err
}
