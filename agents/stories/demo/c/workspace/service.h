#ifndef SHOP_SERVICE_H_
#define SHOP_SERVICE_H_

#include <stddef.h>

#define MAX_ORDERS 100

/* Keeps the orders of one day, as amounts in cents. */
typedef struct {
  int cents[MAX_ORDERS];
  size_t count;
} OrderService;

/* 0 if the order was taken, -1 if the amount is not positive or there is no room. */
int service_add(OrderService* service, int cents);
int service_total(const OrderService* service);

#endif /* SHOP_SERVICE_H_ */
