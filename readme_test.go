package sitewalk

import (
	"os"
	"strings"
	"testing"

	"sitewalk/scanner"
)

func TestREADMEExplainsEveryVerdictAndWarning(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	codes := []string{"canonical-style"}
	for _, text := range warningTexts {
		codes = append(codes, text.code)
	}
	for verdict := scanner.Listed; verdict <= scanner.Duplicate; verdict++ {
		codes = append(codes, verdict.String())
	}
	for _, code := range codes {
		if !strings.Contains(string(readme), "`"+code+"`") {
			t.Errorf("README does not explain %s", code)
		}
	}
}
