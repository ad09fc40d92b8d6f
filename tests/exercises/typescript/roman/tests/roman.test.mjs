import assert from "node:assert";
import test from "node:test";

import { toRoman } from "./dist/roman.js";

test("writes numerals", () => {
  for (const [number, text] of [[1, "I"], [4, "IV"], [9, "IX"], [48, "XLVIII"], [93, "XCIII"],
    [141, "CXLI"], [575, "DLXXV"], [911, "CMXI"], [1444, "MCDXLIV"], [3999, "MMMCMXCIX"]]) {
    assert.strictEqual(toRoman(number), text);
  }
});

test("refuses other numbers", () => {
  for (const number of [0, -1, 4000]) assert.throws(() => toRoman(number), RangeError);
});
