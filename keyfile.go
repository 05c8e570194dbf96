package sitewalk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"

	"sitewalk/internal/indexnow"
	"sitewalk/output"
)

// A KeyFile is the file by which engines know that who submits URLs by IndexNow has
// the site. As JSON it is what submit --create-key-file --json prints.
type KeyFile struct {
	Event string `json:"event"` // key-file
	// File is its path relative to the docroot, and URL where it must be to be had.
	File string `json:"file"`
	URL  string `json:"url"`
	// Key is what it holds; New says that no key is configured, and this one was made.
	Key string `json:"key"`
	New bool   `json:"new"`
	// Written is false if the file was there as it is to be.
	Written bool `json:"written"`
}

// maxKeyFile is the length of a file that may be a key file, in bytes.
const maxKeyFile = 4096

// CreateKeyFile makes the key file in the docroot, at once and never through a link:
// that of the configured key, or, if there is none, of a new one. A file that is there
// and holds anything but a key is left alone, and an error.
func CreateKeyFile(ctx context.Context, config Config) (KeyFile, error) {
	if err := config.Validate(); err != nil {
		return KeyFile{}, err
	}
	made := KeyFile{Event: "key-file"}
	settings := &config.Submit.IndexNow
	if settings.Key == "" {
		settings.Key, made.New = indexnow.NewKey(), true
	}
	location, err := config.keyLocation()
	if err != nil {
		return KeyFile{}, err
	}
	dir, name, err := config.keyFile()
	if err != nil {
		return KeyFile{}, err
	}
	made.File, made.URL, made.Key = path.Join(dir, name), location.String(), settings.Key
	b := &builder{config: &config}
	defer b.close()
	if err := b.openDocroot(); err != nil {
		return KeyFile{}, err
	}
	docroot := b.docroot.Folder()
	if docroot == nil {
		return KeyFile{}, &ConfigError{errors.New("a file system cannot be given a key file: name a docroot")}
	}
	unlock, err := output.Lock(ctx, docroot, config.LockWait)
	if err != nil {
		return KeyFile{}, err
	}
	defer unlock()
	folder, err := output.OpenWithin(docroot, path.Join(".", dir), false)
	if err != nil {
		return KeyFile{}, fmt.Errorf("make the key file %s: %w", made.File, err)
	}
	defer folder.Close()
	foreign := false
	made.Written, err = folder.Edit(name, maxKeyFile, false, func(content []byte) []byte {
		if held := bytes.TrimSpace(content); len(held) > 0 && !indexnow.IsKey(string(held)) {
			foreign = true
			return content
		}
		return []byte(settings.Key)
	})
	if err == nil && foreign {
		err = errors.New("is there, and holds something else: move it out of the way")
	}
	if err != nil {
		return KeyFile{}, fmt.Errorf("make the key file %s: %w", made.File, err)
	}
	return made, nil
}
