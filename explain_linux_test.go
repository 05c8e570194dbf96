package sitewalk_test

import (
	"testing"

	"sitewalk"
	"sitewalk/scanner"
)

func TestExplainSaysOfEveryFileWhatABuildMakesOfIt(t *testing.T) {
	eachSite(t, func(t failer, site *diskSite, config *sitewalk.Config) func() {
		return func() {
			made := published(t, *config)
			explained, err := sitewalk.Explain(t.Context(), *config, made.order)
			if err != nil {
				t.Fatal(err)
			}
			for i := range explained {
				got := explained[i]
				if listed := got.Verdict == scanner.Listed; listed != (got.Shard == "sitemap.xml") || !listed && got.Shard != "" {
					t.Errorf("%s, which is %s, is in shard %q", got.Path, got.Verdict, got.Shard)
				}
				got.Shard = ""
				said := outcome{findings: map[string]sitewalk.Finding{got.Path: got}}
				if got, want := said.describe(t, made.order[i]), made.describe(t, made.order[i]); got != want {
					t.Errorf("explain says\n     %s\nwant %s", got, want)
				}
			}
		}
	})
}
