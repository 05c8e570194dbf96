package generator

// packageFile returns the project's package.json; nil if it has none that can be read.
func packageFile(f folder) *value {
	data, err := f.read("package.json")
	if err != nil {
		return nil
	}
	v, err := parse("package.json", data)
	if err != nil {
		return nil
	}
	return v
}

// dependsOn returns where package.json asks for a package, and false if it does not.
func (s *survey) dependsOn(name string) (Place, bool) {
	for _, group := range [...]string{"dependencies", "devDependencies"} {
		if v := s.packages.find(group, name); v != nil {
			return v.place, true
		}
	}
	return Place{}, false
}

// script returns the command that builds the site: the package's own, with the package
// manager whose lock file is there, or else what the generator is called by.
func (s *survey) script(otherwise string) string {
	manager := "npm"
	for _, lock := range []struct{ file, manager string }{
		{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"}, {"bun.lockb", "bun"},
	} {
		if s.isFile(lock.file) {
			manager = lock.manager
		}
	}
	if s.packages.find("scripts", "build").string() == "" {
		return otherwise
	}
	return manager + " run build"
}
