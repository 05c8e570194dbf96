package main

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestAMisspeltFlagIsFound(t *testing.T) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, name := range []string{"base-url", "config", "docroot", "dry-run", "out", "output", "secret", "site-config", "sites"} {
		flags.String(name, "", "")
	}
	if err := flags.MarkHidden("secret"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"docrot": "docroot", "base-ulr": "base-url", "base_url": "base-url", "baseURL": "base-url", "DOCROOT": "docroot",
		"base": "base-url", "d": "", "do": "docroot", "dryrun": "dry-run", "ot": "out", "outp": "output", "sit": "sites", "site": "sites",
		"secre": "", "url": "", "fast": "", "x": "", "ou": "out", "docroot-folder": "",
		strings.Repeat("docroot", 100_000): "", "\xff\xfe": "", "": "",
	} {
		if got := nearestFlag(flags, name); got != want {
			t.Errorf("%.40q: %q, want %q", name, got, want)
		}
	}
}
