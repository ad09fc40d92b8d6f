#include <stdio.h>

#include "service.h"

int main(void) {
  OrderService service = {.count = 0};
  if (service_add(&service, 450) != 0 || service_add(&service, 800) != 0) return 1;
  printf("%d\n", service_total(&service));
  return 0;
}
