package scanner

import (
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"sitewalk/internal/strictyaml"
)

// DefaultInclude is the pattern of files that may be pages when the
// configuration names none. Alone among patterns it matches in either case,
// so that PAGE.HTML is a page as well.
const DefaultInclude = "**/*.{html,htm,xhtml}"

// Config says which files of a docroot may be pages. Its zero value includes
// nothing; start from [DefaultConfig].
type Config struct {
	// Docroot is the folder that the web server serves.
	Docroot string `yaml:"docroot"`
	// Include, Exclude and Allow are doublestar globs on slash-separated paths
	// relative to the docroot, case-sensitive but for DefaultInclude.
	Include Globs `yaml:"include"`
	// Exclude leaves out what it matches; a folder that it matches is not
	// descended into.
	Exclude Globs `yaml:"exclude"`
	// Allow lifts the verdicts sensitive and hidden for what it matches.
	Allow Globs `yaml:"allow"`
	// FollowSymlinks says which symbolic links stand for what they lead to.
	FollowSymlinks Follow `yaml:"follow_symlinks"`
	// Pages says what is read of each page.
	Pages Pages `yaml:"pages"`
}

// Pages says what is read of each page's head.
type Pages struct {
	Read       bool     `yaml:"read"`       // open pages and honour what their heads say
	HeadLimit  ByteSize `yaml:"head_limit"` // bytes of a page that are read at most
	Canonical  bool     `yaml:"canonical"`  // leave out a page whose canonical is another page
	Agents     []string `yaml:"agents"`     // which robots meta names count
	Hints      bool     `yaml:"hints"`      // changefreq from revisit-after and document-state
	Alternates bool     `yaml:"alternates"` // hreflang links become xhtml:link
	Images     bool     `yaml:"images"`     // img elements become image:image
}

// DefaultConfig returns the configuration that an empty file stands for.
func DefaultConfig() Config {
	return Config{
		Docroot: ".",
		Include: Globs{DefaultInclude},
		Exclude: Globs{},
		Allow:   Globs{},
		Pages: Pages{
			Read:       true,
			HeadLimit:  256 << 10,
			Canonical:  true,
			Agents:     []string{"*", "googlebot"},
			Alternates: true,
		},
	}
}

// Globs is a list of doublestar patterns. In YAML one pattern may stand without
// its list.
type Globs []string

// UnmarshalYAML takes a list of patterns or a single one.
func (g *Globs) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode && node.Tag != "!!null" {
		*g = Globs{node.Value}
		return nil
	}
	var list []string
	if err := node.Decode(&list); err != nil {
		return strictyaml.Errorf(node, `write one pattern, or a list such as ["**/*.html"]`, "must be a list of globs")
	}
	*g = list
	return nil
}

// Follow says which symbolic links are followed.
type Follow string

// The values of [Config.FollowSymlinks].
const (
	FollowNone   Follow = ""       // false: a link is left out
	FollowInside Follow = "inside" // a link to a file or folder inside the docroot stands for it
)

// UnmarshalYAML takes false or inside.
func (f *Follow) UnmarshalYAML(node *yaml.Node) error {
	switch strings.ToLower(node.Value) {
	case "false":
		*f = FollowNone
	case string(FollowInside):
		*f = FollowInside
	default:
		return strictyaml.Errorf(node, "", "must be false or inside")
	}
	return nil
}

// MarshalYAML writes the value as the configuration spells it.
func (f Follow) MarshalYAML() (any, error) {
	if f == FollowNone {
		return false, nil
	}
	return string(f), nil
}

// A ByteSize is a number of bytes. In YAML it is a plain number, or one with the
// unit KiB or MiB.
type ByteSize int64

// UnmarshalYAML takes 262144, 256KiB or 1MiB.
func (b *ByteSize) UnmarshalYAML(node *yaml.Node) error {
	digits, factor := node.Value, int64(1)
	if d, ok := strings.CutSuffix(digits, "KiB"); ok {
		digits, factor = d, 1<<10
	} else if d, ok := strings.CutSuffix(digits, "MiB"); ok {
		digits, factor = d, 1<<20
	}
	n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
	if err != nil || n <= 0 || n > 1<<40/factor {
		return strictyaml.Errorf(node, "write 256KiB or 262144", "must be a size above 0")
	}
	*b = ByteSize(n * factor)
	return nil
}

// MarshalYAML writes the size with the largest unit that divides it.
func (b ByteSize) MarshalYAML() (any, error) {
	switch {
	case b != 0 && b%(1<<20) == 0:
		return fmt.Sprintf("%dMiB", b>>20), nil
	case b != 0 && b%(1<<10) == 0:
		return fmt.Sprintf("%dKiB", b>>10), nil
	}
	return int64(b), nil
}
