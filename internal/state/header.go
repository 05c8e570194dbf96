package state

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
)

// formatVersion is part of the first line; another version is not read.
const formatVersion = "1"

const (
	title         = "sitewalk state "
	settingsLabel = " settings="
	savedLabel    = " saved="
)

// header is the first line of a state.
type header struct {
	settings uint64
	saved    time.Time
}

func (h *header) append(line []byte) []byte {
	line = append(line, title+formatVersion+settingsLabel...)
	line = appendHash(line, h.settings)
	line = append(line, savedLabel...)
	line = strconv.AppendInt(line, h.saved.Unix(), 10)
	return append(line, '\n')
}

var (
	errNoState = errors.New("is no state of sitewalk")
	errVersion = errors.New("is of another version of sitewalk")
)

// maxHeader is the length within which the first member ends.
const maxHeader = 4 << 10

// parseHeader reads the header at the start of a file. Its error is a reason of
// an [UnusableError].
func parseHeader(file []byte) (header, error) {
	compressed, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return header{}, errNoState
	}
	start := make([]byte, 128)
	n, _ := io.ReadFull(compressed, start)
	line, _, _ := strings.Cut(string(start[:n]), "\n")
	line, ours := strings.CutPrefix(line, title)
	if !ours {
		return header{}, errNoState
	}
	line, known := strings.CutPrefix(line, formatVersion+settingsLabel)
	if !known {
		return header{}, errVersion
	}
	settings, saved, _ := strings.Cut(line, savedLabel)
	var h header
	if h.settings, err = parseHash(settings); err != nil {
		return header{}, errNoState
	}
	seconds, err := strconv.ParseInt(saved, 10, 64)
	if err != nil {
		return header{}, errNoState
	}
	h.saved = time.Unix(seconds, 0)
	return h, nil
}
