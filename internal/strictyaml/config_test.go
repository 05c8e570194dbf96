package strictyaml

import (
	"slices"
	"time"

	"gopkg.in/yaml.v3"
)

// config resembles the command's configuration.
type config struct {
	BaseURL        string   `yaml:"base_url"`
	Docroot        string   `yaml:"docroot"`
	Include        []string `yaml:"include"`
	Exclude        []string `yaml:"exclude"`
	FollowSymlinks follow   `yaml:"follow_symlinks"`
	extra          `yaml:",inline"`
	URLs           struct {
		Index   []string `yaml:"index"`
		Charset string   `yaml:"charset,omitempty"`
	} `yaml:"urls"`
	Pages  *pages      `yaml:"pages"`
	Rules  []rule      `yaml:"rules"`
	Output output      `yaml:"output"`
	Watch  watch       `yaml:"watch"`
	Sites  []yaml.Node `yaml:"sites"`
	Hidden string      `yaml:"-"`
}

type extra struct {
	State     string   `yaml:"state"`
	ExtraURLs []string `yaml:"extra_urls"`
}

type pages struct {
	Read   bool  `yaml:"read"`
	Hints  *bool `yaml:"hints"`
	Agents words `yaml:"agents"`
}

type rule struct {
	Match    words    `yaml:"match"`
	Section  *string  `yaml:"section"`
	Priority *float64 `yaml:"priority"`
	List     *bool    `yaml:"list"`
}

type output struct {
	Dir        string        `yaml:"dir"`
	Root       string        `yaml:"root"`
	Gzip       string        `yaml:"gzip"`
	Protocol   string        `yaml:"protocol"`
	MaxURLs    int           `yaml:"max_urls"`
	Level      int8          `yaml:"level"`
	Workers    uint16        `yaml:"workers"`
	StaleGrace time.Duration `yaml:"stale_grace"`
}

type watch struct {
	Settle   time.Duration  `yaml:"settle"`
	MaxDelay *time.Duration `yaml:"max_delay"`
}

// follow is false or inside.
type follow string

func (f *follow) UnmarshalYAML(node *yaml.Node) error {
	switch node.Value {
	case "false", "inside":
		*f = follow(node.Value)
		return nil
	}
	return Errorf(node, "use false or inside", "unknown way to follow links %q", node.Value)
}

// words is one word or a list of them.
type words []string

func (w *words) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*w = words{node.Value}
		return nil
	}
	_, err := DecodeNode(node, (*[]string)(w), Options{Quote: true})
	return err
}

func defaults() *config {
	no := false
	c := &config{
		BaseURL: "https://example.com/",
		Docroot: ".",
		Include: []string{"**/*.html"},
		Exclude: []string{"a", "b"},
		Pages:   &pages{Read: true, Hints: &no},
		Output:  output{Dir: ".", Root: "sitemap.xml", MaxURLs: 50000, StaleGrace: time.Hour},
		Hidden:  "hidden",
	}
	c.URLs.Index = slices.Clone(c.Include)
	return c
}
