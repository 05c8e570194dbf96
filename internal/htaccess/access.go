package htaccess

import "strings"

// accessDirectives collects the Order, Allow, Deny and Satisfy that stand
// together. The rules are those of mod_access_compat.
type accessDirectives struct {
	used       bool // there is one, if only for other methods than GET
	order      order
	satisfyAny bool

	// The directives that have a say, or nil: the last Order, and the first Allow
	// and Deny that match everybody.
	ordering, allow, deny *Evidence
}

// order says which of Allow and Deny holds if both match, and if none does.
type order int8

const (
	denyAllow order = iota // Allow, and the visitor is let in if none matches
	allowDeny              // Deny, and he is kept out if none matches
)

// add adds a directive by its name in lower case.
func (d *accessDirectives) add(name, arguments string, evidence *Evidence) {
	switch name {
	case "order":
		// A space after the comma, which Apache refuses, is a common mistake.
		switch strings.ToLower(strings.Join(strings.Fields(arguments), "")) {
		case "deny,allow":
			d.order, d.ordering = denyAllow, evidence
		case "allow,deny", "mutual-failure": // the same, by another name
			d.order, d.ordering = allowDeny, evidence
		}
	case "allow":
		if d.allow == nil && matchesEverybody(arguments) {
			d.allow = evidence
		}
	case "deny":
		if d.deny == nil && matchesEverybody(arguments) {
			d.deny = evidence
		}
	case "satisfy":
		argument, _ := word(arguments)
		d.satisfyAny = strings.EqualFold(argument, "any")
	}
}

// matchesEverybody reports whether the arguments of an Allow or Deny match the
// visitor, who has no variable set.
func matchesEverybody(arguments string) bool {
	for argument := range words(arguments) {
		if strings.EqualFold(argument, "all") || hasPrefixFold(argument, "env=!") {
			return true
		}
	}
	return false
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// outcome returns what the directives come to, or nil if there are none.
func (d *accessDirectives) outcome() *access {
	if !d.used {
		return nil
	}
	a := &access{satisfyAny: d.satisfyAny}
	switch {
	case d.deny != nil && (d.allow == nil || d.order == allowDeny):
		a.refusal = d.deny
	case d.allow == nil && d.order == allowDeny:
		a.refusal = d.ordering
	}
	return a
}
