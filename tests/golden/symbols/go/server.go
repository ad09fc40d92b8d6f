// Package server serves.
package server

import (
	"fmt"
	str "strings"
)

// Limits.
const (
	// MaxConns is the most.
	MaxConns = 10
	MinConns, idle = 1, 2
)

const Version = "1.0"

// ErrClosed is told after Close.
var ErrClosed = fmt.Errorf("closed")

var (
	first, second int
	table         = map[string]int{"a": 1}
)

// Handler handles.
type Handler interface {
	fmt.Stringer
	// Serve serves.
	Serve(path string) error
	Close()
}

type Number interface {
	~int | ~float64
}

// Server is one.
type Server struct {
	Base
	*str.Builder
	name, host string
	// opts are options.
	opts struct {
		retries int
	}
	handlers []Handler `json:"handlers"`
}

type (
	// ID names.
	ID    string
	Pair[K comparable, V any] struct {
		Key   K
		Value V
	}
	Func func(int) int
)

type Alias = Server

// Run runs.
func (s *Server) Run(addr string) error {
	const local = 1
	var x int
	type inner struct{ y int }
	f := func() { var z int; _ = z }
	f()
	return nil
}

func (Server) String() string { return "" }

func (p *Pair[K, V]) Swap() {}

// New makes.
func New[T any](name string, opts ...T) (*Server, error) {
	return &Server{name: name}, nil
}

func external(x int) int

func init() {}
