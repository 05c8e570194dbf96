package robots

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// plainVerdict is what Allowed should say of a group, pattern by pattern.
func plainVerdict(file *File, path []byte) (bool, *Rule) {
	var best *pattern
	for i := range file.sections[0].rules {
		rule := &file.sections[0].rules[i]
		patterns := []pattern{newPattern(rule, rule.pattern)}
		if folder, isIndex := indexFolder(rule.pattern); isIndex && rule.Allow {
			patterns = append(patterns, newPattern(rule, []byte(string(folder)+"$")))
		}
		for j := range patterns {
			p := &patterns[j]
			if bytes.HasPrefix(path, p.literal) && p.matches(path) && (best == nil || p.compareWeight(best) < 0) {
				best = p
			}
		}
	}
	if best == nil {
		return true, nil
	}
	return best.rule.Allow, best.rule
}

func TestManyPatternsWithStarsMeanWhatEachMeans(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := func(name string, least, most int, letters string) string {
			return rapid.StringOfN(rapid.RuneFrom([]rune(letters)), least, most, -1).Draw(r, name)
		}
		var content strings.Builder
		content.WriteString("user-agent: *\n")
		for range rapid.IntRange(crowdSize, 4*crowdSize).Draw(r, "rules") {
			verb := rapid.SampledFrom([]string{"allow", "disallow"}).Draw(r, "verb")
			fmt.Fprintf(&content, "%s: /%s*%s%s\n", verb, text("literal", 0, 3, "ab/"), text("middle", 0, 12, "aab*/"),
				rapid.SampledFrom([]string{"", "*", "$", "*a$", "/index.htm"}).Draw(r, "end"))
		}
		file := Parse([]byte(content.String()))
		group := file.Group("*")
		for range 20 {
			path := []byte("/" + text("path", 0, 30, "aab/"))
			allowed, rule := group.Allowed(path)
			if want, decides := plainVerdict(file, path); allowed != want || rule == nil != (decides == nil) || rule != nil && rule.Line != decides.Line {
				r.Fatalf("%s: %v by %+v, want %v by %+v", path, allowed, rule, want, decides)
			}
		}
	})
}

// TestAsManyKeysAsAFileHasRoomFor is about the shortest lines that can have a middle each.
func TestAsManyKeysAsAFileHasRoomFor(t *testing.T) {
	var content strings.Builder
	content.WriteString("useragent *\n")
	random := rand.New(rand.NewPCG(1, 2))
	var path []byte
	for content.Len() < MaxSize {
		content.WriteString("allow:*")
		content.WriteByte(byte('a' + random.IntN(26)))
		content.WriteByte('\r')
		path = append(path, byte('!'+random.IntN(90)))
	}
	if allowed, _ := Parse([]byte(content.String())).Group("*").Allowed(path); !allowed {
		t.Error("disallowed")
	}
}

// longPath is as long as one that is listed can be, and of such bytes as a hostile owner
// would choose.
func longPath() []byte { return []byte("/" + strings.Repeat("a1234567890xz", 160))[:2000] }

// TestManyPatternsCostALongPathLittle counts the patterns that may be looked at: time is
// no measure on a machine that has other things to do.
func TestManyPatternsCostALongPathLittle(t *testing.T) {
	for name, format := range map[string]string{
		"a number between letters": "-/*a%dxz",
		"a number and a part":      "-/*%d*xz",
		"long ends":                "-/*aaaaaaaaaa%dxxxxxxxxxx",
		"in a folder":              "-/a1*a%dxz",
	} {
		group := Parse([]byte(fill(func(i int) string { return fmt.Sprintf(format, i) }))).Group("*")
		path := longPath()
		all, looked := 0, 0
		for _, list := range group.crowd.lists {
			all += len(list)
			if bytes.Contains(path, keyBytes(&list[0])) {
				looked += len(list)
			}
		}
		if all < 10_000 || looked > all/100 {
			t.Errorf("%s: %d of %d patterns are looked at", name, looked, all)
		}
	}
}

// keyBytes returns the key of a pattern.
func keyBytes(p *pattern) []byte {
	key := make([]byte, p.keyLength)
	for i := range key {
		key[i] = byte(p.key >> (8 * (p.keyLength - 1 - i)))
	}
	return key
}

func TestManyPatternsDoNotAllocate(t *testing.T) {
	group := Parse([]byte(fill(func(i int) string { return fmt.Sprintf("-/*a%dxz", i) }))).Group("*")
	path := longPath()
	if n := testing.AllocsPerRun(10, func() { group.Allowed(path) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAllowedLongPath(b *testing.B) {
	group := Parse([]byte(fill(func(i int) string { return fmt.Sprintf("-/*a%dxz", i) }))).Group("*")
	path := longPath()
	for b.Loop() {
		group.Allowed(path)
	}
}
