package htaccess

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// member is a Require or a group, as a tree. Its outcome is defined on the whole,
// where group settles it one member at a time.
type member struct {
	require string // empty for a group
	of      outcome

	name    string
	members []member
}

func drawMember(t *rapid.T, depth int) member {
	kinds := []member{
		{require: "all granted", of: granted},
		{require: "method GET", of: granted},
		{require: "all denied", of: denied},
		{require: "ip 192.0.2.1", of: denied},
		{require: "not valid-user", of: neutral},
		{require: "not all granted", of: denied},
		{name: "RequireAll"},
		{name: "RequireAny"},
		{name: "RequireNone"},
	}
	if depth == 0 {
		kinds = kinds[:6]
	}
	m := rapid.SampledFrom(kinds).Draw(t, "member")
	if m.require == "" {
		for range rapid.IntRange(0, 4).Draw(t, "members") {
			m.members = append(m.members, drawMember(t, depth-1))
		}
	}
	return m
}

func (m *member) write(text *strings.Builder) {
	if m.require != "" {
		text.WriteString("Require " + m.require + "\n")
		return
	}
	text.WriteString("<" + m.name + ">\n")
	for i := range m.members {
		m.members[i].write(text)
	}
	text.WriteString("</" + m.name + ">\n")
}

// empty reports that there is no Require in it.
func (m *member) empty() bool {
	for i := range m.members {
		if !m.members[i].empty() {
			return false
		}
	}
	return m.require == ""
}

func (m *member) outcome() outcome {
	if m.require != "" {
		return m.of
	}
	found := map[outcome]bool{}
	for i := range m.members {
		if !m.members[i].empty() {
			found[m.members[i].outcome()] = true
		}
	}
	first, second := granted, denied
	if m.name == "RequireAll" {
		first, second = denied, granted
	}
	o := neutral
	switch {
	case found[first]:
		o = first
	case found[second]:
		o = second
	}
	if m.name == "RequireNone" {
		return map[outcome]outcome{granted: denied}[o]
	}
	return o
}

func TestGroupsAgreeWithTheirDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		any := member{name: "RequireAny"}
		var text strings.Builder
		for range rapid.IntRange(0, 4).Draw(t, "members") {
			m := drawMember(t, 4)
			m.write(&text)
			any.members = append(any.members, m)
		}
		_, denied := policyOf(text.String()).Denies("page.html")
		if want := !any.empty() && any.outcome() != granted; denied != want {
			t.Fatalf("%s\nrefused: %v, want %v", text.String(), denied, want)
		}
	})
}
