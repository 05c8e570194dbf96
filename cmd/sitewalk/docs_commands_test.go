package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/pflag"
	"gopkg.in/yaml.v3"

	"sitewalk"
)

// A snippet is code in a page of the documentation: a fenced block, or what stands
// between two backticks in a line.
type snippet struct {
	page     string
	line     int
	language string // of a block; inline if it is none
	text     string
}

const inline = "inline"

func (s snippet) String() string { return fmt.Sprintf("%s:%d", s.page, s.line) }

// documentedCode returns the code in README and in the pages of docs.
func documentedCode(t *testing.T) []snippet {
	t.Helper()
	pages, err := filepath.Glob(filepath.FromSlash("../../docs/*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("there are no pages in docs: %v", err)
	}
	var code []snippet
	for _, page := range append(pages, filepath.FromSlash("../../README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		code = append(code, codeOf(filepath.Base(page), strings.ReplaceAll(string(text), "\r\n", "\n"))...)
	}
	return code
}

var codeSpan = regexp.MustCompile("`([^`]+)`")

// codeOf returns the code in a page of Markdown.
func codeOf(page, text string) (code []snippet) {
	var block *snippet
	for i, line := range strings.Split(text, "\n") {
		language, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && block == nil:
			block = &snippet{page: page, line: i + 2, language: language}
		case fence:
			code = append(code, *block)
			block = nil
		case block != nil:
			block.text += line + "\n"
		default:
			for _, match := range codeSpan.FindAllStringSubmatch(line, -1) {
				code = append(code, snippet{page, i + 1, inline, match[1]})
			}
		}
	}
	return code
}

// scripts returns what of the snippet is for a shell. In languages with strings of
// their own it is each string; what an action's args say are flags of build.
func (s snippet) scripts() (scripts []string, err error) {
	var value any
	switch s.language {
	case "text", "xml", "go":
		return nil, nil
	case "json":
		err = json.Unmarshal([]byte(s.text), &value)
	case "toml":
		err = toml.Unmarshal([]byte(s.text), &value)
	case "yaml":
		err = yaml.Unmarshal([]byte(s.text), &value)
	case "console":
		for _, line := range strings.Split(s.text, "\n") {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				scripts = append(scripts, command)
			}
		}
		return scripts, nil
	default:
		return []string{s.text}, nil
	}
	var walk func(key string, value any)
	walk = func(key string, value any) {
		switch value := value.(type) {
		case string:
			if key == "args" {
				value = "sitewalk build " + value
			}
			scripts = append(scripts, value)
		case []any:
			for _, element := range value {
				walk("", element)
			}
		case map[string]any:
			for key, element := range value {
				walk(key, element)
			}
		}
	}
	walk("", value)
	return scripts, err
}

// simpleCommands splits a shell script into its simple commands and these into words,
// without quotes, redirections and comments. Nothing is expanded; "$@" is left out.
func simpleCommands(script string) (commands [][]string) {
	script = strings.ReplaceAll(script, "\\\n", " ")
	var words []string
	var word strings.Builder
	inWord, redirected := false, false
	endWord := func() {
		if inWord && !redirected && word.String() != "$@" {
			words = append(words, word.String())
		}
		redirected = redirected && !inWord
		inWord = false
		word.Reset()
	}
	endCommand := func() {
		endWord()
		if len(words) > 0 {
			commands = append(commands, words)
		}
		words, redirected = nil, false
	}
	for i := 0; i < len(script); i++ {
		switch c := script[i]; c {
		case '\'', '"':
			inWord = true
			end := strings.IndexByte(script[i+1:], c)
			if end < 0 {
				end = len(script) - i - 1
			}
			word.WriteString(script[i+1 : i+1+end])
			i += end + 1
		case ' ', '\t':
			endWord()
		case '\n', ';', '&', '|', '(', ')':
			endCommand()
		case '<', '>':
			if word.String() == "2" {
				inWord = false
			}
			endWord()
			redirected = true
			if strings.HasPrefix(script[i+1:], "&") {
				i++
			}
		case '#':
			if inWord {
				word.WriteByte(c)
				continue
			}
			end := strings.IndexByte(script[i:], '\n')
			if end < 0 {
				end = len(script) - i
			}
			i += end - 1
		default:
			inWord = true
			word.WriteByte(c)
		}
	}
	endCommand()
	return commands
}

// argumentsIn returns the arguments of each sitewalk that a script runs, whatever runs
// it: exec, ssh, docker, cron. A name before anything but a command or a flag is one of
// a file or an image.
func argumentsIn(script string) (all [][]string) {
	for _, words := range simpleCommands(script) {
		for i, word := range words[:len(words)-1] {
			next := strings.TrimLeft(words[i+1], "-")
			if path.Base(word) == "sitewalk" && word[0] != '-' && next != "" && next[0] >= 'a' && next[0] <= 'z' {
				all = append(all, words[i+1:])
				break
			}
		}
	}
	return all
}

// parseCommandLine has the command line parsed as the program would, which is not run. An
// incomplete one, as in running text, may lack values and arguments.
func parseCommandLine(args []string, complete bool) error {
	c := &command{environ: func(string) string { return "" }}
	root := c.root()
	root.InitDefaultVersionFlag()
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	cmd.InitDefaultHelpFlag()
	err = cmd.ParseFlags(rest)
	var lacks *pflag.ValueRequiredError
	switch {
	case errors.As(err, &lacks) && !complete:
		return nil
	case err != nil:
		return err
	case cmd == root || complete:
		err = cmd.ValidateArgs(cmd.Flags().Args())
	}
	if err == nil && cmd.Flags().Lookup("docroot") != nil {
		err = c.checkFlags(cmd)
	}
	return err
}

