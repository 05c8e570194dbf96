//go:build unix

package main

import (
	"net/url"
	"regexp"
	"strings"
)

// folderAccess is what the .htaccess files on the way to a folder say, as far as a
// judgement understands them. Require, and Order with its kin, are inherited
// apart from each other, and both must let a visitor in.
type folderAccess struct{ required, refused bool }

func (a folderAccess) denied() bool { return a.required || a.refused }

// overlay returns what holds below a folder with the given .htaccess.
func (a folderAccess) overlay(content string) folderAccess {
	lines := strings.Split(strings.ToLower(content), "\n")
	says := func(text string) (says bool) {
		for _, line := range lines {
			says = says || strings.HasPrefix(strings.Join(strings.Fields(line), " "), text)
		}
		return says
	}
	if says("require ") {
		a.required = !says("require all granted")
	}
	if says("deny from") || says("allow from") || says("order ") {
		a.refused = says("deny from all") && !says("allow from all")
	}
	return a
}

// robotsLine is an Allow or Disallow for all agents.
type robotsLine struct {
	allow   bool
	length  int
	pattern *regexp.Regexp
}

// newRobotsLine reads a pattern: a star stands for anything, and a dollar sign at
// the end for the end.
func newRobotsLine(allow bool, pattern string) robotsLine {
	encoded := regexp.MustCompile(`[^\x00-\x7f]+`).ReplaceAllStringFunc(pattern, url.PathEscape)
	begin, anchored := strings.CutSuffix(encoded, "$")
	expression := "(?s)^" + strings.ReplaceAll(regexp.QuoteMeta(begin), `\*`, ".*")
	if anchored {
		expression += "$"
	}
	return robotsLine{allow, len(encoded), regexp.MustCompile(expression)}
}

// parseRobots returns the lines of the groups for all agents.
func parseRobots(content string) (all []robotsLine) {
	applies, inAgents := false, false
	for line := range strings.Lines(strings.ReplaceAll(content, "\r", "\n")) {
		line, _, _ = strings.Cut(line, "#")
		key, value, found := strings.Cut(line, ":")
		if !found { // the colon is missing in many files
			key, value, _ = strings.Cut(strings.TrimSpace(line), " ")
		}
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		switch key {
		case "user-agent":
			applies = value == "*" || applies && inAgents
			inAgents = true
			continue
		case "allow", "disallow":
			if applies && value != "" {
				all = append(all, newRobotsLine(key == "allow", value))
			}
			inAgents = false
		}
	}
	return all
}

// robotsAllow reports whether the longest pattern that matches a path allows it.
func robotsAllow(lines []robotsLine, path string) bool {
	longest, allowed := -1, true
	for _, line := range lines {
		if line.pattern.MatchString(path) && (line.length > longest || line.length == longest && line.allow) {
			longest, allowed = line.length, line.allow
		}
	}
	return allowed
}
