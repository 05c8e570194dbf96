package priority

import (
	"errors"
	"testing"
)

func TestIOClassesAreReadAndWrittenAlike(t *testing.T) {
	for text, want := range map[string]string{
		"idle": "idle", "none": "none", "best-effort": "best-effort:4",
		"best-effort:0": "best-effort:0", "best-effort:7": "best-effort:7",
	} {
		class, err := ParseIOClass(text)
		if err != nil || class.String() != want {
			t.Errorf("%s is read as %v, %v", text, class, err)
		}
		if again, err := ParseIOClass(class.String()); err != nil || again != class {
			t.Errorf("%v is read as %v, %v", class, again, err)
		}
	}
	for _, text := range []string{
		"", "realtime", "Idle", "idle:0", "none:0", "best-effort:", "best-effort:8", "best-effort:07", "best-effort:-1", "best-effort:1:1",
	} {
		if class, err := ParseIOClass(text); err == nil {
			t.Errorf("%q is read as %v", text, class)
		}
	}
}

func TestNiceValuesOutOfRangeAreRefused(t *testing.T) {
	for _, nice := range []int{MinNice - 1, MaxNice + 1} {
		err := Settings{Nice: nice}.Apply()
		if err == nil || errors.Is(err, ErrUnsupported) {
			t.Errorf("%d: %v", nice, err)
		}
	}
}

func TestZeroSettingsAreGoodOnAnySystem(t *testing.T) {
	if err := (Settings{}).Apply(); err != nil {
		t.Error(err)
	}
}
