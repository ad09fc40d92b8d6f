import type { Base } from './base'
import def, { type Options as Opts } from './options'

interface Node<T> { value: T; next?: Node<T>; run(value: T): void }
type Mapper<T, U> = (value: T) => U
enum Color { Red, Green = Red }
namespace Inner { export const value = 1; use(value) }

export abstract class Server<T extends Base> implements Node<T> {
  constructor(private readonly value: T, node: Node<T>) { this.value = value; use(node) }
  abstract size(value: number): Color
  get(node: Opts, Node: number): Inner.Thing { return Node + Color.Red }
}

function generic<T>(value: T, map: Mapper<T, string> = def): value is T {
  const result: T = map(value)
  type T2 = typeof result
  return <T>result as T2
}
declare function external(value: number): void
export default generic
