export function formatCents(cents: number): string {
  throw new Error(`not written: ${cents}`);
}
