package check

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// changeFreqs are the values of changefreq.
var changeFreqs = []string{"always", "hourly", "daily", "weekly", "monthly", "yearly", "never"}

// decimal is the schema's form of a number.
var decimal = regexp.MustCompile(`^([+-]?)0*([0-9]*)(?:\.([0-9]*))?$`)

// checkValues tells what is wrong with the values of an entry other than its URL.
func checkValues(e *entry, now int64, tell func(code Code, message string)) {
	if e.given(fieldLastMod) {
		d, problem := parseLastMod(e.lastMod)
		if problem != "" {
			tell(LastModForm, fmt.Sprintf("lastmod %.40q %s", e.lastMod, problem))
		} else if code, problem := d.believable(now); code != "" {
			tell(code, "lastmod "+e.lastMod+" "+problem)
		}
	}
	if e.given(fieldChangeFreq) && !slices.Contains(changeFreqs, e.changeFreq) {
		tell(ChangeFreq, fmt.Sprintf("changefreq %.40q is none of always, hourly, daily, weekly, monthly, yearly and never", e.changeFreq))
	}
	if e.given(fieldPriority) {
		if _, ok := priority(e.priority); !ok {
			tell(Priority, fmt.Sprintf("priority %.40q is no number from 0.0 to 1.0", e.priority))
		}
	}
}

// maxDigits is how many digits of a number every validator has to take.
// https://www.w3.org/TR/xmlschema-2/#decimal
const maxDigits = 18

// priority returns the value of a priority, and whether it is in the schema's form and
// range, exactly.
func priority(text string) (float64, bool) {
	parts := decimal.FindStringSubmatch(text)
	if parts == nil || len(parts[2])+len(parts[3]) > maxDigits {
		return 0, false
	}
	sign, whole, fraction := parts[1], parts[2], strings.TrimRight(parts[3], "0")
	isZero := whole == "" && fraction == ""
	inRange := whole == "" || whole == "1" && fraction == ""
	value, err := strconv.ParseFloat(text, 64)
	return value, err == nil && inRange && (sign != "-" || isZero)
}
