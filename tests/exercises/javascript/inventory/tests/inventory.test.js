import assert from "node:assert";
import test from "node:test";

import { Inventory } from "./inventory.js";

test("counts and values", () => {
  const inventory = new Inventory();
  inventory.add("bolt", 10, 25);
  inventory.add("nut", 3, 107);
  assert.strictEqual(inventory.count("bolt"), 10);
  assert.strictEqual(inventory.value(), "5.71");
  assert.strictEqual(inventory.take("bolt", 10), true);
  assert.strictEqual(inventory.count("bolt"), 0);
  assert.strictEqual(inventory.value(), "3.21");
});

test("never goes below zero", () => {
  const inventory = new Inventory();
  inventory.add("bolt", 2, 25);
  inventory.add("bolt", 2, 30);
  assert.strictEqual(inventory.take("bolt", 5), false);
  assert.strictEqual(inventory.take("nut", 1), false);
  assert.strictEqual(inventory.count("bolt"), 4);
  assert.strictEqual(inventory.count("nut"), 0);
  assert.strictEqual(inventory.value(), "1.20");
});
