// Package privilege lets a program that root starts on somebody else's folder
// give its rights up first.
//
// Hosting panels run sitewalk as root on a customer's docroot, and that
// customer may be hostile. [OwnerOf] says whom the docroot belongs to without
// being led astray by links, and [Drop] makes the process that user for good.
// [FolderFor] gives such a user a folder of its own first.
// [InspectFile] says how far a configuration file can be trusted. Start
// reading at OwnerOf.
//
// A path is judged by who could have made it lead where it leads: whoever owns
// a link on the way, or a folder on the way. Modes and access lists are not
// looked at. So somebody whom root lets write in a folder of root's can still
// exchange what is in it between two looks; a program that stays root catches
// this with [Owner.IsOf]. A file system that lies about owners is believed,
// which matters where customers may mount FUSE for all (user_allow_other).
//
// On systems other than Unix nobody is root and nothing is checked or dropped.
package privilege

import (
	"io/fs"
	"os"
)

// An Owner is a user and a group, as a folder or file bears them. The zero
// value is root. Compare owners by UID: the group is only a fallback (see
// [Drop]), and == also tells apart two folders of one owner.
type Owner struct {
	UID, GID uint32

	info fs.FileInfo // of what was looked at; nil in an Owner made by hand
}

// IsOf reports whether info describes the very folder or file at which
// [OwnerOf] or [InspectFile] found o. Whoever goes on as root asks this of the
// handle opened by path afterwards: between the two somebody may have put
// another thing there. It is false for an Owner made by hand.
func (o Owner) IsOf(info fs.FileInfo) bool {
	return o.info != nil && info != nil && os.SameFile(o.info, info)
}

// A FileTrust says how far a file can be trusted.
type FileTrust struct {
	// Owner is on whose word the file is there: of all who own the file or a
	// link on the way, the first who is not root; and for a file of root's in
	// a folder that is not root's, who owns that folder, since they can move
	// there any file of root's that they get hold of.
	Owner Owner

	// Linked is set when whoever put the file there may not be allowed to read
	// it, so that its content must not be quoted: path ends in a link, somebody
	// other than root controls a link on the way, the file has further names
	// (hard links), or it lies in the folder of a user (not root) and belongs
	// to another.
	Linked bool

	Regular bool // a regular file: neither folder, pipe nor device
}
