export class Stack<T> {
  constructor(capacity: number) {
    throw new Error(`not written: ${capacity}`);
  }
}
