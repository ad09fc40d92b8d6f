// The Session of TypeScript's own server, in this process. Its requests are those of
// https://github.com/microsoft/TypeScript/wiki/Standalone-Server-(tsserver)
//
// Nothing happens between requests: the client says which files changed, and delayed work is done
// before the next request.
'use strict';

const fs = require('node:fs');
const path = require('node:path');

const { RequestError } = require('./connection.cjs');

const MAX_DELAYED_CALLS = 10_000; // of one request

function loadTypeScript(folder) {
  // The package had two libraries until version 5.3.
  for (const name of ['tsserverlibrary.js', 'typescript.js']) {
    const file = path.join(folder, name);
    if (!fs.existsSync(file)) continue;
    const ts = require(file);
    if (ts.server?.Session !== undefined) return ts;
  }
  throw new Error(`there is no server of TypeScript in ${folder}`);
}

const SILENT_LOGGER = {
  close() {},
  hasLevel: () => false,
  loggingEnabled: () => false,
  perftrc() {},
  info() {},
  startGroup() {},
  endGroup() {},
  msg() {},
  getLogFileName: () => undefined,
};

// One failure must not keep others from their turn.
function attempt(call) {
  try {
    call();
  } catch (error) {
    console.error(error);
  }
}

// Watchers of files and folders that hear what the client says of them.
class Watchers {
  constructor(ts) {
    this.kinds = ts.FileWatcherEventKind;
    this.files = new Map(); // path: { callback }
    this.folders = new Map(); // path: { callback, recursive }
  }

  add(map, key, watcher) {
    if (!map.has(key)) map.set(key, new Set());
    map.get(key).add(watcher);
    return {
      close() {
        map.get(key)?.delete(watcher);
        if (map.get(key)?.size === 0) map.delete(key);
      },
    };
  }

  addFile(file, callback) {
    return this.add(this.files, file, { callback });
  }

  addFolder(folder, callback, recursive) {
    return this.add(this.folders, folder.replace(/(.)\/$/, '$1'), { callback, recursive });
  }

  // `type` as in the protocol: 1 created, 2 changed, 3 deleted.
  tell(file, type) {
    const kind = [this.kinds.Created, this.kinds.Changed, this.kinds.Deleted][type - 1];
    for (const { callback } of [...(this.files.get(file) ?? [])]) attempt(() => callback(file, kind));
    if (type === 2) return;
    let folder = path.dirname(file);
    for (let isDirect = true; ; isDirect = false, folder = path.dirname(folder)) {
      for (const { callback, recursive } of [...(this.folders.get(folder) ?? [])]) {
        if (isDirect || recursive) attempt(() => callback(file));
      }
      if (folder === path.dirname(folder)) return;
    }
  }
}

// Calls that TypeScript wants to happen later.
class DelayedWork {
  constructor() {
    this.calls = new Map();
    this.ids = 0;
  }

  add(callback, args) {
    this.calls.set(++this.ids, () => callback(...args));
    return this.ids;
  }

  run() {
    for (let count = 0; this.calls.size > 0 && count < MAX_DELAYED_CALLS; ++count) {
      const [id, call] = this.calls.entries().next().value;
      this.calls.delete(id);
      attempt(call);
    }
  }
}

// The text as it is on disk, also with a byte order mark: positions count it.
function readFile(ts, file, encoding) {
  let bytes;
  try {
    bytes = fs.readFileSync(file);
  } catch {
    return undefined;
  }
  const isUtf16 = bytes.length >= 2 && ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff));
  return isUtf16 ? ts.sys.readFile(file, encoding) : bytes.toString('utf8');
}

function makeHost(ts, watchers, delayed) {
  const later = (callback, _milliseconds, ...args) => delayed.add(callback, args);
  const cancel = (id) => delayed.calls.delete(id);
  return {
    ...ts.sys,
    args: [],
    write() {},
    writeFile() {},
    readFile: (file, encoding) => readFile(ts, file, encoding),
    watchFile: (file, callback) => watchers.addFile(file, callback),
    watchDirectory: (folder, callback, recursive) => watchers.addFolder(folder, callback, recursive === true),
    setTimeout: later,
    clearTimeout: cancel,
    setImmediate: (callback, ...args) => delayed.add(callback, args),
    clearImmediate: cancel,
    // Plugins of a project's tsconfig.json are programs that no answer needs.
    require: () => ({ module: undefined, error: new Error('plugins are not loaded') }),
  };
}

class TypeScriptSession {
  constructor(ts, { rootPath }) {
    this.ts = ts;
    this.root = rootPath;
    this.watchers = new Watchers(ts);
    this.delayed = new DelayedWork();
    this.sequence = 0;
    this.opened = []; // files that TypeScript does not have yet
    this.session = new ts.server.Session({
      host: makeHost(ts, this.watchers, this.delayed),
      cancellationToken: ts.server.nullCancellationToken,
      logger: SILENT_LOGGER,
      byteLength: Buffer.byteLength,
      hrtime: process.hrtime,
      useSingleInferredProject: false,
      useInferredProjectPerProjectRoot: true,
      typingsInstaller: ts.server.nullTypingsInstaller,
      suppressDiagnosticEvents: true,
      noGetErrOnBackgroundUpdate: true,
      canUseEvents: false,
      allowLocalPluginLoads: false,
    });
    this.request('configure', {
      hostInfo: 'stile',
      preferences: {
        providePrefixAndSuffixTextForRename: true,
        allowRenameOfImportPath: false,
        includeCompletionsForModuleExports: false,
        includeCompletionsWithInsertText: false,
      },
    });
    // Files that belong to no tsconfig.json or jsconfig.json.
    this.request('compilerOptionsForInferredProjects', {
      options: {
        allowJs: true,
        module: 'esnext',
        moduleResolution: ts.ModuleResolutionKind.Bundler === undefined ? 'node' : 'bundler',
        target: 'esnext',
        jsx: 'preserve',
        allowSyntheticDefaultImports: true,
        allowNonTsExtensions: true,
      },
    });
  }

  // The body of the answer. Throws RequestError.
  request(command, args) {
    this.handOverOpened();
    this.delayed.run();
    return this.execute(command, args);
  }

  execute(command, args) {
    let answer;
    try {
      answer = this.session.executeCommand({ seq: ++this.sequence, type: 'request', command, arguments: args });
    } catch (error) {
      throw new RequestError(`${command}: ${String(error.message).split('\n', 1)[0]}`);
    }
    return answer.response;
  }

  // TypeScript brings its projects up to date at each opening, so files are opened together, before
  // the next request.
  open(file, fileContent, scriptKindName) {
    this.opened.push({ file, fileContent, scriptKindName, projectRootPath: this.root });
  }

  handOverOpened() {
    if (this.opened.length === 0) return;
    const openFiles = this.opened;
    this.opened = [];
    this.delayed.run();
    this.execute('updateOpen', { openFiles });
  }

  close(file) {
    this.request('close', { file });
  }

  // What TypeScript holds of a file; undefined where it has none.
  info(file) {
    this.handOverOpened();
    return this.session.projectService.getScriptInfo(file);
  }

  // Why answers about a file may lack places; '' if they are whole.
  partialReason(file) {
    const project = this.info(file)?.containingProjects.find((each) => each.languageServiceEnabled === false);
    return project === undefined ? '' : 'TypeScript does not search projects of this size';
  }
}

module.exports = { loadTypeScript, TypeScriptSession };
