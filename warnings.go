package sitewalk

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A Warning is something that the user should hear of.
type Warning struct {
	// Code names the kind of warning for programs.
	Code string
	// Message says what happened and what to do, on one line.
	Message string
	// Paths are examples: files relative to the docroot, or, of extra URLs, a file
	// and its line.
	Paths []string
	// Details say, where there is more to say, what is wrong with each of Paths.
	Details []string
}

// MarshalJSON writes the warning with its paths encoded by [PercentEncode].
func (w Warning) MarshalJSON() ([]byte, error) {
	encoded := struct {
		Code    string   `json:"code"`
		Message string   `json:"message"`
		Paths   []string `json:"paths"`
		Details []string `json:"details,omitempty"`
	}{w.Code, w.Message, percentEncodeAll(w.Paths), percentEncodeAll(w.Details)}
	return marshal(encoded)
}

func percentEncodeAll(texts []string) []string {
	encoded := make([]string, len(texts))
	for i, text := range texts {
		encoded[i] = PercentEncode(text)
	}
	return encoded
}

// marshal is json.Marshal, but leaves <, > and & in text as they are: tags are
// quoted, and nobody puts this JSON into a web page.
func marshal(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// warningCode is the kind of a warning, in the order in which they are told.
type warningCode int

const (
	warnUnreadable warningCode = iota
	warnMostLeftOut
	warnUniform
	warnUniformContent
	warnUnbelievable
	warnAllowed
	warnPresetUndecided
	warnPresetSilent
	warnPresetUnread
	warnAlternates
	warnShallow
	warnNoGit
	warnSourcesIdle
	warnPreviousIdle
	warnNoPrevious
	warnRobotsIgnored
	warnRobotsUnread
	warnRobotsNotRoot
	warnRobotsKept
	warnAccessIgnored
	warnAccessUnread
	warnStateUnusable
	warnStateNotKept
	warnExtraRefused
	warnExtraCut
	warnExtraTwice
	warnExtraTaken
	warnForeign
	warnSetUnread
	warnSetShared
	warnStale
	warnLocal
	warnShort
	warnUnwatched
	warnContested
	warningCount
)

// warningTexts are the codes and messages; where a warning counts something, the
// message goes on after the number and what is counted.
var warningTexts = [warningCount]struct{ code, one, many, message string }{
	warnUnreadable: {"unreadable", "file or folder", "files or folders",
		"could not be read, and not listed: mend the permissions"},
	warnMostLeftOut: {"mostly-left-out", "", "",
		"nearly all pages are left out for one reason, as by a mistake in a template or a setting: sitewalk explain shows it"},
	warnUniformContent: {"lastmod-uniform", "", "",
		"nearly all pages have the same date: a first run by content knows no other (--previous can name the sitemap that is published), " +
			"and what every build writes anew, such as a build stamp, needs lastmod_ignore"},
	warnUniform: {"lastmod-uniform", "", "",
		"nearly all pages have the same modification time: a build or a checkout wrote them all, so lastmod says nothing; " +
			"the lastmod sources content, from its second run on, and git do better; lastmod: [] leaves it out"},
	warnUnbelievable: {"lastmod-unbelievable", "page", "pages",
		"dated in the future, or at 1970 and before, and listed without lastmod: correct the modification times, or what the pages say"},
	warnAllowed: {"allowed", "page", "pages",
		"listed only because allow lifts the protection of names: make sure that this is meant for the public"},
	warnPresetUndecided: {"preset-undecided", "", "",
		"urls.preset auto: the canonicals of the first pages do not agree on one style, and what urls says, or its defaults, is taken; " +
			"name the preset of the server, or set urls.slash and urls.extension"},
	warnPresetSilent: {"preset-undecided", "", "",
		"urls.preset auto: the first pages have no canonical that names them, and what urls says, or its defaults, is taken; " +
			"name the preset of the server, or set urls.slash and urls.extension"},
	warnPresetUnread: {"preset-undecided", "", "",
		"urls.preset auto needs to open pages, which --no-read or pages.read: false forbids, and what urls says, or its defaults, is taken"},
	warnAlternates: {"alternates-one-way", "hreflang link", "hreflang links",
		"to pages that do not link back or are not listed: engines ignore such pairs"},
	warnShallow: {"git-shallow", "file", "files",
		"without a date from git, because the clone is shallow: fetch the whole history (git fetch --unshallow, or fetch-depth: 0)"},
	warnNoGit: {"git-unavailable", "", "", "the lastmod source git has no answer"},
	warnSourcesIdle: {"sources-need-reading", "", "",
		"the lastmod sources meta and content need to open pages, which --no-read or pages.read: false forbids"},
	warnPreviousIdle: {"previous-unused", "", "",
		"--previous serves the lastmod source content, which no lastmod names: set lastmod: [content]"},
	warnNoPrevious: {"previous-missing", "", "", "there is no sitemap at the place that --previous names, and dates begin anew"},
	warnRobotsIgnored: {"robots-ignored", "", "",
		"robots.txt is a link or no regular file, and counts as absent: put a file there"},
	warnRobotsUnread: {"robots-unreadable", "", "",
		"robots.txt could not be read, and counts as absent: mend its permissions"},
	warnRobotsNotRoot: {"robots-not-at-root", "", "",
		"robots.txt is honoured here, but crawlers read only the one at the root of the host, which base_url is below"},
	warnRobotsKept: {"robots-not-updated", "", "",
		"robots.txt was not given its Sitemap line: put a plain file there that can be replaced, or set robots: {update: false}"},
	warnAccessIgnored: {"htaccess-ignored", "file", "files",
		"named .htaccess not read: links, and what is no regular file, count as absent"},
	warnAccessUnread: {"htaccess-unreadable", "file", "files",
		"named .htaccess could not be read: what is below counts as protected"},
	warnStateUnusable: {"state-unusable", "", "",
		"the state cannot be used and is begun anew: pages are read again, and dates by content begin anew unless --previous names the sitemap that is published"},
	warnStateNotKept: {"state-not-kept", "", "",
		"the state cannot be kept: the next run reads all pages again, and dates by content begin anew; name a file that can be written with state or --state, or a folder with --state-dir, or say --no-state"},
	warnExtraRefused: {"extra-refused", "extra URL", "extra URLs", "cannot be listed"},
	warnExtraCut:     {"extra-cut", "extra URL", "extra URLs", "lost a session id or a fragment, which must not be listed"},
	warnExtraTwice:   {"extra-twice", "extra URL", "extra URLs", "given more than once: the first line counts"},
	warnExtraTaken: {"extra-taken", "extra URL", "extra URLs",
		"taken by a file, which is listed instead: what the line says of it does not count"},
	warnForeign: {"foreign-replaced", "file", "files",
		"of another tool, or made by hand, replaced by the set: switch that tool's own sitemap off (Hugo: disableKinds: [sitemap]); " +
			"what else it writes is not removed"},
	warnSetUnread: {"set-unreadable", "file", "files",
		"of the set, which could not be read, written anew: should that come again, look after the permissions, or the disk"},
	warnSetShared: {"set-shared", "shard", "shards",
		"of the set, which another sitemap index of sitewalk's in the folder names too: if that is another site's, each overwrites the other's, " +
			"so give one of them another output.dir; if it is from before output.root was changed, remove it"},
	warnStale: {"text-left", "list of URLs", "lists of URLs",
		"left by an earlier run, without a mark by which to remove what sitewalk wrote: remove by hand"},
	warnContested: {"contested", "", "",
		"somebody removes or changes files of the set again and again, perhaps another watch with another configuration, " +
			"or a tool with a sitemap of its own: stop the other; until then they are mended less and less often"},
	warnLocal: {"base-url-local", "", "",
		"base_url is of this machine or a private network: the set is good for a look, and not for publication"},
	warnShort: {"watches-short", "", "",
		"the system lets no more folders be watched, for all programs of this user together; " +
			"the rest is looked at now and then; as root, run what stands here"},
	warnUnwatched: {"unwatched", "folder", "folders",
		"of file systems that do not tell of all changes, or that cannot be watched: these are looked at now and then"},
}

// maxExamples is how many paths a warning shows.
const maxExamples = 10

// warnings collects what the user should hear of.
type warnings [warningCount]struct {
	count          int64
	paths, details []string
}

// add counts a warning about a path, which may be empty; so may detail, what is
// wrong with it.
func (w *warnings) add(code warningCode, path, detail string) {
	kind := &w[code]
	kind.count++
	if path == "" || len(kind.paths) == maxExamples {
		return
	}
	kind.paths = append(kind.paths, path)
	if detail != "" {
		kind.details = append(kind.details, detail)
	}
}

// addMany counts a warning a number of times, with examples.
func (w *warnings) addMany(code warningCode, count int64, paths ...string) {
	w[code].count += count
	w[code].paths = append(w[code].paths, paths...)
}

func (w *warnings) list() []Warning {
	told := []Warning{}
	for code := range w {
		count := w[code].count
		if count == 0 {
			continue
		}
		text := warningTexts[code]
		message := text.message
		switch {
		case text.one == "":
		case count == 1:
			message = "1 " + text.one + " " + message
		default:
			message = fmt.Sprintf("%d %s %s", count, text.many, message)
		}
		told = append(told, Warning{text.code, message, list(w[code].paths), w[code].details})
	}
	return told
}
