package robots

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// modelVerdict says what Parse, Group and Allowed should: whether agent may
// crawl path, and the number of the line that decides, or 0. It reads the file
// anew for one agent and one path, as Google's matcher does, and leaves
// patterns to regexp.
func modelVerdict(file, agent, path string) (allowed bool, line int) {
	if len(file) > MaxSize {
		if file[MaxSize] != '\r' && file[MaxSize] != '\n' {
			file = file[:MaxSize]
			for file != "" && !strings.HasSuffix(file, "\r") && !strings.HasSuffix(file, "\n") {
				file = file[:len(file)-1]
			}
		} else {
			file = file[:MaxSize]
		}
	}
	for _, mark := range []string{"\xEF\xBB\xBF", "\xEF\xBB", "\xEF"} {
		if without, found := strings.CutPrefix(file, mark); found {
			file = without
			break
		}
	}
	agent = strings.ToLower(strings.Split(agent, "/")[0])

	type match struct{ length, line int }
	var allows, disallows [2]match // for everyone, and for agent
	var naming [2]bool             // the group names everyone, or agent
	var ruled, known bool
	file = strings.ReplaceAll(strings.ReplaceAll(file, "\r\n", "\n"), "\r", "\n")
	for i, text := range strings.Split(file, "\n") {
		parts := modelLine.FindStringSubmatch(latin1String(text[:min(len(text), 16663)]))
		if parts == nil {
			continue
		}
		name, value := strings.ToLower(parts[1]+parts[3]), parts[2]+parts[4]
		switch {
		case strings.HasPrefix(name, "user-agent") || strings.HasPrefix(name, "useragent") || strings.HasPrefix(name, "user agent"):
			if ruled {
				naming = [2]bool{}
				ruled = false
			}
			if modelEveryone.MatchString(value) {
				naming[0] = true
			} else if token := strings.ToLower(modelToken.FindString(value)); token != "" && token == latin1String(agent) {
				naming[1], known = true, true
			}
		case strings.HasPrefix(name, "allow"):
			ruled = true
			length := modelLength(value, path)
			if folder := modelIndex.FindStringSubmatch(value); folder != nil && length < 0 {
				length = modelLength(folder[1]+"$", path)
			}
			for j := range naming {
				if naming[j] && length > allows[j].length {
					allows[j] = match{length, i + 1}
				}
			}
		case modelDisallow.MatchString(name):
			ruled = true
			length := modelLength(value, path)
			for j := range naming {
				if naming[j] && length > disallows[j].length {
					disallows[j] = match{length, i + 1}
				}
			}
		}
	}
	kind := 0
	if known {
		kind = 1
	}
	if disallows[kind].length > allows[kind].length {
		return false, disallows[kind].line
	}
	return true, allows[kind].line
}

var (
	modelLine     = regexp.MustCompile(`(?s)^[\s\v]*(?:([^:#\x00]*[^:#\x00\s\v])[\s\v]*:[\s\v]*([^#\x00]*?)[\s\v]*|([^\s:#\x00](?:[^ \t:#\x00]*[^\s\v:#\x00])??)[\v\f]*[ \t]+[\v\f]*([^ \t:#\x00]*[^\s\v:#\x00])[\s\v]*)(?:[#\x00].*)?$`)
	modelEveryone = regexp.MustCompile(`^\*([\s\v]|$)`)
	modelToken    = regexp.MustCompile(`^[a-zA-Z_-]*`)
	modelIndex    = regexp.MustCompile(`(?s)^(.*/)index\.htm[^/]*$`)
	modelDisallow = regexp.MustCompile(`^(disallow|dissallow|dissalow|disalow|diasllow|disallaw)`)
	modelEscape   = regexp.MustCompile(`%[0-9a-fA-F]{2}|[^\x00-\x7F]`)
)

