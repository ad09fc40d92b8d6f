#include <iostream>

#include "shop/service.h"

int main() {
  shop::OrderService service;
  std::cout << service.Add(450).Add(800).Total() << "\n";
}
