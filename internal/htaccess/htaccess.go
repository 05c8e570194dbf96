// Package htaccess finds out from the .htaccess files of a site whether Apache
// would give a file to an anonymous visitor.
//
// Start reading at [Parse], then [Policy.Enter] and [Policy.Denies]. A walker
// keeps the Policy of the folder it is in. Where a folder has a .htaccess, Enter
// gives the Policy that holds from there on down; Denies judges a file by name.
//
// # Who is asking
//
// The visitor sends GET, is not logged in, has an address that no directive
// names, and no environment variable is set on his behalf. So "Require ip",
// "Require local" and "Allow from example.org" never let him in, and "Deny from
// 192.0.2.1" never keeps him out.
//
// # Which Apache
//
// It is an Apache 2.4 with AllowOverride All, with every module that a file asks
// for, mod_access_compat among them, and with nothing defined on its command
// line. Its own configuration grants everything, as that of a served docroot
// must. Directives other than Require, Order, Allow, Deny and Satisfy say nothing
// here: AuthType without Require protects nothing, AuthMerging counts as off, and
// what rewrite rules refuse is not known. The contents of <If> and its kin are
// passed over, as is every section that Apache does not know.
//
// Apache answers every request with an error where a .htaccess has a mistake.
// This package goes on reading instead, because the site is then served by
// something more tolerant: it takes a directive for what was obviously meant,
// lets any closing tag close the innermost section, and ends open sections at
// the end of the file.
package htaccess

import "strconv"

// MaxSize is the largest size in bytes of a .htaccess that is read. Lists of
// blocked addresses grow long, but not this long. Reading one byte more than
// MaxSize is enough for [Parse] to see that a file is larger.
const MaxSize = 1 << 20

// Evidence is the directive that keeps visitors out.
type Evidence struct {
	File string // what Parse or Denied was told to call the file
	Line int    // where the directive begins, from 1; 0 for the file as a whole
	// Text is the directive as written, in one line and cut to 200 bytes, or what is
	// wrong with the file.
	Text string
}

// maxEvidence is the length in bytes at which the text of a directive is cut,
// since a walk keeps the policies of all folders above the one that it is in.
const maxEvidence = 200

// File is what one .htaccess says about access. It is immutable.
type File struct {
	rules    rules     // for every file below
	sections []section // for those with certain names, in the order of the file
	cost     int       // of matching a name against all sections
	refused  *Evidence // why everything below is refused, whatever else is said
}

// Parse reads a .htaccess. Any content will do; one of more than [MaxSize] bytes
// is not read but counts as one that cannot be read, see [Denied]. The path is
// what evidence calls the file.
func Parse(content []byte, path string) *File {
	if len(content) > MaxSize {
		return refuse(path, "larger than "+strconv.Itoa(MaxSize)+" bytes")
	}
	return parse(string(content), path)
}

// Denied stands for a .htaccess that is there but could not be read. As Apache
// does, it refuses everything in the folder and below, whatever the .htaccess
// files there say. The error becomes the text of the evidence.
func Denied(path string, err error) *File {
	return refuse(path, err.Error())
}

func refuse(path, text string) *File {
	return &File{refused: &Evidence{File: path, Text: text}}
}
