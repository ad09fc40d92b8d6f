export function toRoman(input) {
  throw new Error(`not written: ${input}`);
}
