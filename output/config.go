package output

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"sitewalk/internal/strictyaml"
)

// Config says what is written, and where. Its zero value is not valid; start
// from [DefaultConfig].
type Config struct {
	// LastModFormat is DateTime or Date.
	LastModFormat LastModFormat `yaml:"lastmod_format"`
	// Files is the set that is published.
	Files Files `yaml:"output"`
}

// Files describes the set that is published.
type Files struct {
	// Dir is the folder of the set, relative to the docroot and inside it.
	Dir string `yaml:"dir"`
	// Root is the name of the index, or of the only shard.
	Root string `yaml:"root"`
	// Gzip is GzipShards, GzipAll or GzipNone.
	Gzip Gzip `yaml:"gzip"`
	// Protocol is Protocol09 or Protocol084.
	Protocol Protocol `yaml:"protocol"`
	// MaxURLs is the number of URLs that a shard may hold, from 1 to 50,000.
	MaxURLs int `yaml:"max_urls"`
	// MaxBytes is the length of a shard, uncompressed, from 4,096 to 52,428,800;
	// protocol 0.84 allows 10,485,760.
	MaxBytes int64 `yaml:"max_bytes"`
	// StaleGrace is how long a shard stays after the index stopped naming it.
	StaleGrace time.Duration `yaml:"stale_grace"`
	// Text asks for sitemap.txt as well: a URL a line.
	Text bool `yaml:"text"`
	// SchemaLocation adds xsi:schemaLocation, by which validators find the
	// protocol's schema.
	SchemaLocation bool `yaml:"schema_location"`
}

// LastModFormat is how dates are written.
type LastModFormat string

// The values of [Config.LastModFormat].
const (
	DateTime LastModFormat = "datetime" // 2004-10-26T08:56:39+00:00
	Date     LastModFormat = "date"     // 2004-10-26
)

// UnmarshalYAML takes datetime or date.
func (f *LastModFormat) UnmarshalYAML(node *yaml.Node) error {
	return strictyaml.OneOf(node, (*string)(f), string(DateTime), string(Date))
}

// Gzip is what is compressed.
type Gzip string

// The values of [Files.Gzip].
const (
	GzipShards Gzip = "shards" // shards, but not the root
	GzipAll    Gzip = "all"    // the root as well, which is then called sitemap.xml.gz
	GzipNone   Gzip = "none"
)

// UnmarshalYAML takes shards, all or none.
func (g *Gzip) UnmarshalYAML(node *yaml.Node) error {
	return strictyaml.OneOf(node, (*string)(g), string(GzipShards), string(GzipAll), string(GzipNone))
}

// Protocol is a generation of the sitemap protocol.
type Protocol string

// The values of [Files.Protocol].
const (
	Protocol09  Protocol = "0.9"
	Protocol084 Protocol = "0.84" // Google's of 2005
)

// UnmarshalYAML takes 0.9 or 0.84, as text or as a number.
func (p *Protocol) UnmarshalYAML(node *yaml.Node) error {
	return strictyaml.OneOf(node, (*string)(p), string(Protocol09), string(Protocol084))
}

const defaultRoot = "sitemap.xml"

// The limits of the protocol, by https://www.sitemaps.org/protocol.html#index
// and, for 0.84, Google's documentation of 2005.
const (
	MaxURLs          = 50_000
	MaxBytes         = 52_428_800
	MaxBytes084      = 10_485_760
	MaxIndexEntries  = 50_000
	MaxIndexEntry084 = 1_000

	minBytes = 4096 // room for a page of ordinary length, and what stands around it
)

// DefaultConfig returns the configuration that an empty file stands for.
func DefaultConfig() Config {
	return Config{
		LastModFormat: DateTime,
		Files: Files{
			Dir:        ".",
			Root:       defaultRoot,
			Gzip:       GzipShards,
			Protocol:   Protocol09,
			MaxURLs:    MaxURLs,
			MaxBytes:   MaxBytes,
			StaleGrace: time.Hour,
		},
	}
}

// A ConfigError is a value that cannot be used, with its place in the
// configuration, such as output.max_urls.
type ConfigError struct {
	Key     string
	Problem string
	Hint    string // how to mend it, or empty
}

func (e *ConfigError) Error() string {
	if e.Hint == "" {
		return e.Key + ": " + e.Problem
	}
	return fmt.Sprintf("%s: %s (%s)", e.Key, e.Problem, e.Hint)
}

// rootName is what the root may be called: a name that needs no escaping, and
// that no page has.
var rootName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*\.(xml|gz)$`)

// Validate returns a *ConfigError for the first value that cannot be used.
func (c *Config) Validate() error {
	f := &c.Files
	switch {
	case !filepath.IsLocal(filepath.FromSlash(f.Dir)):
		return &ConfigError{"output.dir", "must be a folder inside the docroot", "only --out may name a folder elsewhere"}
	case f.MaxURLs < 1 || f.MaxURLs > MaxURLs:
		return &ConfigError{"output.max_urls", fmt.Sprintf("must be from 1 to %d", MaxURLs), ""}
	case f.MaxBytes < minBytes || f.MaxBytes > MaxBytes:
		return &ConfigError{"output.max_bytes", fmt.Sprintf("must be from %d to %d", minBytes, MaxBytes), ""}
	case !rootName.MatchString(f.Root) || len(f.Root) > 200:
		return &ConfigError{"output.root", "must be a file name of letters, digits, dots, dashes and underscores that ends in .xml", "output.dir names the folder"}
	case strings.HasSuffix(f.Root, ".gz") && f.Gzip != GzipAll:
		return &ConfigError{"output.root", "ends in .gz, but the root is not compressed", "set output.gzip: all"}
	case isShardName(f.Root) || isTextName(f.Root) || isIndexName(f.Root):
		return &ConfigError{"output.root", fmt.Sprintf("%q could be the name of another file of the set", f.Root), "sitemap.xml or sitemap_index.xml are free"}
	}
	return nil
}

// rootFile returns the name of the root on disk.
func (f *Files) rootFile() string {
	if f.Gzip == GzipAll && !strings.HasSuffix(f.Root, ".gz") {
		return f.Root + ".gz"
	}
	return f.Root
}

// otherRoot returns the name that the root has, or had, if it is compressed and
// rootFile's is not, or the other way round.
func (f *Files) otherRoot() string {
	root := f.rootFile()
	if plain, compressed := strings.CutSuffix(root, ".gz"); compressed {
		return plain
	}
	return root + ".gz"
}

// maxBytes returns the length that a shard may have, uncompressed.
func (f *Files) maxBytes() int64 { return min(f.MaxBytes, f.protocolBytes()) }

// protocolBytes returns the length that the protocol allows a file.
func (f *Files) protocolBytes() int64 {
	if f.Protocol == Protocol084 {
		return MaxBytes084
	}
	return MaxBytes
}

// indexEntries returns the number of shards that an index may name.
func (f *Files) indexEntries() int {
	if f.Protocol == Protocol084 {
		return MaxIndexEntry084
	}
	return MaxIndexEntries
}

// Limits returns what a shard may hold: pages, and bytes of XML, uncompressed.
func (f *Files) Limits() (urls, bytes int64) { return int64(f.MaxURLs), f.maxBytes() }