// modelLength returns the length of a pattern that matches path, or -1.
func modelLength(pattern, path string) int {
	pattern = modelEscape.ReplaceAllStringFunc(pattern, func(s string) string {
		if s[0] == '%' {
			return strings.ToUpper(s)
		}
		r := []rune(s)[0]
		return string([]byte{'%', "0123456789ABCDEF"[r>>4], "0123456789ABCDEF"[r&15]})
	})
	text, anchored := strings.CutSuffix(pattern, "$")
	text = strings.ReplaceAll(regexp.QuoteMeta(text), `\*`, ".*")
	if anchored {
		text += `\z`
	}
	if !regexp.MustCompile(`(?s)\A` + text).MatchString(latin1String(path)) {
		return -1
	}
	return len(pattern)
}

// latin1String makes a character of each byte, so that regexp sees bytes.
func latin1String(s string) string {
	characters := make([]rune, len(s))
	for i := range len(s) {
		characters[i] = rune(s[i])
	}
	return string(characters)
}

func checkAgainstModel(t rapid.TB, file, agent, path string) {
	wantAllowed, wantLine := modelVerdict(file, agent, path)
	allowed, rule := Parse([]byte(file)).Group(agent).Allowed([]byte(path))
	line := 0
	if rule != nil {
		line = rule.Line
	}
	if allowed != wantAllowed || line != wantLine {
		t.Fatalf("%q for %q, %q: %v by line %d, want %v by line %d", path, agent, file, allowed, line, wantAllowed, wantLine)
	}
}

func TestVerdictsAreTheModels(t *testing.T) {
	pattern := rapid.OneOf(
		rapid.StringMatching(`/?[ab/*]{0,6}\$?`),
		rapid.StringMatching(`/[ab/*]{0,3}(/index\.html?|%aa|é|a\*b)?[$*]?`),
	)
	path := rapid.StringMatching(`/[ab/]{0,8}(index\.html?|%AA|%C3%A9)?`)
	agent := rapid.SampledFrom([]string{"*", "bot", "Bot/1.0", "robot", "ro bot", ""})
	ending := rapid.SampledFrom([]string{"\n", "\r", "\r\n", "\n\n", "# x\n", " \n", "\x00\n", ""})
	line := rapid.Custom(func(t *rapid.T) string {
		name := rapid.SampledFrom([]string{
			"user-agent: *", "User-Agent:bot", "useragent robot", "user-agent: ro bot", "sitemap: /s", "noise", "", "\xEF\xBB",
			"allow: ", "Allow:", "disallow: ", "Disalow : ", "disallow ", "allow\v", "allow: ", "disallow: ",
		}).Draw(t, "name")
		if strings.Contains(strings.ToLower(name), "al") {
			name += pattern.Draw(t, "pattern")
		}
		return name + ending.Draw(t, "ending")
	})
	rapid.Check(t, func(t *rapid.T) {
		file := strings.Join(rapid.SliceOfN(line, 0, 12).Draw(t, "lines"), "")
		checkAgainstModel(t, file, agent.Draw(t, "agent"), path.Draw(t, "path"))
	})
}

func FuzzAllowed(f *testing.F) {
	for _, file := range []string{
		"user-agent: bot\ndisallow: /\nallow: /a/index.html\n",
		"\xEF\xBBUser agent *\r\ndissallow /*a*b$#c\rallow:/%aa\xC3",
		"user-agent: *\nuser-agent: bot\n\ndisallow: /a\nuser-agent: bot\nallow: /a*\n",
		"user-agent: *\ndisallow: /\x00\nallow\v:\f/*/\vb\n",
	} {
		f.Add(file, "bot", "a/")
		f.Add(file, "*", "%AAb")
	}
	f.Fuzz(func(t *testing.T, file, agent, path string) {
		if len(file) > 1<<12 || len(path) > 1<<8 {
			return // the model is slow
		}
		checkAgainstModel(t, file, agent, "/"+path)
	})
}
