#include "service.h"

int service_add(OrderService *service, int cents) {
  if (cents <= 0 || service->count == MAX_ORDERS) return -1;
  service->cents[service->count++] = cents;
  return 0;
}

int service_total(const OrderService *service) {
  int total = 0;
  for (size_t i = 0; i < service->count; ++i) total += service->cents[i];
  return total;
}
