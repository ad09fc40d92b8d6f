// A server of the Language Server Protocol 3.17 around the TypeScript that a project has installed. It
// speaks over standard input and output.
//
//   node main.cjs FOLDER     FOLDER: `lib` of the npm package typescript
'use strict';

const { Connection } = require('./connection.cjs');
const { loadTypeScript, TypeScriptSession } = require('./session.cjs');
const { Methods } = require('./methods.cjs');

// What TypeScript prints would break the protocol.
console.log = console.info = console.warn = console.error;
const ts = loadTypeScript(process.argv[2]);

let methods = null;
const connection = new Connection(process.stdin, process.stdout, {
  request(method, params) {
    if (method === 'initialize') {
      methods = new Methods(ts, new TypeScriptSession(ts, params), connection);
      return methods.initializeResult();
    }
    if (method === 'shutdown') return null;
    return methods.handleRequest(method, params);
  },
  notification(method, params) {
    if (method === 'exit') process.exit(0);
    methods?.handleNotification(method, params);
  },
});
process.stdin.on('end', () => process.exit(0));
