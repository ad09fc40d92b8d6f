#include "shop/service.h"

#include <numeric>
#include <stdexcept>

namespace shop {

OrderService& OrderService::Add(int cents) {
  if (cents <= 0) throw std::invalid_argument("the amount is not positive");
  orders_.push_back(cents);
  return *this;
}

int OrderService::Total() const { return std::accumulate(orders_.begin(), orders_.end(), 0); }

}  // namespace shop
