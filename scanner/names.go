package scanner

import "strings"

// SensitiveNames are the names that are never listed, in any case, whichever
// segment of a path they are, unless allow lifts them: what a backup, a
// version control system or a key leaves in a docroot. README publishes them.
var SensitiveNames = []string{
	".git", ".svn", ".hg", ".bzr", ".env*", ".ht*", ".aws", ".ssh", ".gnupg",
	".netrc", ".npmrc", ".pgpass", ".my.cnf", ".DS_Store", "Thumbs.db", "node_modules",
	"*~", "*.bak", "*.orig", "*.rej", "*.old", "*.save", "*.swp", "*.swo",
	"id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*",
}

// SensitiveFiles are more such names, of files alone: the documentation of a
// package java.sql is in a folder of that name, and no dump of a database.
var SensitiveFiles = []string{
	"*.sql", "*.sql.gz", "*.sqlite", "*.sqlite3", "*.dump",
	"*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk",
}

// nameTable is SensitiveNames cut up by the kind of comparison, in lower case.
type nameTable struct {
	exact      map[string]bool
	extensions map[string]bool // what follows the last dot
	suffixes   []string        // the endings that have more than one dot, or none
	prefixes   []string
	initials   [256]bool // the first bytes, in either case, of exact names and prefixes
}

var (
	sensitiveTable     = newNameTable(SensitiveNames)
	sensitiveFileTable = newNameTable(SensitiveFiles)
)

func newNameTable(patterns []string) *nameTable {
	t := &nameTable{exact: map[string]bool{}, extensions: map[string]bool{}}
	for _, pattern := range patterns {
		pattern = strings.ToLower(pattern)
		switch {
		case strings.HasPrefix(pattern, "*.") && strings.Count(pattern, ".") == 1:
			t.extensions[pattern[2:]] = true
			continue
		case strings.HasPrefix(pattern, "*"):
			t.suffixes = append(t.suffixes, pattern[1:])
			continue
		case strings.HasSuffix(pattern, "*"):
			t.prefixes = append(t.prefixes, strings.TrimSuffix(pattern, "*"))
		default:
			t.exact[pattern] = true
		}
		t.initials[pattern[0]] = true
		t.initials[pattern[0]&^0x20] = true
	}
	return t
}

func (t *nameTable) match(name string) bool {
	// Nearly every name in a docroot is a page's or a plain folder's: nothing in
	// the table ends like one, so it is looked at further only for its first byte.
	page := strings.HasSuffix(name, ".html") || strings.IndexByte(name, '.') < 0 && name[len(name)-1] != '~'
	if page && !t.initials[name[0]] {
		return false
	}
	name = strings.ToLower(name)
	if t.exact[name] {
		return true
	}
	for _, prefix := range t.prefixes {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	if page {
		return false
	}
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 && t.extensions[name[dot+1:]] {
		return true
	}
	for _, suffix := range t.suffixes {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// isSensitive reports whether one segment of a path is on the built-in list.
func isSensitive(name string, folder bool) bool {
	return sensitiveTable.match(name) || !folder && sensitiveFileTable.match(name)
}

// sensitivePattern returns the pattern for which isSensitive is true.
func sensitivePattern(name string, folder bool) string {
	lists := [][]string{SensitiveNames, SensitiveFiles}
	if folder {
		lists = lists[:1]
	}
	for _, list := range lists {
		for _, pattern := range list {
			if newNameTable([]string{pattern}).match(name) {
				return pattern
			}
		}
	}
	return ""
}

// isHidden reports whether one segment of a path hides what it names.
// RFC 8615 makes .well-known public.
func isHidden(name string) bool { return name[0] == '.' && name != ".well-known" }

// isErrorPage reports whether a file is what a server shows for an error:
// NNN.html, NNN.htm or NNN/index.html in any folder, NNN from 400 to 599 or
// 50x. folder is the name of the folder that holds it.
func isErrorPage(folder, name string) bool {
	if len(name) < len("404.htm") {
		return false
	}
	if isErrorCode(name[:3]) {
		ending := name[3:]
		return strings.EqualFold(ending, ".html") || strings.EqualFold(ending, ".htm")
	}
	return isErrorCode(folder) && strings.EqualFold(name, "index.html")
}

func isErrorCode(s string) bool {
	if len(s) != 3 || s[0] != '4' && s[0] != '5' {
		return false
	}
	digit := func(b byte) bool { return '0' <= b && b <= '9' }
	return digit(s[1]) && digit(s[2]) || s[:2] == "50" && s[2]|0x20 == 'x'
}
