/* Old style. */
var app = exports = module.exports = {}

exports.version = '1.0'
module.exports.helper = function (x) { return x }
exports.arrow = () => 1

// Makes a router.
function Router(options) {
  this.options = options
  var self = this
}

Router.prototype.use = function use(fn) {
  var stack = []
  return this
}

Router.create = function () { return new Router() }
app.listen = function listen() {}

Object.defineProperty(app, 'x', { get: function () { return 1 } })

;(function () {
  var hidden = 1
  function wrapped() {}
  Router.prototype.late = function () {}
})()

module.exports = {
  start() {},
  stop: function () {},
}
