package scanner

import (
	"reflect"
	"testing"

	"gopkg.in/yaml.v3"
)

func TestConfigSurvivesItsYAML(t *testing.T) {
	full := with(func(c *Config) {
		c.Include, c.Exclude, c.Allow = Globs{"a", "b"}, Globs{"c: d"}, Globs{".x"}
		c.FollowSymlinks, c.Pages.HeadLimit = FollowInside, 1000
	})
	for _, want := range []Config{DefaultConfig(), full} {
		text, err := yaml.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Config
		if err := yaml.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v\nwant %+v\nfrom %s", got, err, want, text)
		}
	}
}

func TestConfigValuesThatAreTaken(t *testing.T) {
	for text, want := range map[string]Config{
		`include: "**"`:                   {Include: Globs{"**"}},
		`exclude: [a, b]`:                 {Exclude: Globs{"a", "b"}},
		`follow_symlinks: false`:          {},
		`follow_symlinks: inside`:         {FollowSymlinks: FollowInside},
		`pages: {head_limit: 262144}`:     {Pages: Pages{HeadLimit: 256 << 10}},
		`pages: {head_limit: 2 MiB}`:      {Pages: Pages{HeadLimit: 2 << 20}},
		`pages: {head_limit: 1048576MiB}`: {Pages: Pages{HeadLimit: 1 << 40}},
	} {
		var got Config
		if err := yaml.Unmarshal([]byte(text), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v", text, got, err)
		}
	}
}

func TestConfigValuesThatAreRefused(t *testing.T) {
	for _, text := range []string{
		`include: {a: b}`, `include: [[a]]`, `follow_symlinks: true`, `follow_symlinks: outside`, `follow_symlinks: [inside]`,
		`pages: {head_limit: 0}`, `pages: {head_limit: -1KiB}`, `pages: {head_limit: 1GiB}`, `pages: {head_limit: 9007199254740992KiB}`, `pages: {head_limit: ""}`,
	} {
		var got Config
		if err := yaml.Unmarshal([]byte(text), &got); err == nil {
			t.Errorf("%s: got %+v", text, got)
		}
	}
}
