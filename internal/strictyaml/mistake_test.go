package strictyaml

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// mistakes have the error that each gives, and its hint after a bar.
var mistakes = []struct{ text, want string }{
	// Keys.
	{"docroot: x\n\n  \nbasurl: y\n", `4:1: unknown key "basurl"|did you mean base_url?`},
	{"baseUrl: x", `1:1: unknown key "baseUrl"|did you mean base_url?`},
	{"base-url: x", `1:1: unknown key "base-url"|did you mean base_url?`},
	{"BASE_URL: x", `1:1: unknown key "BASE_URL"|did you mean base_url?`},
	{"dcoroot: x", `1:1: unknown key "dcoroot"|did you mean docroot?`},
	{"excludes: [x]", `1:1: unknown key "excludes"|did you mean exclude?`},
	{"extra-url: [x]", `1:1: unknown key "extra-url"|did you mean extra_urls?`},
	{"gzip: all", `1:1: unknown key "gzip"|did you mean output.gzip?`},
	{"output.gzip: all", `1:1: unknown key "output.gzip"|write gzip under output`},
	{"outputDir: x", `1:1: unknown key "outputDir"|did you mean output.dir?`},
	{"priority: 1", `1:1: unknown key "priority"|did you mean rules.priority?`},
	{"output:\n  exclude: []", `2:3: unknown key "exclude"|did you mean exclude at the top level?`},
	{"output:\n  max_ursl: 1", `2:3: unknown key "max_ursl"|did you mean max_urls?`},
	{"rules:\n  - match: x\n    prority: 1", `3:5: unknown key "prority"|did you mean priority?`},
	{"rules: [{Gzip: x}]", `1:10: unknown key "Gzip"|did you mean output.gzip?`},
	{"zebra: x", `1:1: unknown key "zebra"|`},
	{"hidden: x", `1:1: unknown key "hidden"|`},
	{"Hidden: x", `1:1: unknown key "Hidden"|`},
	{"\"a\\nb\": x", `1:1: unknown key "a\nb"|`},
	{"\"\": x", `1:1: unknown key ""|`},
	{": x", `1:1: a key is expected here|check the indentation here and above, and the quotes`},
	{"--: x", `1:1: unknown key "--"|`},
	{"é: x", `1:1: unknown key "é"|`},
	{strings.Repeat("k", 100) + ": x", `1:1: unknown key "` + strings.Repeat("k", 40) + `…"|`},
	{"\ufeffzebra: x", `1:1: unknown key "zebra"|`},
	{"docroot: x\r\nzebra: y\r\n", `2:1: unknown key "zebra"|`},
	{"docroot: x\nstate: y\ndocroot: z\n", `3:1: this key is set twice, first in line 1|remove one of the two`},
	{"output: {dir: x, dir: y}", `1:18: this key is set twice, first in line 1|remove one of the two`},
	{"[a, b]: x", `1:1: a key must be text|`},
	{"{a: b}: x", `1:1: a key must be text|`},

	// Nothing where a value should be.
	{"docroot: x\nexclude:\nstate: y", `2:1: exclude needs a value|write [] for an empty list`},
	{"exclude: ~", `1:1: exclude needs a value|write [] for an empty list`},
	{"sites:", `1:1: sites needs a value|write [] for an empty list`},
	{"rules:\n  - match:\n", `2:5: rules.match needs a value|write [] for an empty list`},
	{"docroot: null", `1:1: docroot needs a value|write "" for empty text`},
	{"follow_symlinks:", `1:1: follow_symlinks needs a value|remove it to keep the default`},
	{"output:\n", `1:1: output needs a value|remove it to keep the default`},
	{"output:\n  max_urls:\n", `2:3: output.max_urls needs a value|remove it to keep the default`},
	{"pages: {hints: }", `1:9: pages.hints needs a value|remove it to keep the default`},
	{"include: [a, ~]", `1:14: an entry of include needs a value|remove the entry`},
	{"sites:\n  - \n", `2:4: an entry of sites needs a value|remove the entry`},
	{"state: &n\ndocroot: *n", `1:1: state needs a value|write "" for empty text`},

	// Kinds.
	{"- a\n", `1:1: keys with values are expected here|write key: value`},
	{"text", `1:1: keys with values are expected here|write key: value`},
	{"include: x", `1:10: include must be a list|put entries in brackets, or on lines that begin with a dash`},
	{"include: {a: b}", `1:10: include must be a list|put entries in brackets, or on lines that begin with a dash`},
	{"include: [[a]]", `1:11: an entry of include must be text|`},
	{"include: [a, {b: c}]", `1:14: an entry of include must be text|`},
	{"include: [true]", `1:11: an entry of include must be text|put it in quotes if it is meant as text`},
	{"output: x", `1:9: output must have keys of its own|write its keys indented on the lines below it`},
	{"output: [x]", `1:9: output must have keys of its own|write its keys indented on the lines below it`},
	{"rules: [x]", `1:9: an entry of rules must have keys of its own|write its keys indented on the lines below it`},
	{"docroot: [x]", `1:10: docroot must be text|`},
	{"docroot:\n  a: b\n", `2:3: docroot must be text|`},
	{"docroot: true", `1:10: docroot must be text|put it in quotes if it is meant as text`},
	{"rules: [{section: false}]", `1:19: rules.section must be text|put it in quotes if it is meant as text`},
	{"docroot: !x y", `1:10: the tag is not understood|remove it, or put text that begins with ! in quotes`},
	{"docroot: !!binary eA==", `1:10: the tag is not understood|remove it, or put text that begins with ! in quotes`},
	{"output: !x {}", `1:9: the tag is not understood|remove it, or put text that begins with ! in quotes`},
	{"include: !!set [x]", `1:10: the tag is not understood|remove it, or put text that begins with ! in quotes`},

	// Booleans and numbers.
	{"pages: {read: yes}", `1:15: pages.read must be true or false|without quotes, and not yes or no`},
	{"pages: {read: \"yes\"}", `1:15: pages.read must be true or false|without quotes, and not yes or no`},
	{"pages: {hints: 'true'}", `1:16: pages.hints must be true or false|without quotes, and not yes or no`},
	{"pages: {read: 1}", `1:15: pages.read must be true or false|without quotes, and not yes or no`},
	{"pages: {read: !!bool yes}", `1:15: pages.read must be true or false|without quotes, and not yes or no`},
	{"rules:\n- priority: high\n", `2:13: rules.priority must be a number|`},
	{"rules:\n- priority: \"0.5\"\n", `2:13: rules.priority must be a number|write it without quotes`},
	{"rules: [{priority: .nan}]", `1:20: rules.priority must be a finite number|`},
	{"rules: [{priority: -.inf}]", `1:20: rules.priority must be a finite number|`},
	{"rules: [{priority: 00.5}]", `1:20: rules.priority must not begin with 0|such numbers are octal to some programs`},
	{"rules: [{priority: [0.5]}]", `1:20: rules.priority must be a number|`},
	{"output: {max_urls: many}", `1:20: output.max_urls must be a whole number|`},
	{"output: {max_urls: '5'}", `1:20: output.max_urls must be a whole number|write it without quotes`},
	{"output: {max_urls: 5.0}", `1:20: output.max_urls must be a whole number|`},
	{"output: {max_urls: 1e3}", `1:20: output.max_urls must be a whole number|`},
	{"output: {max_urls: 5k}", `1:20: output.max_urls must be a whole number|`},
	{"output: {max_urls: !!int x}", `1:20: output.max_urls must be a whole number|`},
	{"output: {max_urls: 010}", `1:20: output.max_urls must not begin with 0|such numbers are octal to some programs`},
	{"output: {max_urls: 08}", `1:20: output.max_urls must not begin with 0|such numbers are octal to some programs`},
	{"output: {max_urls: 9223372036854775808}", `1:20: output.max_urls is out of range|between -9223372036854775808 and 9223372036854775807`},
	{"output: {max_urls: 99999999999999999999}", `1:20: output.max_urls is out of range|between -9223372036854775808 and 9223372036854775807`},
	{"output: {level: 128}", `1:17: output.level is out of range|between -128 and 127`},
	{"output: {workers: -1}", `1:19: output.workers is out of range|between 0 and 65535`},
	{"output: {workers: 65536}", `1:19: output.workers is out of range|between 0 and 65535`},

	// Durations.
	{"watch: {settle: 60}", `1:17: watch.settle must be a duration|it needs a unit, such as 60s`},
	{"watch: {settle: 0.0}", `1:17: watch.settle must be a duration|it needs a unit, such as 60s`},
	{"watch: {settle: 1.5}", `1:17: watch.settle must be a duration|it needs a unit, such as 60s`},
	{"watch: {settle: '60'}", `1:17: watch.settle must be a duration|it needs a unit, such as 60s`},
	{"watch: {max_delay: -5}", `1:20: watch.max_delay must be a duration|it needs a unit, such as 60s`},
	{"watch: {max_delay: -5s}", `1:20: watch.max_delay must not be negative|`},
	{"watch: {settle: 1d}", `1:17: watch.settle must be a duration|such as 200ms, 60s or 1h30m; hours are the largest unit`},
	{"watch: {settle: true}", `1:17: watch.settle must be a duration|such as 200ms, 60s or 1h30m; hours are the largest unit`},
	{"watch: {settle: [1s]}", `1:17: watch.settle must be a duration|such as 200ms, 60s or 1h30m; hours are the largest unit`},
	{"watch: {settle: 9999999999h}", `1:17: watch.settle must be a duration|such as 200ms, 60s or 1h30m; hours are the largest unit`},

	// Types that decode themselves.
	{"follow_symlinks: outside", `1:18: unknown way to follow links "outside"|use false or inside`},
	{"rules:\n- match: [a, [b]]\n", `2:14: an entry must be text|`},

	// Aliases and merges.
	{"include: &a [*a]", `1:14: the alias "a" stands inside the value that it stands for|`},
	{"output: &a\n  <<: *a\n", `2:7: the alias "a" stands inside the value that it stands for|`},
	{"state: &a\n  &b x: *a\n", `2:9: the alias "a" stands inside the value that it stands for|`},
	{"<<: x", `1:5: only keys with values can be merged|`},
	{"<<: [{}, x]", `1:10: only keys with values can be merged|`},
	{"<<: {}\n<<: {}", `2:1: a second merge key|give one merge key a list`},
	{"<<: {zebra: x}", `1:6: unknown key "zebra"|`},
	{"<<: {zebra: x, zebra: y}\nzebra: z", `1:16: this key is set twice, first in line 1|remove one of the two`},
	{"\"<<\": {}", `1:1: unknown key "<<"|`},
	{"rules:\n- &r {section: a}\n- {<<: *r, sektion: b}\n", `3:12: unknown key "sektion"|did you mean section?`},

	// More than one document. The first mistake in the file counts.
	{"docroot: x\n---\ndocroot: y\n", `2:1: a second document begins here|keep one, and remove the line of dashes`},
	{"---\n---\n", `2:1: a second document begins here|keep one, and remove the line of dashes`},
	{"zebra: x\n---\n", `1:1: unknown key "zebra"|`},
	{"docroot: x\n...\nstate: y\n", `3:1: the document has ended before this|`},

	// Text.
	{"docroot: x\nstate: \xff\n", `2:8: the file is not UTF-8 text|save it as UTF-8`},
	{"\xff\xfed\x00", `1:1: the file is not UTF-8 text|save it as UTF-8`},
	{"docroot: ü\x00", `1:11: the control character U+0000 is not allowed|remove it`},
	{"a\r\nb\r\x1b", `3:1: the control character U+001B is not allowed|remove it`},
	{"docroot: x\ufeff", `1:11: the control character U+FEFF is not allowed|remove it`},

	// Syntax.
	{"include: **/*.html\n", `1:10: an anchor or alias needs a name|text that begins with * must be in quotes`},
	{"docroot: x\nexclude: *foo\n", `2:10: the alias names no anchor above|text that begins with * must be in quotes`},
	{"exclude:\n  - a\n  - *.bak\n", `3:5: an anchor or alias needs a name|text that begins with * must be in quotes`},
	{"output:\n\tdir: x\n", `2:1: a tab cannot indent|indent with spaces`},
	{"output:\n  dir: x\n\troot: y\n", `3:1: a tab cannot indent|indent with spaces`},
	{"docroot: x\r\n \tstate: y\r\n", `2:2: a tab cannot indent|indent with spaces`},
	{"docroot: a: b\n", `1:11: a colon is not expected here|put text that holds a colon in quotes, or check the indentation`},
	{"# c\n\na:\n  b: 1\n c: 2\n", `5:2: a key is expected here|check the indentation here and above, and the quotes`},
	{"rules:\n - match: a\n  section: b\n", `3:3: a list entry is expected here|check the indentation here and above, and the quotes`},
	{"docroot: x\nfoo bar\nstate: y\n", `2:1: a colon is missing after the key|write key: value`},
	{"docroot: x\nexclude: [a,\n  b\nstate: y\n", `3:3: the list lacks a comma or its closing bracket|`},
	{"docroot: [x\n", `1:11: the list lacks a comma or its closing bracket|`},
	{"output: {dir: x\nstate: y\n", `1:10: the braces lack a comma or their end|`},
	{"docroot: \"x\n\nstate: y\n", `1:10: the quotes are not closed|`},
	{"state: y\ndocroot: 'x\n", `2:10: the quotes are not closed|`},
	{"docroot: \"é\\d\"", `1:12: the escape after the backslash is not known|in single quotes a backslash is a plain character`},
	{"docroot: @x", `1:10: a value cannot begin with this character|put text with special characters in quotes`},
	{"include: - a", `1:10: a list entry is not expected here|begin the list on a line of its own`},
	{"%YAML 3.0\n---\n", `1:9: this version of YAML is not understood|remove the line`},
	{"docroot: x\n---\nstate: [y\n", `3:9: the list lacks a comma or its closing bracket|`},
}

