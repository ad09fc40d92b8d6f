export class Stack<T> {
  #items: T[] = [];
  #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  push(item: T): boolean {
    if (this.#items.length === this.#capacity) {
      return false;
    }
    this.#items.push(item);
    return true;
  }

  pop(): T | undefined {
    return this.#items.pop();
  }

  room(): number {
    return this.#capacity - this.#items.length;
  }
}
