package sitewalk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

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
	// Found says that no key is configured, and this one is of a key file that was there.
	Found bool `json:"found,omitempty"`
	// Written is false if the file was there as it is to be.
	Written bool `json:"written"`
}

// maxKeyFile is the length of a file that may be a key file, in bytes.
const maxKeyFile = 4096

// CreateKeyFile makes the key file in the docroot, at once and never through a link:
// that of the configured key, or, if there is none, of a new one, unless there is a key
// file already, as an earlier call made it: then that one's key is taken. That there are
// several such is an error, and so is a file in the place that holds anything but a key;
// all are left alone.
func CreateKeyFile(ctx context.Context, config Config) (KeyFile, error) {
	if err := config.Validate(); err != nil {
		return KeyFile{}, err
	}
	made := KeyFile{Event: "key-file"}
	settings := &config.Submit.IndexNow
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
	if settings.Key == "" {
		if settings.Key, err = b.foundKey(); err != nil {
			return KeyFile{}, err
		}
		made.Found = settings.Key != ""
	}
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

// foundKey returns the key that the key file in the docroot holds, or "" if there is
// none: the file at the configured place, or else the one in the docroot itself that
// could have been made here. Keys of another form, as other tools make them, stay theirs.
func (b *builder) foundKey() (string, error) {
	if b.config.Submit.IndexNow.KeyLocation != "" {
		dir, name, err := b.config.keyFile()
		if err != nil {
			return "", err
		}
		return b.keyIn(path.Join(dir, name)), nil
	}
	names, err := b.keyNames()
	if err != nil {
		return "", fmt.Errorf("look for a key file: %w", err)
	}
	switch len(names) {
	case 0:
		return "", nil
	case 1:
		return strings.TrimSuffix(names[0], keySuffix), nil
	}
	return "", b.config.mistake("submit.indexnow.key", fmt.Sprintf("is missing, and there are several key files, such as %s and %s", names[0], names[1]),
		"set it to the key of the one that is to be used, or remove the others")
}

// keySuffix is what the name of a key file has behind the key.
const keySuffix = ".txt"

// keyNames returns the names of the files in the docroot itself that could have been made
// here as key files: a key of the form of a new one, which they hold and nothing else.
func (b *builder) keyNames() (names []string, err error) {
	folder, err := b.docroot.Folder().Open(".")
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	for {
		found, err := folder.Readdirnames(1024)
		for _, name := range found {
			key, isText := strings.CutSuffix(name, keySuffix)
			if isText && indexnow.IsNewKey(key) && b.keyIn(name) == key {
				names = append(names, name)
			}
		}
		if err == io.EOF {
			slices.Sort(names)
			return names, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// keyIn returns the key that a plain file of the docroot holds and nothing else, or "".
func (b *builder) keyIn(name string) string {
	file, err := b.docroot.OpenFile(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxKeyFile))
	if err != nil || !indexnow.IsKey(string(content)) {
		return ""
	}
	return string(content)
}
