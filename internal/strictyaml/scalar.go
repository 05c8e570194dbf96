package strictyaml

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// quotedStyle has a bit for each way of writing text that YAML never takes for
// a number or a word of its own.
const quotedStyle = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

// scalar decodes text, numbers, durations and booleans.
func (d *decoder) scalar(node *yaml.Node, v reflect.Value, path string) *Error {
	if node.Kind == yaml.ScalarNode && !understood(node.ShortTag()) {
		return unknownTag(node)
	}
	switch {
	case v.Type() == durationType:
		return duration(node, v, path)
	case v.Kind() == reflect.String:
		return text(node, v, path)
	case v.Kind() == reflect.Bool:
		return boolean(node, v, path)
	case v.CanInt(), v.CanUint():
		return integer(node, v, path)
	case v.CanFloat():
		return number(node, v, path)
	}
	return Errorf(node, "", "%s cannot be read into a Go %s", label(path), v.Type())
}

func understood(tag string) bool {
	switch tag {
	case "!!str", "!!int", "!!float", "!!bool", "!!timestamp", "!!merge":
		return true
	}
	return false
}

// text takes numbers and dates as they are written, so that protocol: 0.9 is
// what it looks like.
func text(node *yaml.Node, v reflect.Value, path string) *Error {
	if node.Kind != yaml.ScalarNode {
		return Errorf(node, "", "%s must be text", label(path))
	}
	if node.ShortTag() == "!!bool" {
		return Errorf(node, "put it in quotes if it is meant as text", "%s must be text", label(path))
	}
	v.SetString(node.Value)
	return nil
}

func boolean(node *yaml.Node, v reflect.Value, path string) *Error {
	b, ok := resolved(node, "!!bool").(bool)
	if !ok {
		return Errorf(node, "without quotes, and not yes or no", "%s must be true or false", label(path))
	}
	v.SetBool(b)
	return nil
}

func number(node *yaml.Node, v reflect.Value, path string) *Error {
	var f float64
	switch n := resolved(node, "!!int", "!!float").(type) {
	case int:
		f = float64(n)
	case int64:
		f = float64(n)
	case uint64:
		f = float64(n)
	case float64:
		f = n
	default:
		return notNumber(node, "a number", path)
	}
	if ambiguous(node) {
		return leadingZero(node, path)
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return notNumber(node, "a finite number", path)
	}
	if v.OverflowFloat(f) {
		return Errorf(node, "", "%s is out of range", label(path))
	}
	v.SetFloat(f)
	return nil
}

// digits matches what is meant as an integer, though it may be too large to be
// resolved as one.
var digits = regexp.MustCompile(`^[-+]?[0-9][0-9_]*$`)

func integer(node *yaml.Node, v reflect.Value, path string) *Error {
	value := resolved(node, "!!int", "!!float")
	if value != nil && ambiguous(node) {
		return leadingZero(node, path)
	}
	fits := false
	switch n := value.(type) {
	case int:
		fits = setInteger(v, int64(n))
	case int64:
		fits = setInteger(v, n)
	case uint64:
		// Larger than any int64.
		if fits = v.CanUint() && !v.OverflowUint(n); fits {
			v.SetUint(n)
		}
	default:
		if value == nil || !digits.MatchString(node.Value) {
			return notNumber(node, "a whole number", path)
		}
	}
	if !fits {
		return Errorf(node, bounds(v.Type()), "%s is out of range", label(path))
	}
	return nil
}

func setInteger(v reflect.Value, n int64) (fits bool) {
	switch {
	case v.CanInt() && !v.OverflowInt(n):
		v.SetInt(n)
	case v.CanUint() && n >= 0 && !v.OverflowUint(uint64(n)):
		v.SetUint(uint64(n))
	default:
		return false
	}
	return true
}

func bounds(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fmt.Sprintf("between %d and %d", int64(-1)<<(t.Bits()-1), int64(math.MaxInt64)>>(64-t.Bits()))
	default:
		return fmt.Sprintf("between 0 and %d", uint64(math.MaxUint64)>>(64-t.Bits()))
	}
}

func notNumber(node *yaml.Node, expected, path string) *Error {
	hint := ""
	if node.Kind == yaml.ScalarNode && node.Style&quotedStyle != 0 {
		hint = "write it without quotes"
	}
	return Errorf(node, hint, "%s must be %s", label(path), expected)
}

// ambiguous tells numbers such as 010, which is 8 to YAML 1.1 and 10 to 1.2.
func ambiguous(node *yaml.Node) bool {
	plain := strings.TrimLeft(node.Value, "+-")
	return len(plain) > 1 && plain[0] == '0' && (plain[1] == '_' || '0' <= plain[1] && plain[1] <= '9')
}

func leadingZero(node *yaml.Node, path string) *Error {
	return Errorf(node, "such numbers are octal to some programs", "%s must not begin with 0", label(path))
}

func duration(node *yaml.Node, v reflect.Value, path string) *Error {
	const unit = "it needs a unit, such as 60s"
	hint := "such as 200ms, 60s or 1h30m; hours are the largest unit"
	switch n := resolved(node, "!!int", "!!float", "!!str").(type) {
	case string:
		parsed, err := time.ParseDuration(n)
		if err == nil && parsed < 0 {
			return Errorf(node, "", "%s must not be negative", label(path))
		}
		if err == nil {
			v.SetInt(int64(parsed))
			return nil
		}
		if _, err := strconv.ParseFloat(n, 64); err == nil {
			hint = unit
		}
	case int:
		if n == 0 {
			v.SetInt(0)
			return nil
		}
		hint = unit
	case float64, int64, uint64:
		hint = unit
	}
	return Errorf(node, hint, "%s must be a duration", label(path))
}

// resolved gives a scalar with one of the tags as the Go value that YAML makes
// of it, and nil for anything else.
func resolved(node *yaml.Node, tags ...string) any {
	if node.Kind != yaml.ScalarNode {
		return nil
	}
	for _, tag := range tags {
		if node.ShortTag() != tag {
			continue
		}
		var value any
		if guarded(func() error { return node.Decode(&value) }) != nil {
			return nil
		}
		return value
	}
	return nil
}
