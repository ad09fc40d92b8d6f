package stack

// Stack holds at most as many elements as its capacity.
type Stack[T any] struct {
	items    []T
	capacity int
}

// New makes an empty stack.
func New[T any](capacity int) *Stack[T] {
	return &Stack[T]{capacity: capacity}
}

// Push says whether there was room.
func (s *Stack[T]) Push(item T) bool {
	if len(s.items) == s.capacity {
		return false
	}
	s.items = append(s.items, item)
	return true
}

// Pop says whether there was an element.
func (s *Stack[T]) Pop() (T, bool) {
	var item T
	if len(s.items) == 0 {
		return item, false
	}
	last := len(s.items) - 1
	item = s.items[last]
	s.items = s.items[:last]
	return item, true
}

// Room says how many elements fit.
func (s *Stack[T]) Room() int {
	return s.capacity - len(s.items)
}
