#ifndef SHOP_SERVICE_H_
#define SHOP_SERVICE_H_

#include <vector>

namespace shop {

// Keeps the orders of one day, as amounts in cents.
class OrderService {
 public:
  OrderService() = default;

  OrderService& Add(int cents);
  int Total() const;

 private:
  std::vector<int> orders_;
};

}  // namespace shop

#endif  // SHOP_SERVICE_H_
