export class Stack {
  constructor(capacity) {
    throw new Error(`not written: ${capacity}`);
  }
}
