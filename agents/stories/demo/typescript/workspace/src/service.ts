/** Keeps the orders of one day, as amounts in cents. */
export class OrderService {
  private readonly orders: number[] = [];

  add(cents: number): OrderService {
    if (cents <= 0) {
      throw new RangeError(`amount ${cents} is not positive`);
    }
    this.orders.push(cents);
    return this;
  }

  total(): number {
    return this.orders.reduce((sum, cents) => sum + cents, 0);
  }
}
