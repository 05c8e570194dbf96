package check

// A Code names a kind of finding. README's table explains each.
type Code string

// What can be wrong with a file.
const (
	NotXML       Code = "not-xml"       // is not well-formed, or breaks the rules of namespaces
	Encoding     Code = "encoding"      // is not UTF-8, or declares another encoding
	Doctype      Code = "doctype"       // has a document type declaration
	Gzip         Code = "gzip"          // is damaged, or not compressed as its name says
	Unread       Code = "unread"        // was not read to its end
	RootElement  Code = "root-element"  // is neither a sitemap nor an index
	Namespace    Code = "namespace"     // has none of the protocol's two
	Element      Code = "element"       // has one that the schema does not know there
	ElementOrder Code = "element-order" // has one twice, or not in the schema's order
	Attribute    Code = "attribute"     // has one where the schema has none
	Text         Code = "text"          // has text between elements
	Extension    Code = "extension"     // has a link or an image without what that needs
	Empty        Code = "empty"         // lists nothing, which the schema forbids
	TooManyURLs  Code = "too-many-urls" // more than maxURLs
	TooLarge     Code = "too-large"     // more than maxBytes, or maxBytes084
)

// What can be wrong with a page, or with what an index says of a sitemap.
const (
	LocMissing      Code = "loc-missing"
	LocForm         Code = "loc-form"     // is no absolute URL that a crawler could take
	LocEscaping     Code = "loc-escaping" // is not as RFC 3986 wants it
	LocFragment     Code = "loc-fragment"
	LocTooLong      Code = "loc-too-long" // maxLoc characters or more
	LocScope        Code = "loc-scope"    // is not what a sitemap may list where it is
	LocSession      Code = "loc-session"  // warning
	LastModForm     Code = "lastmod-form" // is not a date that both protocol and schema take
	LastModFuture   Code = "lastmod-future"
	LastModEarly    Code = "lastmod-early" // before 1990
	ChangeFreq      Code = "changefreq"
	Priority        Code = "priority"
	PriorityUniform Code = "priority-uniform" // warning: all pages have the same
	Duplicate       Code = "duplicate"
)

// What can be wrong with an index, or on the way to a file.
const (
	TooManyShards   Code = "too-many-shards" // more than maxShards, or maxShards084
	DuplicateShard  Code = "duplicate-shard"
	NestedIndex     Code = "nested-index"
	MissingShard    Code = "missing-shard"
	MissingIndex    Code = "missing-index" // that an index says goes on where it ends
	ShardHost       Code = "shard-host"    // another than the index's
	ShardFolder     Code = "shard-folder"  // warning: not below the index's
	Redirected      Code = "redirected"    // warning
	RedirectHost    Code = "redirect-host" // to another site
	ContentType     Code = "content-type"  // warning
	ContentEncoding Code = "content-encoding"
)

// What can be wrong with robots.txt.
const (
	RobotsMissing   Code = "robots-missing"   // warning: does not name the set
	RobotsLine      Code = "robots-line"      // is no absolute URL
	RobotsGone      Code = "robots-gone"      // names what is not there
	RobotsElsewhere Code = "robots-elsewhere" // names only another site's
)

// What can be wrong between a set and the files that it is of. This package does not
// look for it: see [Options.Page].
const (
	ListedNoFile   Code = "listed-without-file"
	MissingPage    Code = "missing-page"
	LastModDiffers Code = "lastmod-differs"
)

// warnings are the codes of what the protocol does not forbid, or what only search
// engines say.
var warnings = map[Code]bool{
	LocSession: true, PriorityUniform: true, ShardFolder: true, Redirected: true, ContentType: true,
	RobotsMissing: true,
}

// IsWarning reports whether findings of the code are no violations.
func (c Code) IsWarning() bool { return warnings[c] }

// Codes returns all codes, in the order of README's table.
func Codes() []Code {
	return []Code{
		NotXML, Encoding, Doctype, Gzip, Unread, RootElement, Namespace, Element, ElementOrder, Attribute, Text,
		Extension, Empty, TooManyURLs, TooLarge,
		LocMissing, LocForm, LocEscaping, LocFragment, LocTooLong, LocScope, LocSession,
		LastModForm, LastModFuture, LastModEarly, ChangeFreq, Priority, PriorityUniform, Duplicate,
		TooManyShards, DuplicateShard, NestedIndex, MissingShard, MissingIndex, ShardHost, ShardFolder,
		Redirected, RedirectHost, ContentType, ContentEncoding,
		RobotsMissing, RobotsLine, RobotsGone, RobotsElsewhere,
		ListedNoFile, MissingPage, LastModDiffers,
	}
}

// A Finding is one thing that is wrong, or worth a word.
type Finding struct {
	// File is the path or URL of the file, without a password; any bytes.
	File string
	// Line and Column are where it is in the file, uncompressed, from 1, the column
	// in bytes; 0 if it is about the file as a whole.
	Line, Column int
	// Loc is the URL that it is about, as it is in the file, cut to what a URL can
	// have at most; or "".
	Loc  string
	Code Code
	// Message says what is wrong. It may quote the file.
	Message string
}