func TestMistakesHaveAPlaceAndAHint(t *testing.T) {
	for _, test := range mistakes {
		_, err := Decode([]byte(test.text), defaults(), quoting)
		var bad *Error
		if !errors.As(err, &bad) {
			t.Errorf("%.60q: %v, want %s", test.text, err, test.want)
			continue
		}
		if got := fmt.Sprintf("%d:%d: %s|%s", bad.Line, bad.Column, bad.Message, bad.Hint); got != test.want {
			t.Errorf("%.60q:\n got %s\nwant %s", test.text, got, test.want)
		}
		if bad.File != quoting.File || strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("%.60q: error of %q: %v", test.text, bad.File, err)
		}
	}
}

func TestFileSizeLimit(t *testing.T) {
	comment := "#" + strings.Repeat("x", MaxSize-1)
	if _, err := Decode([]byte(comment), defaults(), quoting); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	_, err := Decode([]byte(comment+"x"), defaults(), quoting)
	if want := "sitewalk.yaml: the file is larger than 1048576 bytes"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestLargeFilesKeepALine: beyond maxLocate yaml.v3's own line must do.
func TestLargeFilesKeepALine(t *testing.T) {
	text := "docroot: x\n" + strings.Repeat("# comment\n", maxLocate/10) + "state: a: b\n"
	_, err := Decode([]byte(text), defaults(), quoting)
	var bad *Error
	if !errors.As(err, &bad) || bad.Line != maxLocate/10+2 || bad.Column != 1 {
		t.Errorf("%v", err)
	}
}
