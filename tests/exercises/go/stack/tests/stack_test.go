package stack

import "testing"

func TestLastInFirstOut(t *testing.T) {
	s := New[string](2)
	if !s.Push("a") || !s.Push("b") || s.Push("c") {
		t.Fatal("room for two")
	}
	if s.Room() != 0 {
		t.Errorf("Room() = %d, want 0", s.Room())
	}
	if item, ok := s.Pop(); !ok || item != "b" {
		t.Errorf("Pop() = %q, %v", item, ok)
	}
	if s.Room() != 1 {
		t.Errorf("Room() = %d, want 1", s.Room())
	}
	if item, ok := s.Pop(); !ok || item != "a" {
		t.Errorf("Pop() = %q, %v", item, ok)
	}
	if item, ok := s.Pop(); ok || item != "" {
		t.Errorf("Pop() of an empty stack = %q, %v", item, ok)
	}
}
