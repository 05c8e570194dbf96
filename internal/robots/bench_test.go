package robots

import (
	"fmt"
	"strings"
	"testing"
)

// Each benchmark asks about one page an operation.
var pagePaths = [][]byte{
	[]byte("/"),
	[]byte("/about-us.html"),
	[]byte("/blog/2024/03/release-notes-for-march/index.html"),
	[]byte("/docs/v2/reference/configuration.html"),
}

func benchmarkAllowed(b *testing.B, file string) {
	group := Parse([]byte(file)).Group("*")
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		group.Allowed(pagePaths[i&3])
		i++
	}
}

func BenchmarkAllowed(b *testing.B) {
	b.Run("twenty rules", func(b *testing.B) {
		benchmarkAllowed(b, rules(
			"-/admin/", "-/cgi-bin/", "-/search", "-/*?s=", "-/*.php$", "-/*.inc$", "-/tmp/", "-/private/", "+/private/press/", "-/drafts/",
			"-/cart", "-/checkout", "-/*/print/", "-/*?sort=", "-/trackback/", "-/*/feed/", "+/assets/", "-/assets/internal/", "-/node/add", "-/user/",
		))
	})
	b.Run("literals of MaxSize", func(b *testing.B) {
		benchmarkAllowed(b, fill(func(i int) string { return fmt.Sprintf("-/blog/%d/", i) }))
	})
	b.Run("stars of MaxSize", func(b *testing.B) {
		benchmarkAllowed(b, fill(func(i int) string { return fmt.Sprintf("-/*%x*", i) }))
	})
	b.Run("endings of MaxSize", func(b *testing.B) {
		benchmarkAllowed(b, fill(func(i int) string { return fmt.Sprintf("-/*%x$", i) }))
	})
}

func BenchmarkParse(b *testing.B) {
	for name, file := range map[string]string{
		"literals of MaxSize": fill(func(i int) string { return fmt.Sprintf("-/blog/%d/", i) }),
		"stars of MaxSize":    fill(func(i int) string { return fmt.Sprintf("-/*%x*", i) }),
	} {
		content := []byte(file)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Parse(content).Group("*")
			}
		})
	}
}

// fill makes a file as large as is read, of the rules that rule returns.
func fill(rule func(i int) string) string {
	var file strings.Builder
	file.WriteString("user-agent: *\n")
	for i := 0; file.Len() < MaxSize; i++ {
		file.WriteString(strings.TrimPrefix(rules(rule(i)), "user-agent: *\n"))
	}
	return file.String()
}
