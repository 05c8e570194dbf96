package mapper

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"sitewalk/internal/strictyaml"
	"sitewalk/scanner"
)

// Config says how a file becomes a page. Its zero value lacks the base URL;
// start from [DefaultConfig].
type Config struct {
	// BaseURL is the URL of the docroot: http or https, a host, perhaps a port
	// and a path, and nothing else.
	BaseURL string `yaml:"base_url"`
	// URLs says how a path is spelled as a URL.
	URLs URLs `yaml:"urls"`
	// Robots says what the docroot's robots.txt is used for.
	Robots Robots `yaml:"robots"`
	// LastMod names the sources of a page's date; the first that answers wins.
	LastMod []Source `yaml:"lastmod"`
	// LastModIgnore are regular expressions of what SourceContent overlooks in a
	// page: asset hashes, nonces, build stamps. https://pkg.go.dev/regexp/syntax
	LastModIgnore []string `yaml:"lastmod_ignore"`
	// ExtraURLs are files that list pages which are not on disk.
	ExtraURLs []string `yaml:"extra_urls"`
	// Rules are applied in order; a later match overrides field by field.
	Rules []Rule `yaml:"rules"`
}

// URLs says how a path is spelled as a URL.
type URLs struct {
	// Preset names the host whose ways Index, Extension and Slash follow, where they
	// have the values of [DefaultConfig] and no configuration file sets them.
	Preset Preset `yaml:"preset"`
	// Index names the files that a server shows for their folder.
	Index []string `yaml:"index"`
	// Extension is ExtensionKeep or ExtensionStrip.
	Extension Extension `yaml:"extension"`
	// Slash is SlashAuto, SlashAlways or SlashNever.
	Slash Slash `yaml:"slash"`
	// Charset is CharsetBytes, or the encoding in which the server understands
	// names, by its IANA name.
	Charset string `yaml:"charset"`

	set presetKeys // in the file beside the preset
	// stripped are the extensions that ExtensionStrip cuts off; nil for all.
	stripped []string
}

// Extension says what becomes of .html, .htm, .xhtml and .shtml.
type Extension string

// The values of [URLs.Extension].
const (
	ExtensionKeep  Extension = "keep"
	ExtensionStrip Extension = "strip" // page.html is served as page
)

// UnmarshalYAML takes keep or strip.
func (e *Extension) UnmarshalYAML(node *yaml.Node) error {
	return strictyaml.OneOf(node, (*string)(e), string(ExtensionKeep), string(ExtensionStrip))
}

// Slash says which URLs end in a slash.
type Slash string

// The values of [URLs.Slash].
const (
	SlashAuto   Slash = "auto"   // folders do, files do not
	SlashAlways Slash = "always" // also URLs left without an extension
	SlashNever  Slash = "never"  // none but the site's root
)

// UnmarshalYAML takes auto, always or never.
func (s *Slash) UnmarshalYAML(node *yaml.Node) error {
	return strictyaml.OneOf(node, (*string)(s), string(SlashAuto), string(SlashAlways), string(SlashNever))
}

// CharsetBytes is the [URLs.Charset] that takes names as they are on disk.
const CharsetBytes = "bytes"

// Robots says what the docroot's robots.txt is used for.
type Robots struct {
	Respect bool   `yaml:"respect"` // leave out what the docroot's robots.txt disallows
	Agent   string `yaml:"agent"`   // whose group of rules counts
	Update  bool   `yaml:"update"`  // keep a Sitemap: line in the docroot's robots.txt
}

// Source is where a page's lastmod comes from.
type Source string

// The sources of a page's lastmod.
const (
	SourceMeta    Source = "meta"    // the page's head
	SourceGit     Source = "git"     // the last commit that touched the file
	SourceContent Source = "content" // when the page's bytes last changed
	SourceMTime   Source = "mtime"   // the file's modification time
)

// UnmarshalYAML takes meta, git, content or mtime.
func (s *Source) UnmarshalYAML(node *yaml.Node) error {
	return strictyaml.OneOf(node, (*string)(s), string(SourceMeta), string(SourceGit), string(SourceContent), string(SourceMTime))
}

