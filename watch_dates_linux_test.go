package sitewalk_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// In some runs pages have the lastmod source content, and a fresh build, which knows no
// earlier bytes, cannot tell their dates. There the model keeps them: a file is dated
// by when it was modified as its bytes were first seen at its path. In the copy the
// files get these times. For the model to be sure, no bytes come twice, and a
// round does nothing whose dates depend on whether the watch looked in between.

// datedFile is what the model knows of a file.
type datedFile struct {
	content string
	date    time.Time
}

// datedOperations are those of runs in which the model keeps the dates.
var datedOperations = []string{"write", "save", "delete", "mkdir", "rm-rf", "mv-file", "mv-folder", "touch", "harm"}

// isUnsure reports whether an operation's outcome could depend on when the watch looks:
// a second move in a round may undo the first.
func (r *modelRun) isUnsure(operation string) bool {
	if r.dated == nil {
		return false
	}
	if !slices.Contains(datedOperations, operation) {
		return true
	}
	moves := operation == "mv-file" || operation == "mv-folder"
	unsure := moves && r.hasMoved
	r.hasMoved = r.hasMoved || moves
	return unsure
}

// isAsDated reports whether a file has the bytes that it had at the end of the round
// before.
func (r *modelRun) isAsDated(path string) bool {
	real, err := filepath.EvalSymlinks(r.docroot)
	r.must(err)
	relative, err := filepath.Rel(r.docroot, path)
	r.must(err)
	content, err := os.ReadFile(filepath.Join(real, relative))
	known, found := r.dated[relative]
	return err == nil && found && known.content == string(content)
}

// redate gives the files of a copy of the docroot the dates that the model has for
// them, and updates the model.
func (r *modelRun) redate(copied string) error {
	dated := map[string]datedFile{}
	err := filepath.WalkDir(copied, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(copied, path)
		if err != nil {
			return err
		}
		file := datedFile{string(content), info.ModTime()}
		known, found := r.dated[relative]
		// What nobody can believe gives way to a time that was corrected.
		if found && known.content == file.content && known.date.Unix() > 0 && known.date.Before(time.Now()) {
			file.date = known.date
		}
		dated[relative] = file
		return os.Chtimes(path, file.date, file.date)
	})
	r.dated, r.hasMoved = dated, false
	return err
}
