package shop

import "testing"

func TestTotalIsTheSumOfAllOrders(t *testing.T) {
	service := NewOrderService()
	for _, cents := range []int{250, 750} {
		if err := service.Add(cents); err != nil {
			t.Fatal(err)
		}
	}
	if service.Total() != 1000 {
		t.Errorf("Total() = %d, want 1000", service.Total())
	}
}
