package htaccess

import "strings"

// outcome is what a Require, or a group of them, comes to. The rules are those of
// mod_authz_core.
type outcome int8

const (
	neutral outcome = iota // neither grants nor denies
	granted
	denied
)

// group collects the members of a <RequireAll>, <RequireAny> or <RequireNone>,
// or of the implicit <RequireAny> around those that stand outside.
type group struct {
	all     bool // all members have to grant, rather than any
	negated bool // <RequireNone>

	used        bool // there are members
	concernsGET bool // some member is not limited to other methods
	outcome     outcome
	evidence    *Evidence // the member that denied, or else the first that was neutral
}

// add adds a member.
func (g *group) add(member outcome, concernsGET bool, evidence *Evidence) {
	g.used = true
	g.concernsGET = g.concernsGET || concernsGET
	if !concernsGET {
		member = neutral
		if g.all {
			member = granted
		}
	}
	settled := granted
	if g.all {
		settled = denied
	}
	switch {
	case g.outcome == settled:
	case member != neutral:
		if g.outcome != member {
			g.evidence = evidence
		}
		g.outcome = member
	case g.evidence == nil:
		g.evidence = evidence
	}
}

// addGroup adds the members of a group as one member. One without members has
// no say.
func (g *group) addGroup(member *group) {
	if member.used {
		o := member.outcome
		if member.negated {
			o = o.negate()
		}
		g.add(o, member.concernsGET, member.evidence)
	}
}

// requirement returns what the members come to, or nil if there are none. Being
// neutral is not enough.
func (g *group) requirement() *requirement {
	if !g.used {
		return nil
	}
	if !g.concernsGET || g.outcome == granted {
		return &requirement{}
	}
	return &requirement{refusal: g.evidence}
}

// negate returns the outcome of what grants if and only if o does not; but not
// being denied is no reason to grant.
func (o outcome) negate() outcome {
	if o == granted {
		return denied
	}
	return neutral
}

// requireOutcome returns what the arguments of a Require mean for the visitor.
// Whatever it does not know asks for something that he may not have.
func requireOutcome(arguments string) outcome {
	provider, rest := word(arguments)
	if strings.EqualFold(provider, "not") {
		return requireOutcomeOf(word(rest)).negate()
	}
	return requireOutcomeOf(provider, rest)
}

func requireOutcomeOf(provider, rest string) outcome {
	switch strings.ToLower(provider) {
	case "all":
		if argument, _ := word(rest); strings.EqualFold(argument, "granted") {
			return granted
		}
	case "method":
		if listsGET(rest) {
			return granted
		}
	}
	return denied
}

// listsGET reports whether GET is among methods. As in Apache, HEAD is GET.
func listsGET(methods string) bool {
	for method := range words(methods) {
		if strings.EqualFold(method, "GET") || strings.EqualFold(method, "HEAD") {
			return true
		}
	}
	return false
}
