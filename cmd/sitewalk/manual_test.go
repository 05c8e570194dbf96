package main

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"sitewalk"
	"sitewalk/internal/roff"
)

// keysIn returns the full names of the keys that have a value of their own.
func keysIn(node *yaml.Node, prefix string) (names []string) {
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, value := prefix+node.Content[i].Value, node.Content[i+1]
		if value.Kind == yaml.MappingNode && value.Style&yaml.FlowStyle == 0 {
			names = append(names, keysIn(value, name+".")...)
		} else {
			names = append(names, name)
		}
	}
	return names
}

func TestTheManualNamesEveryKey(t *testing.T) {
	var example yaml.Node
	if err := yaml.Unmarshal([]byte(sitewalk.ExampleConfig()), &example); err != nil {
		t.Fatal(err)
	}
	names := keysIn(example.Content[0], "")
	if len(names) < 30 {
		t.Fatalf("the example has only %q", names)
	}
	page := configPage(time.Time{})
	for _, name := range names {
		if !strings.Contains(page, `.TP`+"\n"+`\fB`+roff.Escape(name)+": ") {
			t.Errorf("no entry for %s", name)
		}
	}
}

// Each command says of its exit codes what its page makes a list of.
func TestTheManualListsExitCodes(t *testing.T) {
	root := (&command{}).root()
	item := regexp.MustCompile(`(?m)^\.TP\n\\fB[0-9, ]+\\fR\n[A-Z]`)
	for _, cmd := range root.Commands() {
		page := commandPage(cmd, time.Time{})
		_, status, ok := strings.Cut(page, `.SH "EXIT STATUS"`)
		if n := len(item.FindAllString(status, -1)); !ok || n < 2 {
			t.Errorf("%s lists %d exit codes", cmd.Name(), n)
		}
		if strings.Contains(page, exitCodes) {
			t.Errorf("%s has them as text as well", cmd.Name())
		}
	}
}
