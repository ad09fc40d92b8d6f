// Package shop takes orders.
package shop

import "fmt"

// OrderService keeps the orders of one day.
type OrderService struct {
	orders []int
}

// NewOrderService returns a service without orders.
func NewOrderService() *OrderService {
	return &OrderService{}
}

// Add records an order of the given amount in cents.
func (s *OrderService) Add(cents int) error {
	if cents <= 0 {
		return fmt.Errorf("amount %d is not positive", cents)
	}
	s.orders = append(s.orders, cents)
	return nil
}

// Total is the sum of all orders in cents.
func (s *OrderService) Total() int {
	total := 0
	for _, cents := range s.orders {
		total += cents
	}
	return total
}
