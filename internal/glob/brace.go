package glob

// MaxAlternatives is the largest number of patterns that the braces of one
// pattern may stand for, counted before duplicates are dropped: the product
// of the groups side by side, the sum of the alternatives within a group.
const MaxAlternatives = 1024

// MaxExpanded is the length, in bytes, of all the patterns together that the braces of
// one pattern may stand for.
const MaxExpanded = 1 << 20

// extent is how many patterns something stands for, and how long all of them are
// together, in bytes. Past MaxAlternatives and MaxExpanded it counts no further.
type extent struct{ count, length int64 }

func (e extent) plus(other extent) extent {
	return extent{min(e.count+other.count, MaxAlternatives+1), min(e.length+other.length, MaxExpanded+1)}
}

// times is the extent of each of e's patterns followed by each of the other's.
func (e extent) times(other extent) extent {
	return extent{min(e.count*other.count, MaxAlternatives+1), min(e.length*other.count+e.count*other.length, MaxExpanded+1)}
}

// measure returns the extent of what expand would return. Braces may nest as deeply as
// the pattern is long, so neither function recurses.
func measure(pattern string) extent {
	type group struct{ finished, current extent }
	nothing := extent{count: 1}
	open := []group{{current: nothing}}
	for i := 0; i < len(pattern); {
		length := tokenLength(pattern[i:])
		top := &open[len(open)-1]
		switch {
		case pattern[i] == '{':
			open = append(open, group{current: nothing})
		case pattern[i] == ',' && len(open) > 1:
			top.finished, top.current = top.finished.plus(top.current), nothing
		case pattern[i] == '}':
			total := top.finished.plus(top.current)
			open = open[:len(open)-1]
			parent := &open[len(open)-1]
			parent.current = parent.current.times(total)
		default:
			top.current = top.current.times(extent{1, int64(length)})
		}
		i += length
	}
	return open[0].current
}

// expand returns the patterns without braces that a valid pattern stands for,
// in the order of writing.
func expand(pattern string) []string {
	// Each group holds its finished alternatives and the variants of the one
	// being read; what is read is appended to every variant.
	type group struct{ finished, current [][]byte }
	open := []group{{current: [][]byte{nil}}}
	for i := 0; i < len(pattern); {
		length := tokenLength(pattern[i:])
		top := &open[len(open)-1]
		switch {
		case pattern[i] == '{':
			open = append(open, group{current: [][]byte{nil}})
		case pattern[i] == ',' && len(open) > 1:
			top.finished = append(top.finished, top.current...)
			top.current = [][]byte{nil}
		case pattern[i] == '}':
			choices := append(top.finished, top.current...)
			open = open[:len(open)-1]
			parent := &open[len(open)-1]
			parent.current = appendChoices(parent.current, choices)
		default:
			for v := range top.current {
				top.current[v] = append(top.current[v], pattern[i:i+length]...)
			}
		}
		i += length
	}
	texts := make([]string, len(open[0].current))
	for i, text := range open[0].current {
		texts[i] = string(text)
	}
	return texts
}

// appendChoices returns every variant followed by every choice.
func appendChoices(variants, choices [][]byte) [][]byte {
	if len(choices) == 1 {
		// In place, so that a long row of braces without a comma takes time in
		// proportion to its length.
		for v := range variants {
			variants[v] = append(variants[v], choices[0]...)
		}
		return variants
	}
	product := make([][]byte, 0, len(variants)*len(choices))
	for _, variant := range variants {
		for _, choice := range choices {
			joined := make([]byte, 0, len(variant)+len(choice))
			product = append(product, append(append(joined, variant...), choice...))
		}
	}
	return product
}
