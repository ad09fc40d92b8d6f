export function formatCents(cents) {
  throw new Error(`not written: ${cents}`);
}
