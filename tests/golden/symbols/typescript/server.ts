import { Base } from './base'

/** Options. */
export interface Options<T = string> extends Common, ns.Other<T> {
  name: string
  readonly size?: number
  run(count: number): void
  (call: string): number
  new (x: string): Options
  [key: string]: unknown
}

export type ID = string | number
type Shape = { kind: 'circle'; area(): number }

export enum Color {
  // Red.
  Red,
  Green = 'g',
  'quoted-name' = 3,
}
declare const enum Bits { A = 1 << 0 }

/** A server. */
@Injectable()
export abstract class Server<T> extends Base<T> implements Runnable, ns.Closeable {
  private static count = 0
  readonly name!: string
  #secret = 1
  handler = (x: number): void => {}
  declare declared: string

  constructor(private readonly port: number, public host = 'x', plain: string) {
    super()
    this.assigned = 1
  }

  abstract size(): number
  run(a: string): void
  run(a: number): void
  // The one.
  @Log()
  run(a: any): void { const local = 1 }
  get address(): string { return '' }
  static async create<U>(): Promise<U> { return null as any }
}

export function overload(x: string): string
export function overload(x: number): number
export function overload(x: any): any { return x }

export default class extends Server<string> {}

namespace Outer.Inner {
  export const value = 1
  export function act() { const local = 2 }
  export namespace Deep { interface Thing {} }
}

declare module 'express' {
  interface Request { user?: string }
}
declare global {
  interface Window { app: string }
  var globalValue: number
}
declare function external(x: number): void
declare let ambient: string
declare class Ambient { method(): void; field: number }

export const arrow = <T,>(x: T): T => x
export const config = { load(): void {}, limit: 3 } as const
export let later: number | undefined
const { a, b: renamed, ...rest } = config
abstract class Plain { protected abstract get(): void }
