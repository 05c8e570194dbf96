package sitewalk

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sitewalk/internal/indexnow"
)

// keyConfig returns a configuration for a new docroot.
func keyConfig(t *testing.T) Config {
	t.Helper()
	config := DefaultConfig()
	config.Scanner.Docroot = t.TempDir()
	config.Mapper.BaseURL = "https://www.example.com/docs"
	return config
}

func TestAKeyFileIsMadeForTheConfiguredKey(t *testing.T) {
	config := keyConfig(t)
	config.Submit.IndexNow.Key = submitKey
	want := KeyFile{Event: "key-file", File: submitKey + ".txt", URL: "https://www.example.com/docs/" + submitKey + ".txt", Key: submitKey, Written: true}
	for range 2 {
		made, err := CreateKeyFile(t.Context(), config)
		if err != nil || made != want {
			t.Fatalf("%+v, %v", made, err)
		}
		want.Written = false // the second time
	}
	content, err := os.ReadFile(filepath.Join(config.Scanner.Docroot, submitKey+".txt"))
	if err != nil || string(content) != submitKey {
		t.Errorf("it holds %q, %v", content, err)
	}
}

func TestAKeyIsMadeIfThereIsNone(t *testing.T) {
	config := keyConfig(t)
	made, err := CreateKeyFile(t.Context(), config)
	if err != nil || !made.New || !indexnow.IsKey(made.Key) || made.File != made.Key+".txt" {
		t.Fatalf("%+v, %v", made, err)
	}
	if content, err := os.ReadFile(filepath.Join(config.Scanner.Docroot, made.File)); err != nil || string(content) != made.Key {
		t.Errorf("it holds %q, %v", content, err)
	}
}

func TestAKeyFileMayHaveAPlaceOfItsOwn(t *testing.T) {
	config := keyConfig(t)
	config.Submit.IndexNow = IndexNow{Key: submitKey, Endpoint: engineURL, KeyLocation: "https://www.example.com/docs/b%20c/now.txt"}
	made, err := CreateKeyFile(t.Context(), config)
	if err != nil || made.File != "b c/now.txt" || made.URL != config.Submit.IndexNow.KeyLocation {
		t.Fatalf("%+v, %v", made, err)
	}
	if content, err := os.ReadFile(filepath.Join(config.Scanner.Docroot, "b c", "now.txt")); err != nil || string(content) != submitKey {
		t.Errorf("it holds %q, %v", content, err)
	}
	for _, location := range []string{
		"https://www.example.com/now.txt", "https://www.example.com/docs/index.html", "https://www.example.com/docs/../now.txt",
		"https://www.example.com/docs/%2e%2e/%2e%2e/now.txt", "https://www.example.com/docs//now.txt",
	} {
		config.Submit.IndexNow.KeyLocation = location
		var mistake *ConfigError
		if made, err := CreateKeyFile(t.Context(), config); !errors.As(err, &mistake) {
			t.Errorf("%s: %+v, %v", location, made, err)
		}
	}
}

