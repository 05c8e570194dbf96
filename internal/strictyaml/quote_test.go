package strictyaml

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode"
)

func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// ownWords are the words of the package's string literals and of config's keys:
// all that a message may consist of when it may not quote.
var ownWords = sync.OnceValue(func() map[string]bool {
	own := make(map[string]bool)
	entries, err := os.ReadDir(".")
	if err != nil {
		panic(err)
	}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		source, err := parser.ParseFile(token.NewFileSet(), entry.Name(), nil, 0)
		if err != nil {
			panic(err)
		}
		ast.Inspect(source, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				text, err := strconv.Unquote(literal.Value)
				if err != nil {
					panic(err)
				}
				for _, word := range wordsOf(text) {
					own[word] = true
				}
			}
			return true
		})
	}
	for _, path := range pathsOf(reflect.TypeFor[config]()) {
		own[path.name] = true
	}
	return own
})

// foreignWords lists the words of an error that are not the program's own.
// Numbers may be lines of the text or the bounds of config's integers.
func foreignWords(bad *Error, lines int) []string {
	bounds := []string{"128", "127", "65535", "9223372036854775808", "9223372036854775807", strconv.Itoa(MaxSize)}
	return slices.DeleteFunc(wordsOf(bad.Message+" "+bad.Hint), func(word string) bool {
		n, err := strconv.Atoi(word)
		return ownWords()[word] || err == nil && n <= lines || slices.Contains(bounds, word)
	})
}

// foreign are texts that are not configurations, or not only.
var foreign = []string{
	"root:$6$kJ3xQ8pLz$Vw0hT7nYbRcAeUuMdGfSiOqNzXy:19000:0:99999:7:::\ndaemon:*:18375:0:99999:7:::\n",
	"root:x:0:0:root:/root:/bin/bash\nalice:x:1000:1000:Alice Liddell,,,:/home/alice:/bin/zsh\n",
	"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU\n-----END OPENSSH PRIVATE KEY-----\n",
	"DB_PASSWORD=hunter2\nAPI_KEY='correct horse'\n",
	"password: hunter2\n",
	"docroot: hunter2\nhunter3: hunter4\n",
	"hunter2: *hunter3\n",
	"include: &hunter2 [*hunter2]\n",
	"include: *hunter2",
	"include: [*hunter2\n",
	"docroot: !hunter2 hunter3\n",
	"docroot: !hunter2!hunter3 hunter4\n",
	"%hunter2 3\n---\n",
	"%YAML 9.876\n---\n",
	"%TAG !a! hunter2\n%TAG !a! hunter3\n---\n",
	"docroot: \"hunter2\\hunter3\"\n",
	"docroot: @hunter2\n",
	"docroot: hunter2: hunter3\n",
	"docroot: hunter2\nhunter3\n",
	"hunter2: [hunter3\n",
	"hunter2: 1\nhunter2: 2\n",
	"<<: {hunter2: 1, hunter2: 2}\nhunter2: 3\n",
	"<<: hunter2\n",
	"[hunter2]: hunter3\n",
	"output: hunter2\n",
	"output: {max_urls: hunter2}\n",
	"output: {max_urls: 31337313373133731337}\n",
	"output: {level: 31337}\n",
	"pages: {read: hunter2}\n",
	"rules: [{priority: hunter2}]\n",
	"rules: [{match: [[hunter2]]}]\n",
	"watch: {settle: hunter2}\n",
	"watch: {settle: -31337s}\n",
	"follow_symlinks: hunter2\n",
	"follow_symlinks: {hunter2: hunter3}\n",
	"docroot: hunter2\n---\nhunter3\n",
	"docroot: hunter2\n...\nhunter3\n",
	"baseurl: hunter2\n",
	"gzip: hunter2\n",
	"docroot: hunter2\x00hunter3",
	"docroot: hunter2\xffhunter3",
	"\xff\xfeh\x00u\x00n\x00t\x00e\x00r\x00",
}

func TestMessagesDoNotQuoteUnlessTold(t *testing.T) {
	texts := slices.Clone(foreign)
	for _, mistake := range mistakes {
		texts = append(texts, mistake.text)
	}
	for _, text := range texts {
		_, err := Decode([]byte(text), defaults(), Options{File: "sitewalk.yaml"})
		var bad *Error
		if !errors.As(err, &bad) {
			t.Errorf("%.60q: %v", text, err)
			continue
		}
		if words := foreignWords(bad, 1+strings.Count(text, "\n")); len(words) > 0 {
			t.Errorf("%.60q: %v: repeats %q", text, err, words)
		}
		if strings.Contains(err.Error(), "hunter") || strings.Contains(err.Error(), "31337") {
			t.Errorf("%.60q: %v", text, err)
		}
		_, quotingErr := Decode([]byte(text), defaults(), quoting)
		if place, other := placeOf(err), placeOf(quotingErr); place != other {
			t.Errorf("%.60q: at %s, and at %s when quoting", text, place, other)
		}
	}
}

func placeOf(err error) string {
	var bad *Error
	if !errors.As(err, &bad) {
		return ""
	}
	return fmt.Sprintf("%d:%d", bad.Line, bad.Column)
}
