package strictyaml

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// laughs is a list in which each line stands for ten of the line before.
func laughs(key, open, close string, lines int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:\n  - &a0 %s%s\n", key, open, close)
	for i := 1; i < lines; i++ {
		fmt.Fprintf(&b, "  - &a%d %s%s%s\n", i, open, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "), close)
	}
	return b.String()
}

// bombs are small texts that take aliases to expand to more than fits.
var bombs = map[string]string{
	"lists":      laughs("include", "[", "]", 12),
	"kept nodes": laughs("sites", "[", "]", 12),
	"merges":     laughs("rules", "{<<: [", "]}", 12),
	"long list": "sites:\n  - &a [" + strings.Repeat("x, ", 10_000) + "]\n" +
		strings.Repeat("  - *a\n", 10_000),
}

func TestAliasBombsAreErrors(t *testing.T) {
	for name, text := range bombs {
		start := time.Now()
		_, err := Decode([]byte(text), defaults(), quoting)
		if err == nil || !strings.Contains(err.Error(), "aliases make the file too large") {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

func TestManyAliasesAreFine(t *testing.T) {
	text := "include: &a [" + strings.Repeat("x, ", 100) + "]\nsites:\n" + strings.Repeat("  - {include: *a}\n", 900)
	c := defaults()
	if _, err := Decode([]byte(text), c, quoting); err != nil {
		t.Fatal(err)
	}
	for i := range c.Sites {
		site := *c
		if _, err := DecodeNode(&c.Sites[i], &site, quoting); err != nil || len(site.Include) != 100 {
			t.Fatalf("site %d: %v, %d globs", i, err, len(site.Include))
		}
	}
}

// TestDeepNestingEnds also by aliases, which add to the depth of brackets.
func TestDeepNestingEnds(t *testing.T) {
	var chain strings.Builder
	chain.WriteString("sites:\n- &a0 [x]\n")
	for i := 1; i < 10_000; i++ {
		fmt.Fprintf(&chain, "- &a%d [*a%d]\n", i, i-1)
	}
	for _, text := range []string{
		chain.String(),
		"include: " + strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000),
		"include: " + strings.Repeat("[", 10_001),
		strings.Repeat("- ", 5_000),
		strings.Repeat("? ", 5_000),
		strings.Repeat("{a: ", 5_000),
	} {
		if _, err := Decode([]byte(text), defaults(), quoting); err == nil {
			t.Errorf("%.20q… passes", text)
		}
	}
}
