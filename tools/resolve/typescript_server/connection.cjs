// JSON-RPC 2.0 with the headers of the Language Server Protocol.
'use strict';

const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;
const REQUEST_FAILED = -32803; // the request is understood and refused

// A request that is not answered, with a message for its sender.
class RequestError extends Error {
  constructor(message, code) {
    super(message);
    this.code = code;
  }
}

class Connection {
  // `handlers`: request(method, params) returns the result or throws; notification(method, params).
  // They are called in the order of the messages.
  constructor(input, output, handlers) {
    this.output = output;
    this.handlers = handlers;
    this.buffer = Buffer.alloc(0);
    input.on('data', (chunk) => {
      this.buffer = this.buffer.length === 0 ? chunk : Buffer.concat([this.buffer, chunk]);
      for (let message = this.next(); message !== null; message = this.next()) this.handle(message);
    });
  }

  notify(method, params) {
    this.send({ method, params });
  }

  // The next whole message; null where the rest of it has not come.
  next() {
    const end = this.buffer.indexOf('\r\n\r\n');
    if (end < 0) return null;
    const length = /content-length: *(\d+)/i.exec(this.buffer.toString('latin1', 0, end));
    if (length === null) throw new Error('a message has no Content-Length');
    const begin = end + 4;
    const last = begin + Number(length[1]);
    if (this.buffer.length < last) return null;
    const text = this.buffer.toString('utf8', begin, last);
    this.buffer = this.buffer.subarray(last);
    return JSON.parse(text);
  }

  handle({ id, method, params }) {
    if (id === undefined) {
      try {
        this.handlers.notification(method, params);
      } catch (error) {
        console.error(error);
      }
      return;
    }
    // A response: this server asks nothing.
    if (method === undefined) return;
    try {
      this.send({ id, result: this.handlers.request(method, params) ?? null });
    } catch (error) {
      if (!(error instanceof RequestError)) console.error(error);
      const code = Number.isInteger(error.code) ? error.code : INTERNAL_ERROR;
      this.send({ id, error: { code, message: String(error.message) } });
    }
  }

  send(message) {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.output.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }
}

module.exports = { Connection, RequestError, METHOD_NOT_FOUND, REQUEST_FAILED };
