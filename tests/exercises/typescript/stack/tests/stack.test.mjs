import assert from "node:assert";
import test from "node:test";

import { Stack } from "./dist/stack.js";

test("last in, first out", () => {
  const stack = new Stack(2);
  assert.strictEqual(stack.push("a"), true);
  assert.strictEqual(stack.push("b"), true);
  assert.strictEqual(stack.push("c"), false);
  assert.strictEqual(stack.room(), 0);
  assert.strictEqual(stack.pop(), "b");
  assert.strictEqual(stack.room(), 1);
  assert.strictEqual(stack.pop(), "a");
  assert.strictEqual(stack.pop(), undefined);
});