func TestEveryDocumentedCommandParses(t *testing.T) {
	found := map[string]int{}
	for _, snippet := range documentedCode(t) {
		scripts, err := snippet.scripts()
		if err != nil {
			t.Errorf("%v: the %s cannot be read: %v", snippet, snippet.language, err)
		}
		for _, script := range scripts {
			for _, args := range argumentsIn(script) {
				found[snippet.page]++
				if err := parseCommandLine(args, snippet.language != inline); err != nil {
					t.Errorf("%v: sitewalk %s: %v", snippet, strings.Join(args, " "), err)
				}
			}
		}
	}
	for page, least := range map[string]int{"README.md": 25, "pipelines.md": 30} {
		if found[page] < least {
			t.Errorf("only %d commands were found in %s", found[page], page)
		}
	}
}

// What the test above finds, and what it does not let pass.
func TestDocumentedCommandsAreFoundAndHeldToTheirFlags(t *testing.T) {
	for _, test := range []struct {
		code, found, said string
	}{
		{"```sh\nhugo && sitewalk build -q  # && sitewalk x\n```", "build -q", ""},
		{"```sh\nexec ./sitewalk build --sites \"$a b\" \"$@\" > log 2>&1 < /dev/null\n```", "build --sites $a b", ""},
		{"```sh\ndocker run -v sitewalk:/cache \\\n  sitewalk watch --docroot d\n```", "watch --docroot d", ""},
		{"```dockerfile\nRUN --mount=type=cache,target=/cache/sitewalk \\\n  sitewalk build\n```", "build", ""},
		{"```sh\ndocker build -t sitewalk .\npackaging/build sitewalk # it\n```", "", ""},
		{"```console\n$ sitewalk build\nsitewalk says --what\n```", "build", ""},
		{"```json\n{\"scripts\": {\"postbuild\": \"sitewalk build --nope\"}}\n```", "build --nope", "unknown flag: --nope"},
		{"```toml\n[build]\ncommand = \"sitewalk build -j 1000\"\n```", "build -j 1000", "--jobs must be"},
		{"```yaml\nwith: {args: --no-raed}\n```", "build --no-raed", "unknown flag: --no-raed"},
		{"```crontab\n1 * * * *  root  /usr/bin/sitewalk build --previous\n```", "build --previous", "needs an argument"},
		{"```sh\nsitewalk biuld\n```", "biuld", "did you mean build?"},
		{"```sh\nsitewalk build public\n```", "build public", "takes no arguments"},
		{"Say `sitewalk build --previous`, or\n`sitewalk explain`.", "build --previous; explain", ""},
		{"Say `sitewalk build --nope`.", "build --nope", "unknown flag: --nope"},
	} {
		var found []string
		said := ""
		for _, snippet := range codeOf("page", test.code) {
			scripts, err := snippet.scripts()
			if err != nil {
				t.Fatal(err)
			}
			for _, script := range scripts {
				for _, args := range argumentsIn(script) {
					found = append(found, strings.Join(args, " "))
					if err := parseCommandLine(args, snippet.language != inline); err != nil {
						said = err.Error()
					}
				}
			}
		}
		if got := strings.Join(found, "; "); got != test.found {
			t.Errorf("in %q %q is found, not %q", test.code, got, test.found)
		}
		if !strings.Contains(said, test.said) || (said == "") != (test.said == "") {
			t.Errorf("of %q is said %q, not %q", test.code, said, test.said)
		}
	}
}

// othersKeys are at the top of YAML that is not sitewalk's.
var othersKeys = []string{"steps", "pages", "deployment"}

// ownSetting is a setting of sitewalk's in running text.
var ownSetting = regexp.MustCompile(`^(exclude|lastmod|lastmod_ignore|output|robots|rules|submit|urls): [\[{]`)

func TestEveryDocumentedConfigurationLoads(t *testing.T) {
	loaded := 0
	for _, snippet := range documentedCode(t) {
		if snippet.language != "yaml" && !(snippet.language == inline && ownSetting.MatchString(snippet.text)) {
			continue
		}
		var settings map[string]any
		if yaml.Unmarshal([]byte(snippet.text), &settings) != nil || slices.ContainsFunc(othersKeys, func(key string) bool { return settings[key] != nil }) {
			continue // a list, or another program's
		}
		text := snippet.text
		if settings["base_url"] == nil && settings["sites"] == nil {
			text = "base_url: https://www.example.com/\n" + text
		}
		file := filepath.Join(t.TempDir(), configFile)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := sitewalk.Load(file); err != nil {
			t.Errorf("%v: %v", snippet, err)
		}
		loaded++
	}
	if loaded < 15 {
		t.Errorf("only %d configurations were found", loaded)
	}
}

// othersFlags are flags of other programs that running text names by themselves.
var othersFlags = []string{"cleanDestinationDir", "delete-after", "no-cache"}

func TestEveryFlagThatTheTextNamesExists(t *testing.T) {
	known := map[string]bool{"help": true, "version": true}
	for _, cmd := range (&command{}).root().Commands() {
		cmd.Flags().VisitAll(func(flag *pflag.Flag) { known[flag.Name] = true })
	}
	checked := 0
	for _, snippet := range documentedCode(t) {
		name, ok := strings.CutPrefix(snippet.text, "--")
		if !ok || snippet.language != inline {
			continue
		}
		if name, _, _ = strings.Cut(name, " "); !known[name] && !slices.Contains(othersFlags, name) {
			t.Errorf("%v: no command has --%s", snippet, name)
		}
		checked++
	}
	if checked < 40 {
		t.Errorf("only %d flags were found", checked)
	}
}
