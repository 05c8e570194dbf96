package generator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"gopkg.in/yaml.v3"
)

// read returns what a module exports by default under a path of keys.
func read(t *testing.T, source string, keys ...string) *value {
	t.Helper()
	m, err := parseModule("x.js", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	return m.find(m.config(), keys...)
}

// show writes a value for a comparison: "?" is code, a mark behind it says unsure.
func show(v *value) string {
	if v == nil {
		return "absent"
	}
	s := "?"
	switch v.kind {
	case text:
		s = fmt.Sprintf("%q", v.text)
	case number, truth:
		s = v.text
	case nothing:
		s = "null"
	case list:
		s = fmt.Sprintf("list of %d", len(v.items))
	case table:
		s = fmt.Sprintf("table of %d", len(v.fields))
	}
	if v.unsure {
		s += " unsure"
	}
	return fmt.Sprintf("%s line %d", s, v.place.Line)
}

func TestLiteralsAreRead(t *testing.T) {
	for _, test := range []struct{ source, want string }{
		{`export default { a: 'x' }`, `"x" line 1`},
		{"export default {\n'a': \"x\\u0041\\x42\\u{1F600}\\ud83d\\ude00\\n\",\n}", `"xAB😀😀\n" line 2`},
		{"export default { a: `x${1}y` }", "? line 1"},
		{"export default { a: `it's \\` fine` }", "\"it's ` fine\" line 1"},
		{"export default { b: `${`${'}'}`}`, a: 'x' }", `"x" line 1`},
		{`export default { a: 'x' + 'y' }`, "? line 1"},
		{`export default { a: cond ? 'x' : 'y' }`, "? line 1"},
		{`export default { a: cond ? 'x' : 'y', b: 1 }`, "? line 1"},
		{`export default { a: process.env.A ?? 'x' }`, `"x" unsure line 1`},
		{`export default { a: process.env.A || process.env.B || "x" }`, `"x" unsure line 1`},
		{`export default { a: 'x' || process.env.A }`, `"x" line 1`},
		{`export default { a: f('x') }`, "? line 1"},
		{`export default { a: 'x'.trim() }`, "? line 1"},
		{`export default { a: ['x'].join() }`, "? line 1"},
		{`export default { a: new URL('https://a.dev') }`, `"https://a.dev" line 1`},
		{`export default { a: new URL('https://a.dev').href }`, "? line 1"},
		{`export default { a: new URL('./x', import.meta.url) }`, "? line 1"},
		{`export default { a: true }`, "true line 1"},
		{`export default { a: !true }`, "? line 1"},
		{`export default { a: 1.5e3 }`, "1.5e3 line 1"},
		{`export default { a: undefined }`, "null line 1"},
		{`export default { a: 'x' as const }`, `"x" line 1`},
		{`export default { a: 'x' as string | undefined, b: 1 } satisfies Config<A, B>`, `"x" line 1`},
		{`export default { a: ('x') }`, `"x" line 1`},
		{`export default { a: 'x', a: 'y' }`, `"y" line 1`},
		{`export default { ...b, a: 'x' }`, `"x" line 1`},
		{`export default { a: 'x', ...b }`, `"x" unsure line 1`},
		{`export default { ...b }`, "? line 1"},
		{`export default { ['a' + b]: 'x' }`, "? line 1"},
		{`export default { a() { return 'x' }, b: 1 }`, "? line 1"},
		{`export default { async a() { return 'x' } }`, "absent"},
		{`export default { b: { a: 'no' } }`, "absent"},
		{`export default { /* a: 'no' */ b: 1 // a: 'no'` + "\n, a: 'x' }", `"x" line 2`},
		{`export default { b: /[/}"']/g.test(c), a: 'x' }`, `"x" line 1`},
		{`export default { b: 4 / 2 / 1, a: 'x' }`, `"x" line 1`},
		{`export default { b: c / "}" / 2, a: 'x' }`, `"x" line 1`},
		{`export default { b: (c, d) => { return { a: 'no' } }, a: 'x' }`, `"x" line 1`},
		{`export default { b: async x => ({ a: 'no' }), a: 'x' }`, `"x" line 1`},
		{`export default { b: function () { return '}' }, a: 'x' }`, `"x" line 1`},
		{"const a = 'x'\nexport default { a }", `"x" line 2`},
		{"const a = 'x';\nconst b = a;\nexport default { a: b }", `"x" line 3`},
		{"let a = 'x';\nlet a = 'y';\nexport default { a }", "? line 3"},
		{"const c = { a: 'x' }\nexport default c", `"x" line 1`},
		{"const c: Config = {\na: 'x' }\nexport default c as Config;", `"x" line 2`},
		{"/** @type {X} */\nconst c = ({\na: 'x' });\n\nmodule.exports = c;", `"x" line 3`},
		{"export default defineConfig({ a: 'x' })", `"x" line 1`},
		{"export default defineConfig<Some<Type>>({ a: 'x' })", `"x" line 1`},
		{"export default defineConfig(async ({ mode }) => {\n const z = 1\n return { a: 'x' }\n})", `"x" line 3`},
		{"export default withA(options)(withB({ a: 'x' }))", `"x" line 1`},
		{"module.exports = withA({ a: 'x' }, c)", `"x" line 1`},
		{"const c = { a: 'x' };\nmodule.exports = withA(c);", `"x" line 1`},
		{"export default () => ({ a: 'x' })", `"x" line 1`},
		{"export default (phase, { d }): Config => {\nif (phase) { return { a: 'no' } }\nreturn { a: 'x' };\n}", `"x" line 3`},
		{"module.exports = async function (c) { return { a: 'x' } }", `"x" line 1`},
		{"function make() { return { a: 'x' } }\nexport default make()", `"x" line 1`},
		{"function make(): Config { return { a: 'x' } }\nexport default make", `"x" line 1`},
		{"export default make()", "? line 1"},
		{"export default c", "? line 1"},
		{"import c from './c'\nexport default c", "? line 2"},
		{"const a = b\nconst b = a\nexport default a", "? line 2"},
		{"const x = 1", "? line 0"},
		{"#!/usr/bin/env node\nexport default { a: 'x' }", `"x" line 2`},
		{"export default { a: 'x' /* not closed", `"x" line 1`},
		{"export default { a: 'not closed\n, b: 1 }", `"not closed" line 1`},
		{"export default { b: [, , 'y'], a: 'x' }", `"x" line 1`},
		{"export default { b: [1, [2, {}]], a: 'x' }", `"x" line 1`},
		{"export default { b: ')', a: 'x' }", `"x" line 1`},
		{"export default { b: 1 ) ] , a: 'x' }", "absent"},
		{"export default {a: " + strings.Repeat("[", 200) + "'x'" + strings.Repeat("]", 200) + "}", "list of 1 line 1"},
		{"export default {a: " + strings.Repeat("(", 200) + "'x'" + strings.Repeat(")", 200) + "}", "? line 1"},
	} {
		if got := show(read(t, test.source, "a")); got != test.want {
			t.Errorf("%.200s\n gives %s, not %s", test.source, got, test.want)
		}
	}
}

func TestNamesOfImportsAreKnown(t *testing.T) {
	m, err := parseModule("x.js", []byte(`import a, { b, c as d } from "one";
import * as e from 'two'
import type { f } from "three"
import "four"
const g = require('five'), h = 1
const { i, j: k } = require("six");
`))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"a": "one", "b": "one", "d": "one", "e": "two", "f": "three", "g": "five", "i": "six", "k": "six", "h": "",
	} {
		if got := m.imports[name]; got != want {
			t.Errorf("%s comes from %q, not %q", name, got, want)
		}
	}
}

