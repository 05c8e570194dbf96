package check

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

// readList reads a sitemap that is a list of URLs, one a line.
// https://www.sitemaps.org/protocol.html#otherformats
func readList(from io.Reader, h *handler) (entries int64, err error) {
	if err := h.root(false, false); err != nil {
		return 0, err
	}
	content := bufio.NewReaderSize(from, chunk)
	if mark, _ := content.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		content.Discard(len(byteOrderMark))
	}
	var listed entry
	blank := true
	for line := 1; ; line++ {
		text, whole, err := readLine(content)
		if err != nil && err != io.EOF {
			code := Unread
			var damaged *gzipError
			if errors.As(err, &damaged) {
				code = Gzip
			}
			h.problem(line, 1, "", code, err.Error())
			return entries, nil
		}
		if err == io.EOF && len(text) == 0 {
			break
		}
		blank = blank && len(text) == 0
		switch {
		case !utf8.Valid(text) && whole:
			h.problem(line, 1, "", Encoding, errNotUTF8.Error())
		case len(text) > 0:
			listed = entry{line: line, column: 1, number: uint32(entries), loc: string(text), has: 1 << fieldLoc}
			entries++
			if err := h.entry(&listed); err != nil {
				return entries, err
			}
		}
	}
	if blank {
		h.problem(0, 0, "", Empty, "lists no URL")
	}
	return entries, nil
}

// readLine returns the next line without its ending and the white space around it; of
// one that is longer than the buffer, which no URL is, only the beginning.
func readLine(content *bufio.Reader) (line []byte, whole bool, err error) {
	line, err = content.ReadSlice('\n')
	whole = err != bufio.ErrBufferFull
	if !whole {
		line = bytes.Clone(line[:2*maxLoc*utf8.UTFMax])
		for err == bufio.ErrBufferFull {
			_, err = content.ReadSlice('\n')
		}
	}
	return bytes.Trim(line, whiteSpace), whole, err
}
