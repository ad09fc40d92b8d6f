'use strict'

const fs = require('fs')
const { join, resolve: res } = require('path')

// The limit.
const LIMIT = 10
let counter = 0, other
var legacy = 1

/**
 * A server.
 */
export class Server extends Base.Thing {
  static count = 0
  #secret = 1
  handler = () => { const inside = 1 }

  constructor(name) {
    super()
    this.name = name
    this.name = other
  }

  /** Runs. */
  async run() {
    const local = 1
    function inner() {}
    this.state = local
  }
  get size() { return 1 }
  set size(value) {}
  static create() {}
  #hidden() {}
  *[Symbol.iterator]() {}
  'quoted name'() {}
  static { const inStatic = 1 }
}

export default function main(argv) {}

export const arrow = async (x) => x * 2,
  second = function named(y) { return y }

function* generator() {}

const api = {
  get(id) { return id },
  post: function (body) {},
  put: async () => {},
  'delete-all': () => {},
  limit: 10,
  nested: { deep() {} },
}

const Mixed = class Inner extends Server { act() {} }

for (let i = 0; i < 3; i++) { const inLoop = i }
if (counter) { const inBlock = 1; function hoisted() {} }

register('x', { callback() {} })
register(() => { const inCallback = 1; function named() {} })