func TestWhatIsInTheKeyFilesPlaceIsLeftAlone(t *testing.T) {
	for name, put := range map[string]func(path, other string) error{
		"another text": func(path, _ string) error { return os.WriteFile(path, []byte("Dear diary"), 0o644) },
		"a long text":  func(path, _ string) error { return os.WriteFile(path, make([]byte, 5000), 0o644) },
		"a link":       func(path, other string) error { return os.Symlink(other, path) },
		"a hard link":  func(path, other string) error { return os.Link(other, path) },
		"a folder":     func(path, _ string) error { return os.Mkdir(path, 0o755) },
	} {
		t.Run(name, func(t *testing.T) {
			config := keyConfig(t)
			config.Submit.IndexNow.Key = submitKey
			other := filepath.Join(t.TempDir(), "other")
			if err := os.WriteFile(other, []byte("fedcba9876543210"), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := put(filepath.Join(config.Scanner.Docroot, submitKey+".txt"), other); err != nil {
				t.Skipf("this system does not make it: %v", err)
			}
			if made, err := CreateKeyFile(t.Context(), config); err == nil || !strings.Contains(err.Error(), submitKey+".txt") {
				t.Errorf("%+v, %v", made, err)
			}
			if content, err := os.ReadFile(other); err != nil || string(content) != "fedcba9876543210" {
				t.Errorf("the other file holds %q, %v", content, err)
			}
		})
	}
}

func TestAnOldKeyIsReplaced(t *testing.T) {
	config := keyConfig(t)
	config.Submit.IndexNow.Key = submitKey
	path := filepath.Join(config.Scanner.Docroot, submitKey+".txt")
	if err := os.WriteFile(path, []byte("fedcba9876543210\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if made, err := CreateKeyFile(t.Context(), config); err != nil || !made.Written {
		t.Errorf("%+v, %v", made, err)
	}
}

func TestPingURLs(t *testing.T) {
	const sitemap = "https://h.test/a b.xml?c=d&e"
	const encoded = "https%3A%2F%2Fh.test%2Fa+b.xml%3Fc%3Dd%26e"
	for ping, want := range map[string]string{
		"https://e.test/ping":           "https://e.test/ping?sitemap=" + encoded,
		"https://e.test/ping?":          "https://e.test/ping?sitemap=" + encoded,
		"https://e.test/ping?a=b":       "https://e.test/ping?a=b&sitemap=" + encoded,
		"https://e.test/ping?a=b&":      "https://e.test/ping?a=b&sitemap=" + encoded,
		"https://e.test/?u={sitemap}":   "https://e.test/?u=" + encoded,
		"https://e.test/{sitemap}/?a=b": "https://e.test/" + encoded + "/?a=b",
	} {
		if got := pingURL(ping, sitemap); got != want {
			t.Errorf("%s: %s, want %s", ping, got, want)
		}
	}
}

func TestAKeyFileThatIsThereIsFound(t *testing.T) {
	config := keyConfig(t)
	made, err := CreateKeyFile(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	made.New, made.Found, made.Written = false, true, false
	others := map[string]string{
		submitKey + ".txt": submitKey, // of another form
		"security.txt":     "security", strings.Repeat("A", 32) + ".txt": strings.Repeat("A", 32),
		strings.Repeat("0", 32) + ".txt": strings.Repeat("0", 31), strings.Repeat("1", 32) + ".txt": strings.Repeat("1", 32) + "\n",
		strings.Repeat("2", 32) + ".html": strings.Repeat("2", 32), strings.Repeat("3", 32): strings.Repeat("3", 32),
	}
	for name, content := range others {
		if err := os.WriteFile(filepath.Join(config.Scanner.Docroot, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link := strings.Repeat("4", 32)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := errors.Join(os.WriteFile(secret, []byte(link), 0o644), os.Symlink(secret, filepath.Join(config.Scanner.Docroot, link+".txt"))); err != nil {
		t.Skipf("this system makes no link: %v", err)
	}
	if got, err := CreateKeyFile(t.Context(), config); err != nil || got != made {
		t.Errorf("%+v, %v, want %+v", got, err, made)
	}

	second := strings.Repeat("5", 32)
	if err := os.WriteFile(filepath.Join(config.Scanner.Docroot, second+".txt"), []byte(second), 0o644); err != nil {
		t.Fatal(err)
	}
	var mistake *ConfigError
	if got, err := CreateKeyFile(t.Context(), config); !errors.As(err, &mistake) || !strings.Contains(err.Error(), second) {
		t.Errorf("with two of them: %+v, %v", got, err)
	}
	config.Submit.IndexNow.Key = second
	if got, err := CreateKeyFile(t.Context(), config); err != nil || got.Key != second || got.Written || got.Found {
		t.Errorf("with one configured: %+v, %v", got, err)
	}
}

func TestTheKeyAtTheConfiguredPlaceIsFound(t *testing.T) {
	config := keyConfig(t)
	config.Submit.IndexNow = IndexNow{Endpoint: engineURL, KeyLocation: "https://www.example.com/docs/key.txt"}
	made, err := CreateKeyFile(t.Context(), config)
	if err != nil || !made.New {
		t.Fatalf("%+v, %v", made, err)
	}
	again, err := CreateKeyFile(t.Context(), config)
	if err != nil || again.Key != made.Key || again.New || !again.Found || again.Written {
		t.Errorf("%+v, %v", again, err)
	}
}
