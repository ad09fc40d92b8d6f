// Package money writes amounts.
package money

import "fmt"

// Format writes cents as units with two decimals.
func Format(cents int) string {
	return fmt.Sprintf("%d.%02d", cents/100, cents%100)
}
