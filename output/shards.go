package output

// A Shard is one sitemap file of a set.
type Shard struct {
	Name    string // of the file
	Section string
	Pages   int64 // that it lists
	Size    int64 // of the file, in bytes
	Length  int64 // of its XML, uncompressed, in bytes
	// Newest is the newest lastmod of its pages, in seconds since 1970, or 0 if none
	// has one.
	Newest int64
	// Published says that the file is on disk with these very bytes. Of a set that
	// was not dry this holds for all shards.
	Published bool
}

// Shards returns the shards of the set in the order of the index. It is for after
// [Set.Publish], which finds out what they are.
func (s *Set) Shards() []Shard {
	var shards []Shard
	for _, section := range s.sectionsByName() {
		for i := range section.members {
			shards = append(shards, s.shardOf(section, &section.members[i]))
		}
	}
	return shards
}

func (s *Set) shardOf(of *section, m *member) Shard {
	run := m.run()
	shard := Shard{
		Name: m.name(), Section: of.name, Pages: run.pages, Newest: run.newest,
		Length: int64(len(s.heads[run.namespaces].text)) + run.length + int64(len(urlsetEnd)),
	}
	if m.kept != nil {
		shard.Size, shard.Published = m.kept.identity.size, true
	} else {
		shard.Size, shard.Published = m.staged.size, m.staged.state == same || !s.opts.Dry
	}
	return shard
}
