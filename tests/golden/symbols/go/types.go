package types

type Shape interface{ Area() float64 }

type Circle struct{ Radius float64 }

type Tree[T any] struct {
	left, right *Tree[T]
	value       T
}

func (t *Tree[T]) Walk(visit func(T)) {
	if t == nil {
		return
	}
	t.left.Walk(visit)
}

/*
Area is pi r squared.
*/
func (c Circle) Area() float64 { return 3 * c.Radius * c.Radius }

type Weekday int

const (
	Sunday Weekday = iota
	Monday
)

func (d Weekday) String() string { return [...]string{"Sun", "Mon"}[d] }

var _ Shape = Circle{}

var handler = func(x int) int { return x }
