package glob

import "fmt"

// Error says why a pattern was refused. Problem and Hint are each one line
// without a full stop.
type Error struct {
	Pattern string // as it was given
	Problem string // what is wrong
	Hint    string // what to write instead
}

// Error returns pattern, problem and hint on one line.
func (e *Error) Error() string {
	return fmt.Sprintf("glob %s: %s; %s", quote(e.Pattern), e.Problem, e.Hint)
}

// quote shows a pattern on one line, with its backslashes as they were
// written wherever that is possible.
func quote(pattern string) string {
	return fmt.Sprintf("%#q", pattern)
}
