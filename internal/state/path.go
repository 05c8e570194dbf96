package state

import "strings"

// maxPath is the length in bytes up to which paths are remembered. Linux takes
// no longer ones in a system call, and no URL holds one; but a walk that goes
// down by descriptors meets them, and a hostile docroot could make a file of
// any size of them.
const maxPath = 4096

// isStorable reports whether a name is one that a file system could give, in a
// folder whose path leaves room for it. Package io/fs lets others through.
func isStorable(dir, name string) bool {
	return name != "" && len(dir)+1+len(name) <= maxPath &&
		strings.IndexByte(name, 0) < 0 && strings.IndexByte(name, '/') < 0
}

// comparePaths compares the paths of two files in the scanner's order: segment
// by segment, byte by byte.
func comparePaths(dirA, nameA, dirB, nameB string) int {
	if dirA == dirB {
		return strings.Compare(nameA, nameB)
	}
	shorter := min(len(dirA), len(dirB))
	common := 0
	for common < shorter && dirA[common] == dirB[common] {
		common++
	}
	switch {
	case common == len(dirA):
		return compareInFolder(nameA, dirB, common)
	case common == len(dirB):
		return -compareInFolder(nameB, dirA, common)
	// A slash ends a segment, and what ends first comes first.
	case dirA[common] == '/':
		return -1
	case dirB[common] == '/':
		return 1
	case dirA[common] < dirB[common]:
		return -1
	}
	return 1
}

// compareInFolder compares the file name in the folder that is the first
// length bytes of dir with the files in dir.
func compareInFolder(name, dir string, length int) int {
	if length > 0 {
		if dir[length] != '/' {
			return -1 // a longer name of the same beginning
		}
		length++
	}
	segment, _, _ := strings.Cut(dir[length:], "/")
	if order := strings.Compare(name, segment); order != 0 {
		return order
	}
	return -1 // what was a file is a folder now, and what is in it follows
}
