package main

import (
	"fmt"
	"os"

	"shop/shop"
)

func main() {
	service := shop.NewOrderService()
	if err := service.Add(1250); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(service.Total())
}
