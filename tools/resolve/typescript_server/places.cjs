// Places of the Language Server Protocol (lines and UTF-16 units from 0, lines end with \n, \r\n or \r)
// and those of TypeScript (both from 1, lines also end with U+2028 and U+2029).
'use strict';

const { fileURLToPath, pathToFileURL } = require('node:url');

const { RequestError } = require('./connection.cjs');

class Lines {
  constructor(text) {
    this.starts = [0];
    for (const end of text.matchAll(/\r\n|\n|\r/g)) this.starts.push(end.index + end[0].length);
    this.length = text.length;
  }

  offsetOf({ line, character }) {
    if (line >= this.starts.length) return this.length;
    const next = line + 1 < this.starts.length ? this.starts[line + 1] : this.length;
    return Math.min(this.starts[line] + character, next);
  }

  positionOf(offset) {
    let low = 0;
    for (let high = this.starts.length; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if (this.starts[middle] <= offset) low = middle;
      else high = middle;
    }
    return { line: low, character: offset - this.starts[low] };
  }
}

class Places {
  // `session` as in session.cjs.
  constructor(session) {
    this.session = session;
    this.lines = new Map(); // path: { version, lines }
  }

  // null: a name that is not UTF-8, which TypeScript cannot have.
  pathOf(uri) {
    try {
      return fileURLToPath(uri);
    } catch {
      return null;
    }
  }

  uriOf(file) {
    return pathToFileURL(file).href;
  }

  infoAndLines(file) {
    const info = this.session.info(file);
    if (info === undefined) throw new RequestError(`TypeScript does not know ${file}`);
    const version = info.getLatestVersion();
    let known = this.lines.get(file);
    if (known?.version !== version) {
      const snapshot = info.getSnapshot();
      known = { version, lines: new Lines(snapshot.getText(0, snapshot.getLength())) };
      this.lines.set(file, known);
    }
    return { info, lines: known.lines };
  }

  // { line, offset } of TypeScript.
  locationOf(file, position) {
    const { info, lines } = this.infoAndLines(file);
    return info.positionToLineOffset(lines.offsetOf(position));
  }

  positionOf(file, location) {
    const { info, lines } = this.infoAndLines(file);
    return lines.positionOf(info.lineOffsetToPosition(location.line, location.offset));
  }

  // A range of the protocol for anything that has `start` and `end`.
  rangeOf(file, span) {
    return { start: this.positionOf(file, span.start), end: this.positionOf(file, span.end) };
  }
}

module.exports = { Places };
