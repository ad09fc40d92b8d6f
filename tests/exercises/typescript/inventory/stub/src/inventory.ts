export class Inventory {
  value(): string {
    throw new Error("not written");
  }
}
