package sitewalk

import (
	"strings"
	"testing"
)

func TestEveryWarningSaysHowToMendIt(t *testing.T) {
	codes := map[string]bool{"canonical-style": true}
	for _, text := range warningTexts {
		codes[text.code] = true
	}
	for code := range codes {
		w := Warning{Code: code}
		if mend := w.Mend(); !strings.HasSuffix(mend, ".") {
			t.Errorf("%s is mended by %q: mends.go has no sentence for it", code, mend)
		}
	}
	for code := range mends {
		if !codes[code] {
			t.Errorf("there is no warning %s", code)
		}
	}
}
