package main

import (
	"fmt"
	str "strings"
)

type Server struct {
	name string
	size int
}

const limit = 1

func (s *Server) Run(limit int, err error) error {
	x, err := open(limit)
	if x := x + 1; x > limit {
		fmt.Println(x, s.name)
	} else if err != nil {
		return err
	}
	for i, name := range s.items {
		name := name + str.ToUpper(name)
		use(i, name)
	}
	switch v := x.(type) {
	case int:
		limit = v
	}
	server := Server{name: "x", size: limit}
	table := map[string]int{name: limit}
	f := func(x int) int { return x + limit }
outer:
	for x := 0; x < limit; x++ {
		continue outer
	}
	var y, z = x, f(x)
	return server.Run(y, z)
}

func later() int { return after }

var after = limit

var name string
