export function toRoman(input: number): string {
  throw new Error(`not written: ${input}`);
}
