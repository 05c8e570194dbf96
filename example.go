package sitewalk

import _ "embed"

//go:embed config.example.yaml
var exampleConfig string

// ExampleConfig returns a configuration file that has every key with its default
// and a comment: config.example.yaml of this module. [Load] reads it as what
// [DefaultConfig] returns.
func ExampleConfig() string { return exampleConfig }
