export class Inventory {
  value() {
    throw new Error("not written");
  }
}