// same reports whether a value is what encoding/json reads, and where they differ.
func same(v *value, of any, path string) error {
	differ := func() error { return fmt.Errorf("%s is %s, not %#v", path, show(v), of) }
	switch of := of.(type) {
	case nil:
		if !v.is(nothing) {
			return differ()
		}
	case bool:
		if !v.is(truth) || v.text != fmt.Sprint(of) {
			return differ()
		}
	case string:
		if !v.is(text) || v.text != of {
			return differ()
		}
	case float64:
		if !v.is(number) && math.Copysign(1, of) > 0 { // what has a sign counts as computed
			return differ()
		}
	case []any:
		if !v.is(list) || len(v.items) != len(of) {
			return differ()
		}
		for i, item := range of {
			if err := same(v.items[i], item, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case map[string]any:
		if !v.is(table) || len(v.fields) != len(of) {
			return differ()
		}
		for key, field := range of {
			if err := same(v.fields[key], field, path+"."+key); err != nil {
				return err
			}
		}
	}
	return nil
}

// FuzzJSON holds the reader of literals to encoding/json: what is valid JSON must mean
// the same to both, and what is a table the same as what a module exports.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`{"a":"x","b":[1,-2,true,null,{}],"c":{"d":"\u00e9\ud83d\ude00\ud83d\n"}}`, `"\/\\\""`, `[]`, `{"":""}`, `[[[]]]`, "\t1e5 ", `{"a":1,"a":2}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var want any
		if json.Unmarshal(data, &want) != nil || strings.Count(string(data), "[")+strings.Count(string(data), "{") > maxDepth/2 {
			return
		}
		got, err := parse("x.json", data)
		if err != nil {
			t.Fatal(err)
		}
		if strings.ToValidUTF8(string(data), "") != string(data) {
			return // which encoding/json mends
		}
		if err := same(got, want, "it"); err != nil {
			t.Error(err)
		}
		if _, isTable := want.(map[string]any); !isTable {
			return
		}
		for _, around := range [][2]string{{"export default ", ""}, {"module.exports = ", ";"}, {"const a = ", "\nexport default a"}} {
			m, err := parseModule("x.js", []byte(around[0]+string(data)+around[1]))
			if err != nil {
				t.Fatalf("%s: %v", around[0], err)
			}
			if err := same(m.config(), want, around[0]); err != nil {
				t.Error(err)
			}
		}
	})
}

