import fs, { join, resolve as res } from 'fs'
import * as path from 'path'

const limit = 1
hoisted(later)
var later = 2

function hoisted(limit, { key, other: renamed = limit, ...rest } = {}, [first] = rest) {
  if (limit) {
    var inner = key
    let limit = 3
    const block = limit
    use(block)
  }
  return inner + limit + renamed + first
}

class Server extends Base {
  size = limit
  #secret = 1
  run(size) {
    this.size = size
    return this.run(size, this.#secret)
  }
}

const make = (x) => ({ x, limit: x, [limit]: x, run() { return limit } })
for (const item of items) use(item)
for (let i = 0; i < limit; i++) use(i)
try { risky() } catch ({ message }) { use(message) }
const fact = function self(n) { return n ? self(n - 1) : 1 }
label: for (;;) { break label }
const { a, b: { c } } = make(limit)
new Server(a, c, res, path.join, fs)
export { limit, make as build }
export { other } from './other'
