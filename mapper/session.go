package mapper

import "strings"

// HasSession reports whether a URL carries the id of a session, as servers write it
// into a path or a query for visitors without cookies.
// https://www.sitemaps.org/faq.html#faq_sitemap_session_ids
func HasSession(url string) bool {
	url, _, _ = strings.Cut(url, "#")
	path, query, _ := strings.Cut(url, "?")
	_, inPath := stripSessionPath(path)
	_, inQuery := stripSessionQuery(query)
	return inPath || inQuery
}
