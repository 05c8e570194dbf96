package generator

// svelteKit looks for a site of SvelteKit with the adapter for static sites
// (https://svelte.dev/docs/kit/adapter-static).
func (s *survey) svelteKit(forced bool) bool {
	p := s.project
	m, kit := s.kit()
	place, depends := s.dependsOn("@sveltejs/kit")
	if kit == nil && !depends && !forced {
		return false
	}
	p.Recognised = place
	if m != nil {
		p.Recognised = Place{m.name, 0}
	}
	s.adapter(m, kit)
	s.address("prerender.origin", m.find(kit, "prerender", "origin"), "paths.base", m.find(kit, "paths", "base"))
	s.style("strip", "never", Place{})
	if name := s.first("src/routes/+layout.js", "src/routes/+layout.ts", "src/routes/+layout.server.js", "src/routes/+layout.server.ts"); name != "" {
		if layout := s.module(name); layout != nil {
			if slash := layout.resolve(layout.exported("trailingSlash")); slash.string() == "always" {
				s.style("keep", "auto", slash.place)
			}
		}
	}
	if name := s.first("src/routes/sitemap.xml/+server.js", "src/routes/sitemap.xml/+server.ts"); name != "" {
		p.Sitemaps = append(p.Sitemaps, OwnSitemap{"sitemap.xml", Place{name, 0}, "remove " + name})
	}
	p.Build = s.script("npx vite build")
	return true
}

// kit returns SvelteKit's settings: what sveltekit is called with in Vite's
// configuration, or else kit in svelte.config.js.
func (s *survey) kit() (m *module, kit *value) {
	if name := s.first("vite.config.js", "vite.config.ts", "vite.config.mjs", "vite.config.mts"); name != "" {
		if m = s.module(name); m != nil {
			for _, plugin := range m.find(m.config(), "plugins").itemsOf() {
				if plugin.is(call) && m.imports[plugin.text] == "@sveltejs/kit/vite" && len(plugin.items) > 0 {
					return m, m.resolve(plugin.items[0])
				}
			}
		}
	}
	if name := s.first("svelte.config.js", "svelte.config.ts", "svelte.config.mjs"); name != "" {
		if m = s.module(name); m != nil {
			if kit = m.find(m.config(), "kit"); kit != nil {
				return m, kit
			}
		}
	}
	return nil, nil
}

// staticAdapter is what writes a site of SvelteKit into files.
const staticAdapter = "@sveltejs/adapter-static"

// adapter takes the docroot from the adapter's options, and notes one that writes no
// static site.
func (s *survey) adapter(m *module, kit *value) {
	s.folderOr("", nil, "build")
	adapter := kit.find("adapter")
	if adapter.is(reference) {
		adapter = m.step(adapter)
	}
	if !adapter.is(call) {
		s.computed("adapter", &value{place: s.project.Recognised})
		return
	}
	if from := m.imports[adapter.text]; from != staticAdapter {
		s.note(NoteNotStatic, adapter.place, "the adapter in %s is %s, which writes no static site; use %s, "+
			"or name the folder that is served with --docroot", adapter.place, from, staticAdapter)
		return
	}
	if len(adapter.items) == 0 {
		return
	}
	options := adapter.items[0]
	s.folderOr("pages", m.find(options, "pages"), "build")
	// The page for all that is none, unless it has the name of an error page or is the
	// site's first, stands for no URL of its own.
	if fallback := m.find(options, "fallback").string(); fallback != "" && fallback != "index.html" && fallback != "404.html" {
		s.project.Exclusions = append(s.project.Exclusions, Exclusion{fallback, "what is served where there is no page (fallback)", false})
	}
}
