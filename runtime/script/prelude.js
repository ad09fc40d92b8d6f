// What scripts find beside the language itself. In the language of the scripts, so that it can be
// interrupted like them. Called with the globals of the script; returns what reads its effects.
(function (global, given, writable) {
  'use strict';
  const define = (name, value) =>
    Object.defineProperty(global, name, {value, writable: true, configurable: true});
  const isObject = (value) => typeof value === 'object' && value !== null;
  const items = (list) =>
    list === undefined || list === null ? [] :
    Array.isArray(list) ? list :
    isObject(list) ? Object.keys(list).map((key) => list[key]) : [list];
  const matching = (list, test) =>
    items(list).filter((item, index) => typeof test === 'function' ? !!test(item, index) : !!item);
  define('count', (list, test) => matching(list, test).length);
  define('any', (list, test) => matching(list, test).length > 0);
  define('one', (list, test) => matching(list, test).length === 1);
  define('none', (list, test) => matching(list, test).length === 0);
  define('all', (list, test) => matching(list, test).length === items(list).length);

  // The helpers of Visor's expressions, with its meaning of case.
  const lower = (value) => String(value === undefined || value === null ? '' : value).toLowerCase();
  define('contains', (text, part) =>
    Array.isArray(text) ? text.includes(part) : lower(text).includes(lower(part)));
  define('startsWith', (text, part) => lower(text).startsWith(lower(part)));
  define('endsWith', (text, part) => lower(text).endsWith(lower(part)));
  define('length', (value) =>
    typeof value === 'string' || Array.isArray(value) ? value.length :
    isObject(value) ? Object.keys(value).length : 0);
  define('always', () => true);
  define('success', () => true);
  define('failure', () => false);
  const issuesWith = (issues, field, value) =>
    items(issues).filter((issue) => isObject(issue) && issue[field] === value);
  const issuesIn = (issues, part) =>
    items(issues).filter((issue) => isObject(issue) && String(issue.file || '').includes(part));
  for (const name of ['hasIssue', 'hasIssueWith'])
    define(name, (issues, field, value) => issuesWith(issues, field, value).length > 0);
  define('countIssues', (issues, field, value) => issuesWith(issues, field, value).length);
  for (const name of ['hasFileMatching', 'hasFileWith'])
    define(name, (issues, part) => issuesIn(issues, part).length > 0);
  define('escapeXml', (text) => String(text === undefined || text === null ? '' : text)
    .replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;').replace(/'/g, '&apos;'));

  const lines = [];
  const text = (value) => {
    if (typeof value === 'string') return value;
    const json = JSON.stringify(value);
    return json === undefined ? String(value) : json;
  };
  const log = (...values) => {
    if (lines.length < 100) lines.push(values.map(text).join(' ').slice(0, 2000));
  };
  define('log', log);
  define('console', {log, warn: log, error: log, info: log, debug: log});

  // Finalizers, threads and binary data are no business of scripts. The same text with the same
  // variables has the same value, also when a run is resumed: there is no chance in it.
  for (const name of ['WeakRef', 'FinalizationRegistry', 'Atomics', 'SharedArrayBuffer',
                      'WebAssembly', 'Promise', 'Intl'])
    delete global[name];
  delete Math.random;

  // The values that steps share, by namespace.
  const writes = [];
  if (given !== undefined) {
    const spaces = given.spaces;
    const nameOf = (space) => space === undefined || space === null ? given.namespace : String(space);
    const has = (space, key) => Object.prototype.hasOwnProperty.call(spaces, space) &&
                                Object.prototype.hasOwnProperty.call(spaces[space], key);
    const read = (space, key) => has(space, key) ? spaces[space][key] : undefined;
    const write = (space, key, value) => {
      if (!writable) throw new Error('only scripts may change memory');
      if (!has(space, key) && !Object.prototype.hasOwnProperty.call(spaces, space))
        spaces[space] = {};
      if (value === undefined) delete spaces[space][key];
      else spaces[space][key] = value;
      writes.push(value === undefined ? [space, key] : [space, key, value]);
    };
    const methods = {
      get: (key, space) => read(nameOf(space), String(key)),
      has: (key, space) => has(nameOf(space), String(key)),
      list: (space) => Object.keys(spaces[nameOf(space)] || {}),
      getAll: (space) => Object.assign({}, spaces[nameOf(space)]),
      set: (key, value, space) => {
        write(nameOf(space), String(key), value);
        return value;
      },
      append: (key, value, space) => {
        const old = read(nameOf(space), String(key));
        const list = old === undefined ? [value] : Array.isArray(old) ? [...old, value] : [old, value];
        write(nameOf(space), String(key), list);
        return list;
      },
      increment: (key, amount, space) => {
        const old = read(nameOf(space), String(key));
        const sum = (typeof old === 'number' ? old : 0) + (amount === undefined ? 1 : Number(amount));
        write(nameOf(space), String(key), sum);
        return sum;
      },
      delete: (key, space) => {
        const known = has(nameOf(space), String(key));
        if (known) write(nameOf(space), String(key), undefined);
        return known;
      },
      clear: (space) => {
        for (const name of space === undefined ? Object.keys(spaces) : [nameOf(space)])
          for (const key of Object.keys(spaces[name] || {})) write(name, key, undefined);
      },
    };
    const memory = Object.assign({}, spaces[given.namespace]);
    for (const name of Object.keys(methods)) {
      if (!Object.prototype.hasOwnProperty.call(memory, name))
        Object.defineProperty(memory, name, {value: methods[name]});
    }
    define('memory', memory);
  }
  const stringify = JSON.stringify;
  return () => writes.length + lines.length === 0 ? '' : stringify({memory: writes, log: lines});
})
