// Package inventory counts articles.
package inventory

import "exercise/money"

type article struct {
	price int
	count int
}

// Inventory keeps how many pieces of each article there are.
type Inventory struct {
	articles map[string]article
}

// New makes an empty inventory.
func New() *Inventory {
	return &Inventory{articles: map[string]article{}}
}

// Add puts pieces in at a price in cents.
func (i *Inventory) Add(name string, count, price int) {
	i.articles[name] = article{price: price, count: i.articles[name].count + count}
}

// Take says whether there were enough.
func (i *Inventory) Take(name string, count int) bool {
	a, known := i.articles[name]
	if !known || a.count < count {
		return false
	}
	a.count -= count
	i.articles[name] = a
	return true
}

// Count gives the number of pieces.
func (i *Inventory) Count(name string) int {
	return i.articles[name].count
}

// Value gives what all is worth.
func (i *Inventory) Value() string {
	cents := 0
	for _, a := range i.articles {
		cents += a.count * a.price
	}
	return money.Format(cents)
}