// Rule sets fields of the pages that it matches. A nil field leaves what it
// was.
type Rule struct {
	// Match are doublestar globs on paths relative to the docroot.
	Match scanner.Globs `yaml:"match"`
	// Section names a group of pages that has shards of its own.
	Section *string `yaml:"section"`
	// ChangeFreq is one of the protocol's seven words.
	ChangeFreq *ChangeFreq `yaml:"changefreq"`
	// Priority is from 0.0 to 1.0.
	Priority *Priority `yaml:"priority"`
	// LastMod is as [Config.LastMod].
	LastMod *[]Source `yaml:"lastmod"`
	// List is false for pages that must not be listed.
	List *bool `yaml:"list"`
}

// ChangeFreq is how often a page is likely to change, by
// https://www.sitemaps.org/protocol.html#changefreqdef.
type ChangeFreq string

// UnmarshalYAML takes one of the protocol's seven words.
func (c *ChangeFreq) UnmarshalYAML(node *yaml.Node) error {
	return strictyaml.OneOf(node, (*string)(c), changeFreqs...)
}

var changeFreqs = []string{"always", "hourly", "daily", "weekly", "monthly", "yearly", "never"}

func isChangeFreq(word string) bool { return slices.Contains(changeFreqs, word) }

// Priority is a page's weight among the pages of its site, from 0.0 to 1.0, by
// https://www.sitemaps.org/protocol.html#prioritydef.
type Priority float64

// UnmarshalYAML takes a number from 0.0 to 1.0.
func (p *Priority) UnmarshalYAML(node *yaml.Node) error {
	var value float64
	if err := node.Decode(&value); err != nil || node.Kind != yaml.ScalarNode || node.ShortTag() == "!!str" {
		return strictyaml.Errorf(node, "write a number such as 0.8", "must be a number from 0.0 to 1.0")
	}
	if math.IsNaN(value) || value < 0 || value > 1 {
		return strictyaml.Errorf(node, "", "must be from 0.0 to 1.0")
	}
	*p = Priority(value)
	return nil
}

// String returns the number with at least one decimal, as the schema's
// examples have it.
func (p Priority) String() string {
	s := strconv.FormatFloat(math.Abs(float64(p)), 'f', -1, 64) // -0 is 0
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// defaultIndex are the files that servers show for their folder.
var defaultIndex = []string{"index.html", "index.htm", "index.xhtml"}

// DefaultConfig returns the configuration that an empty file stands for.
func DefaultConfig() Config {
	return Config{
		URLs: URLs{
			Index:     slices.Clone(defaultIndex),
			Extension: ExtensionKeep,
			Slash:     SlashAuto,
			Charset:   CharsetBytes,
		},
		Robots:    Robots{Respect: true, Agent: "*"},
		LastMod:   []Source{SourceMTime},
		ExtraURLs: []string{},
		Rules:     []Rule{},

		LastModIgnore: []string{},
	}
}

// A ConfigError is a value that cannot be used, with its place in the
// configuration, such as rules[2].section.
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

// DefaultSection is the section of pages for which no rule names one.
const DefaultSection = "pages"

var (
	// sectionName is what a section may be called: its shards' names are built
	// of it.
	sectionName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	indexName   = regexp.MustCompile(`^index(-[0-9]+)?$`)
	// shardSuffix is how the name of a section's shard ends; package output
	// makes it.
	shardSuffix = regexp.MustCompile(`^(.+)-(first|[0-9a-f]{10}|[0-9a-f]{16})$`)
)

// sections returns the names of all sections that a page may be in, the default
// one first.
func (c *Config) sections() ([]string, error) {
	names := []string{DefaultSection}
	for i, rule := range c.Rules {
		if rule.Section == nil || slices.Contains(names, *rule.Section) {
			continue
		}
		key, name := fmt.Sprintf("rules[%d].section", i), *rule.Section
		switch {
		case len(name) > 64 || !sectionName.MatchString(name):
			return nil, &ConfigError{key, "must be of lower-case letters, digits and inner dashes", "at most 64 of them"}
		case indexName.MatchString(name):
			return nil, &ConfigError{key, fmt.Sprintf("%q is the name of an index file", name), "choose another name"}
		}
		names = append(names, name)
	}
	for i, rule := range c.Rules {
		if rule.Section == nil {
			continue
		}
		if m := shardSuffix.FindStringSubmatch(*rule.Section); m != nil && slices.Contains(names, m[1]) {
			return nil, &ConfigError{fmt.Sprintf("rules[%d].section", i),
				fmt.Sprintf("%q could be taken for a shard of section %q", *rule.Section, m[1]), "choose another name"}
		}
	}
	return names, nil
}
