package sitewalk_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sitewalk"
)

// A run that was killed may have left a temporary file for robots.txt, which is in the
// docroot wherever the set is.
func TestTemporaryFilesAreRemovedFromTheDocrootToo(t *testing.T) {
	for _, out := range []string{"", t.TempDir()} {
		config := sitewalk.DefaultConfig()
		config.Mapper.BaseURL = "https://h.test/"
		config.Scanner.Docroot, config.Out = t.TempDir(), out
		write := func(name string) {
			if err := os.WriteFile(filepath.Join(config.Scanner.Docroot, name), []byte("User-agent: *\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		write("index.html")
		temp := ".sitewalk-" + strings.Repeat("a", 26) + ".tmp"
		for _, dry := range []bool{true, false} {
			write(temp)
			config.DryRun = dry
			if _, err := sitewalk.Build(context.Background(), config); err != nil {
				t.Fatal(err)
			}
			_, err := os.Lstat(filepath.Join(config.Scanner.Docroot, temp))
			if gone := errors.Is(err, fs.ErrNotExist); gone == dry {
				t.Errorf("out %q, a dry run: %t, it is gone: %t", out, dry, gone)
			}
		}
	}
}
