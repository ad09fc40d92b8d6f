import { a, b as c } from './m'
import type { D } from './d'

const first = <T,>(items: T[]): T | undefined => items[0]
export const store = { a, c, first: first, nested: { d: a } }
let counter = 0
function overload(x: string): string
function overload(x: number): number
function overload(x: any) { counter += x; return overload(x) }
class Box<V> {
  private counter = 1
  add = (counter: number, d: D): V => this.counter + counter
}
export { first as head, counter }
