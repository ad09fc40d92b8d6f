export class Stack {
  #items = [];
  #capacity;

  constructor(capacity) {
    this.#capacity = capacity;
  }

  push(item) {
    if (this.#items.length === this.#capacity) {
      return false;
    }
    this.#items.push(item);
    return true;
  }

  pop() {
    return this.#items.pop();
  }

  room() {
    return this.#capacity - this.#items.length;
  }
}
