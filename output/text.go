package output

// textList is the plain list of the set's URLs, a URL a line, in as many files
// as the protocol's limits make necessary.
// https://www.sitemaps.org/protocol.html#otherformats
type textList struct {
	set     *Set
	content []byte
	urls    int
	files   int
}

func (t *textList) add(loc []byte) error {
	if t.urls == t.set.files.MaxURLs || int64(len(t.content)+len(loc)+1) > t.set.maxLength {
		t.end()
	}
	t.content = append(append(t.content, loc...), '\n')
	t.urls++
	return t.set.failed()
}

// end stages the file at hand, while the caller goes on.
func (t *textList) end() {
	t.files++
	content := t.content
	t.content, t.urls = nil, 0
	r := &result{name: textFile(t.files), order: t.files}
	t.set.room <- struct{}{}
	t.set.staging.Go(func() {
		defer func() { <-t.set.room }()
		t.set.finish(r, content, nil)
	})
}
