var app = exports = module.exports = {}

app.use = function use(fn) {
  var self = this
  items.forEach(function (fn) {
    fn(self, use)
  })
  return function* () { yield fn }
}

switch (app) {
  case 1: {
    let app = 2
    use(app)
  }
}

async function load(url) {
  const { data } = await fetch(url, { url })
  for (var key in data) {}
  return key
}
