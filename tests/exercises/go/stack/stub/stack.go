package stack

// Stack holds at most as many elements as its capacity.
type Stack[T any] struct{}
