import { OrderService } from "./service";

export type Basket = ReadonlyMap<string, number>;

export function checkout(service: OrderService, basket: Basket): number {
  for (const cents of basket.values()) {
    service.add(cents);
  }
  return service.total();
}
