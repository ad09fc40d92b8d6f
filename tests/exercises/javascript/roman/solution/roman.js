const symbols = [
  [1000, "M"], [900, "CM"], [500, "D"], [400, "CD"], [100, "C"], [90, "XC"],
  [50, "L"], [40, "XL"], [10, "X"], [9, "IX"], [5, "V"], [4, "IV"], [1, "I"],
];

export function toRoman(input) {
  if (input < 1 || input > 3999) {
    throw new RangeError(`${input} has no Roman numeral`);
  }
  let rest = input;
  let text = "";
  for (const [value, symbol] of symbols) {
    while (rest >= value) {
      text += symbol;
      rest -= value;
    }
  }
  return text;
}
