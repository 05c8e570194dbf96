package strictyaml

import (
	"slices"
	"strings"
	"testing"
)

// noted is a struct that is told its keys.
type noted struct {
	A    int `yaml:"a"`
	B    int `yaml:"b"`
	keys []string
}

func (n *noted) NoteKeys(keys []string) { n.keys = append(n.keys, strings.Join(keys, " ")) }

// noting has structs that are told their keys.
type noting struct {
	Base   noted  `yaml:"base"`
	Before noted  `yaml:"before"`
	Deep   *noted `yaml:"deep"`
}

func TestStructsAreToldTheKeysThatAreSet(t *testing.T) {
	for text, want := range map[string][]string{
		"before: {a: 1}":       {"a"},
		"before: {b: 0, a: 0}": {"b a"},
		"before: {}":           {""},
		"base: {a: 1}":         nil,
		"base: &x {a: 1, b: 2}\nbefore: {<<: *x, b: 3}":           {"a b"},
		"base: &x {b: 1}\nbefore: {a: 1, <<: [*x, {a: 2, b: 2}]}": {"a b"},
		"base: &x {a: 1}\nbefore: *x":                             {"a"},
	} {
		var got noting
		if _, err := Decode([]byte(text), &got, Options{}); err != nil || !slices.Equal(got.Before.keys, want) {
			t.Errorf("%q: told %q, %v, want %q", text, got.Before.keys, err, want)
		}
	}
}

func TestStructsAreToldNothingOfAMistake(t *testing.T) {
	for _, text := range []string{"before: {a: 1, c: 1}", "before: {b: 1, a: one}", "before: {a: 1, a: 2}"} {
		var got noting
		if _, err := Decode([]byte(text), &got, Options{}); err == nil || got.Before.keys != nil {
			t.Errorf("%q: told %q, %v", text, got.Before.keys, err)
		}
	}
}

func TestSharedDefaultIsNotToldOfKeys(t *testing.T) {
	shared := &noted{A: 7}
	got := noting{Deep: shared}
	if _, err := Decode([]byte("deep: {b: 1}"), &got, Options{}); err != nil || !slices.Equal(got.Deep.keys, []string{"b"}) || got.Deep.A != 7 || shared.keys != nil {
		t.Errorf("%+v, %+v, %v", got.Deep, shared, err)
	}
}
