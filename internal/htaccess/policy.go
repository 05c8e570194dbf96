package htaccess

// maxCost bounds the work that [Policy.Denies] does on one name. It is the sum,
// over the sections of a folder and of those above, of the steps that matching
// takes for each byte of the name. A long list of extensions such as Drupal's
// takes 261; a name of 255 bytes takes a few milliseconds at the limit.
const maxCost = 4096

// Policy is what the .htaccess files of a folder and of those above it say. The
// nil Policy is that of a folder without any. A Policy is immutable and safe for
// concurrent use.
type Policy struct {
	rules    rules
	sections []section // from the docroot down
	cost     int
	refused  *Evidence
}

// Enter returns the policy of a folder with the .htaccess f. The receiver, which
// may be nil, is the policy of the folder above; it is returned as it is if f
// says nothing about access. If matching names against all sections would take
// too long, the folder and those below count as refused.
func (p *Policy) Enter(f *File) *Policy {
	var above Policy
	if p != nil {
		above = *p
	}
	switch {
	case above.refused != nil:
		return p
	case f.refused != nil:
		return &Policy{refused: f.refused}
	case f.rules == rules{} && len(f.sections) == 0:
		return p
	case above.cost+f.cost > maxCost:
		return &Policy{refused: f.sections[0].opening}
	}
	return &Policy{
		rules: f.rules.over(above.rules),
		// Apache applies the sections of all folders after the plain directives of
		// all folders: a plain directive does not lift a section from above.
		sections: append(above.sections[:len(above.sections):len(above.sections)], f.sections...),
		cost:     above.cost + f.cost,
	}
}

// Denies reports whether a file in the folder is refused, by its name without
// the folder, and what says so. The evidence is nil if it is not refused.
func (p *Policy) Denies(name string) (evidence *Evidence, denied bool) {
	if p == nil {
		return nil, false
	}
	if p.refused != nil {
		return p.refused, true
	}
	applied := p.rules
	for i := range p.sections {
		if p.sections[i].names.match(name) {
			applied = p.sections[i].rules.over(applied)
		}
	}
	evidence = applied.refusal()
	return evidence, evidence != nil
}

// section is a <Files> or <FilesMatch> section.
type section struct {
	names   matcher
	rules   rules
	opening *Evidence // its first line
}

// rules are the outcomes of the directives that stand together, outside of all
// sections or in one. Those of the two kinds are inherited and replaced
// independently; nil stands for none of the kind.
type rules struct {
	access      *access
	requirement *requirement
}

// access is the outcome of Order, Allow, Deny and Satisfy.
type access struct {
	refusal    *Evidence // nil if the visitor is allowed
	satisfyAny bool      // it is enough that either kind lets the visitor in
}

// requirement is the outcome of Require.
type requirement struct {
	refusal *Evidence // nil if the visitor is granted access
}

// over returns the rules that hold where r is said and those above are
// inherited.
func (r rules) over(above rules) rules {
	if r.access == nil {
		r.access = above.access
	}
	if r.requirement == nil {
		r.requirement = above.requirement
	}
	return r
}

// refusal returns what keeps the visitor out, or nil.
func (r rules) refusal() *Evidence {
	var byAccess, byRequirement *Evidence
	satisfyAny := false
	if r.access != nil {
		byAccess, satisfyAny = r.access.refusal, r.access.satisfyAny
	}
	if r.requirement != nil {
		byRequirement = r.requirement.refusal
	}
	switch {
	case satisfyAny && (byAccess == nil || byRequirement == nil):
		return nil
	case byAccess != nil:
		return byAccess
	}
	return byRequirement
}