// FuzzFormats holds the readers of TOML and YAML, which know the places of values, to the
// decoders of the same libraries.
func FuzzFormats(f *testing.F) {
	for _, seed := range []string{
		"a.b = 'x'\n[c.'d e']\nf = [1, true, \"\\u00e9\", {g = '''h'''}]\n", "[a]\nb = 1979-05-27\n[a.c]\nd = +inf", "a = \"\"\"\nx\\\n  y\"\"\"",
		"a: &x [1, yes, null, ~, '', 2001-01-01]\nb: *x\nc: |\n  d\n  e\n? f\n: >-\n  g\n", "a: {b: \"\\x41\"}\n---\nc", "a:\n  b: 0x1F\n  c: -1.5e3\n",
	} {
		f.Add([]byte(seed))
	}
	formats := []struct {
		name    string
		decode  func([]byte, any) error
		without []string // what may make anything of a value, or is left out
	}{
		{"x.toml", toml.Unmarshal, []string{"[["}}, {"x.yaml", yaml.Unmarshal, []string{"!", "<<"}},
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, format := range formats {
			var want any
			if slices.ContainsFunc(format.without, func(s string) bool { return bytes.Contains(data, []byte(s)) }) || format.decode(data, &want) != nil || deepest(want) > maxDepth/2 {
				continue
			}
			if _, isTable := want.(map[string]any); !isTable {
				continue
			}
			got, err := parse(format.name, data)
			if err == errTooComplex {
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v", format.name, err)
			}
			if err := same(got, want, format.name); err != nil {
				t.Error(err)
			}
		}
	})
}

// deepest returns how many lists and tables stand in each other.
func deepest(of any) int {
	depth := 0
	switch of := of.(type) {
	case []any:
		for _, item := range of {
			depth = max(depth, 1+deepest(item))
		}
	case map[string]any:
		for _, field := range of {
			depth = max(depth, 1+deepest(field))
		}
	}
	return depth
}

// FuzzModule feeds the reader of literals anything. What it says to be a plain text
// must stand in the source.
func FuzzModule(f *testing.F) {
	for _, seed := range []string{
		"export default { a: 'x', b: [`${c}`], ...d }", "module.exports = (a) => { return {b: a || 'c'} }", "const a: B<C> = d as E\nexport default f(a)",
		"export default async function(x) { return { dir: { output: \"y\" } } }", "import a, {b} from 'c'; export const config = {}", "/[/]/ / `\\``",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseModule("x.js", data)
		if err != nil {
			return
		}
		for _, v := range []*value{m.find(m.config(), "a"), m.find(m.config(), "dir", "output"), m.calledWith("x"), m.resolve(m.exported("config"))} {
			if v.is(text) && !strings.Contains(v.text, "\ufffd") && !strings.ContainsAny(string(data), `\`) && !strings.Contains(string(data), v.text) {
				t.Errorf("%q is not in the source", v.text)
			}
		}
	})
}

// FuzzSettings feeds each generator's look anything, under each name that it reads.
func FuzzSettings(f *testing.F) {
	names := []string{
		"hugo.toml", "config.yaml", "hugo.json", "zola.toml", "_config.yml", "mkdocs.yml", "docusaurus.config.ts", "astro.config.mjs", ".eleventy.js",
		"svelte.config.js", "vite.config.ts", "next.config.mjs", "package.json", "index.html", "CNAME", "netlify.toml", "wrangler.jsonc",
	}
	for i, seed := range []string{
		"baseURL = 'https://a.dev/'\n[a.b]\nc = [{d = 1}]", "baseURL: &a https://a.dev\nb: *a\n<<: {c: d}", "{\"baseURL\": \"https://a.dev\"}", "base_url = \"x\"",
		"url: https://a.dev\npermalink: /:title", "site_url: !ENV [A, b]", "export default {url: 'https://a.dev', presets: [['classic', {}]]}",
	} {
		f.Add(i, []byte(seed))
	}
	f.Add(12, []byte(`{"dependencies":{"next":"1"},"homepage":"https://a.dev"}`))
	f.Add(13, []byte("<link rel=canonical href=https://a.dev/index.html>"))
	f.Fuzz(func(t *testing.T, which int, data []byte) {
		name := names[uint(which)%uint(len(names))]
		found, err := Recognise(project(t, map[string]string{name: string(data)}), Options{Docroot: "www"})
		if err != nil {
			t.Fatal(err)
		}
		if all := fmt.Sprintf("%v", *found); printable(all) != all {
			t.Errorf("%q breaks a line", all)
		}
	})
}
