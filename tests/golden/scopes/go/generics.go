package types

type Pair[K comparable, V any] struct {
	Key   K
	Value V
}

func Map[T, U any](items []T, f func(T) U) (result []U) {
	for _, item := range items {
		result = append(result, f(item))
	}
	return
}

func (p Pair[K, V]) Swap(node *Pair[K, V]) Pair[V, K] {
	type local struct{ K int }
	select {
	case value := <-channel:
		use(value)
	}
	return Pair[V, K]{p.Value, p.Key}
}
