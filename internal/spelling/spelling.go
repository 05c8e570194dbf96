// Package spelling tells how alike two words are, to suggest the one that was meant.
// [Distance] is all of it.
package spelling

// Distance counts the letters to insert, remove, change or swap with the next to get
// from a to b (optimal string alignment). It takes time and memory by the product of
// their lengths, which callers bound.
func Distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	rows := make([][]int, len(from)+1)
	for i := range rows {
		rows[i] = make([]int, len(to)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(from); i++ {
		for j := 1; j <= len(to); j++ {
			change := rows[i-1][j-1]
			if from[i-1] != to[j-1] {
				change++
			}
			rows[i][j] = min(change, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && from[i-1] == to[j-2] && from[i-2] == to[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(from)][len(to)]
}
