package scanner

// A Verdict says what became of a file: it is listed, or left out for exactly
// one reason. The reasons stand in the order in which they are asked; the
// first that applies is the file's verdict, whichever package finds it.
type Verdict uint8

// The verdicts, in order. Listed is the zero value: a file stays a candidate
// until a reason against it is found.
const (
	Listed       Verdict = iota
	OwnOutput            // was written by sitewalk
	Symlink              // is a link that is not followed
	NotRegular           // is no regular file: a FIFO, socket or device
	Sensitive            // matches the built-in list of names that must not be published
	Hidden               // has a segment that begins with a dot, other than .well-known
	Excluded             // matches exclude
	NotIncluded          // matches no include
	ErrorPage            // is a server's error page, such as 404.html
	Protected            // is in a folder that asks for authentication
	Rule                 // a rule says list: false
	Unencodable          // its name cannot be written in urls.charset
	OutOfScope           // its URL is outside what the sitemap may list
	TooLong              // its URL has 2,048 characters or more
	Robots               // robots.txt disallows it
	Unreadable           // it, or its folder, could not be read
	Redirect             // its head sends visitors elsewhere
	NoIndex              // its head says noindex or none
	Expired              // its head says unavailable_after a past date
	ResourceType         // its head says a resource-type other than document
	Canonical            // its head names another page as canonical
	Duplicate            // its URL is taken by another file
	verdictCount
)

var verdictNames = [verdictCount]string{
	"listed", "own-output", "symlink", "not-regular", "sensitive", "hidden",
	"excluded", "not-included", "error-page", "protected", "rule", "unencodable",
	"out-of-scope", "too-long", "robots", "unreadable", "redirect", "noindex",
	"expired", "resource-type", "canonical", "duplicate",
}

// String returns the verdict's name as reports and --json print it.
func (v Verdict) String() string { return verdictNames[v] }

// Verdicts is the number of files for each verdict.
type Verdicts [verdictCount]int64

// Add adds the counts of other.
func (v *Verdicts) Add(other *Verdicts) {
	for i, n := range other {
		v[i] += n
	}
}

// Total returns the number of files counted.
func (v *Verdicts) Total() int64 {
	var total int64
	for _, n := range v {
		total += n
	}
	return total
}

// Excluded returns the counts of the files left out, by reason, without the
// unreadable ones, which are counted apart. Reasons that met no file are
// absent.
func (v *Verdicts) Excluded() map[string]int64 {
	excluded := map[string]int64{}
	for i, n := range v {
		if verdict := Verdict(i); n > 0 && verdict != Listed && verdict != Unreadable {
			excluded[verdict.String()] = n
		}
	}
	return excluded
}
