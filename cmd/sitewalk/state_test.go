package main

import (
	"path/filepath"
	"testing"

	"sitewalk"
)

func TestTheStateIsWhereItIsSaid(t *testing.T) {
	docroot := t.TempDir()
	for _, c := range []struct {
		flags      flags
		configured string
		want       string
	}{
		{flags{noState: true}, "file", ""},
		{flags{state: "flag"}, "file", "flag"},
		{flags{}, "file", "file"},
		{flags{stateDir: "folder"}, "file", "file"},
		{flags{stateDir: "folder"}, "", filepath.Join("folder", stateName(docroot))},
	} {
		config := sitewalk.DefaultConfig()
		config.Scanner.Docroot, config.State = docroot, c.configured
		(&command{flags: c.flags}).placeState(&config, &dropper{})
		if config.State != c.want || config.NoState != nil {
			t.Errorf("%+v beside %q: %q, %v, want %q", c.flags, c.configured, config.State, config.NoState, c.want)
		}
	}
}
