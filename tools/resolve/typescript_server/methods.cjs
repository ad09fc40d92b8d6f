// What the server answers, by the methods of the Language Server Protocol.
'use strict';

const { RequestError, METHOD_NOT_FOUND, REQUEST_FAILED } = require('./connection.cjs');
const { Places } = require('./places.cjs');

const SCRIPT_KINDS = { typescript: 'TS', typescriptreact: 'TSX', javascript: 'JS', javascriptreact: 'JSX' };
const SEVERITIES = { error: 1, warning: 2, message: 3, suggestion: 4 };
const UNNECESSARY = 1;
const ORGANIZE_IMPORTS = 'source.organizeImports';
// Fixes that are preferred if TypeScript offers only one of that name.
const PREFERRED_FIXES = new Set(['spelling', 'import', 'unusedIdentifier', 'fixAwaitInSyncFunction',
  'fixClassIncorrectlyImplementsInterface', 'fixClassDoesntImplementInheritedAbstractMember',
  'forgottenThisPropertyAccess', 'addMissingAwait', 'fixOverrideModifier', 'extendsInterfaceBecomesImplements']);

class Methods {
  constructor(ts, session, connection) {
    this.ts = ts;
    this.session = session;
    this.connection = connection;
    this.places = new Places(session);
    this.methods = new Map(Object.entries({
      'textDocument/references': (params) => this.references(params),
      'textDocument/definition': (params) => this.locations('definition', params),
      'textDocument/implementation': (params) => this.locations('implementation', params),
      'textDocument/hover': (params) => this.hover(params),
      'textDocument/rename': (params) => this.rename(params),
      'textDocument/diagnostic': (params) => this.diagnostics(params),
      'textDocument/codeAction': (params) => this.codeActions(params),
      'textDocument/completion': (params) => this.completions(params),
    }));
  }

  initializeResult() {
    return {
      serverInfo: { name: 'tsserver', version: this.ts.version },
      capabilities: {
        positionEncoding: 'utf-16',
        textDocumentSync: 1, // whole texts
        referencesProvider: true,
        definitionProvider: true,
        implementationProvider: true,
        hoverProvider: true,
        renameProvider: true,
        diagnosticProvider: { interFileDependencies: true, workspaceDiagnostics: false },
        codeActionProvider: { codeActionKinds: ['quickfix', ORGANIZE_IMPORTS] },
        completionProvider: {},
      },
    };
  }

  handleRequest(method, params) {
    const found = this.methods.get(method);
    if (found === undefined) throw new RequestError(`unknown method ${method}`, METHOD_NOT_FOUND);
    return found(params);
  }

  handleNotification(method, params) {
    if (method === 'textDocument/didOpen') {
      const { uri, languageId, text } = params.textDocument;
      this.session.open(this.places.pathOf(uri), text, SCRIPT_KINDS[languageId]);
    } else if (method === 'textDocument/didChange') {
      const file = this.places.pathOf(params.textDocument.uri);
      this.session.open(file, params.contentChanges.at(-1).text);
    } else if (method === 'textDocument/didClose') {
      this.session.close(this.places.pathOf(params.textDocument.uri));
    } else if (method === 'workspace/didChangeWatchedFiles') {
      for (const { uri, type } of params.changes) {
        const file = this.places.pathOf(uri);
        if (file !== null) this.session.watchers.tell(file, type);
      }
    }
  }

  // ---- places ----------------------------------------------------------------------------------

  ask(command, { textDocument, position }, more) {
    const file = this.places.pathOf(textDocument.uri);
    const place = this.places.locationOf(file, position);
    const reason = this.session.partialReason(file);
    if (reason !== '') this.notePartial(reason);
    try {
      return this.session.request(command, { file, ...place, ...more });
    } catch (error) {
      throw reason === '' ? error : new RequestError(reason);
    }
  }

  notePartial(reason) {
    this.connection.notify('stile/partial', { reason });
  }

  // Leaves out entries that name no place, such as those of a declaration map that does not fit.
  placesOf(entries) {
    const found = [];
    for (const entry of entries ?? []) {
      try {
        found.push(this.locationOf(entry));
      } catch {
        this.notePartial(`TypeScript named a place in ${entry.file} that is none`);
      }
    }
    return found;
  }

  locationOf(entry) {
    return { uri: this.places.uriOf(entry.file), range: this.places.rangeOf(entry.file, entry) };
  }

  locations(command, params) {
    return this.placesOf(this.ask(command, params));
  }

  references(params) {
    return this.placesOf(this.ask('references', params)?.refs);
  }

  hover(params) {
    const info = this.ask('quickinfo', params, {});
    if (!info?.displayString) return null;
    const plain = (text) => (typeof text === 'string' ? text : (text ?? []).map((part) => part.text).join(''));
    const tags = (info.tags ?? []).map(({ name, text }) => `*@${name}* ${plain(text)}`.trim());
    const value = [`\`\`\`typescript\n${info.displayString}\n\`\`\``, plain(info.documentation), ...tags];
    return { contents: { kind: 'markdown', value: value.filter((part) => part !== '').join('\n') } };
  }

  rename(params) {
    const { info, locs } = this.ask('rename', params, { findInComments: false, findInStrings: false });
    if (!info.canRename) {
      throw new RequestError(info.localizedErrorMessage ?? 'it cannot be renamed', REQUEST_FAILED);
    }
    const changes = {};
    for (const { file, locs: spans } of locs) {
      changes[this.places.uriOf(file)] = spans.map((span) => ({
        range: this.places.rangeOf(file, span),
        newText: (span.prefixText ?? '') + params.newName + (span.suffixText ?? ''),
      }));
    }
    return { changes };
  }

  completions(params) {
    const list = this.ask('completionInfo', params, { triggerKind: 1 });
    // In JavaScript files, TypeScript lists unknown words with the kind `warning`.
    const known = (list?.entries ?? []).filter(({ kind }) => kind !== this.ts.ScriptElementKind.warning);
    return { isIncomplete: false, items: known.map(({ name }) => ({ label: name })) };
  }

  // ---- problems and their fixes ----------------------------------------------------------------

  diagnostics({ textDocument }) {
    const file = this.places.pathOf(textDocument.uri);
    const items = [];
    for (const command of ['syntacticDiagnosticsSync', 'semanticDiagnosticsSync', 'suggestionDiagnosticsSync']) {
      for (const found of this.session.request(command, { file }) ?? []) {
        items.push({
          range: this.places.rangeOf(file, found),
          severity: SEVERITIES[found.category],
          code: found.code,
          source: 'ts',
          message: found.text,
          tags: found.reportsUnnecessary ? [UNNECESSARY] : [],
        });
      }
    }
    return { kind: 'full', items };
  }

  codeActions({ textDocument, context }) {
    const file = this.places.pathOf(textDocument.uri);
    if (context.only?.includes(ORGANIZE_IMPORTS)) return this.organizedImports(file);
    const actions = [];
    for (const { code, range } of context.diagnostics) {
      if (code === undefined) continue;
      const start = this.places.locationOf(file, range.start);
      const end = this.places.locationOf(file, range.end);
      const fixes = this.session.request('getCodeFixes', {
        file,
        startLine: start.line,
        startOffset: start.offset,
        endLine: end.line,
        endOffset: end.offset,
        errorCodes: [Number(code)],
      }) ?? [];
      const count = (name) => fixes.filter(({ fixName }) => fixName === name).length;
      for (const { description, fixName, changes } of fixes) {
        const edit = this.editOf(changes);
        if (edit === null) continue;
        const isPreferred = PREFERRED_FIXES.has(fixName) && count(fixName) === 1;
        actions.push({ title: description, kind: 'quickfix', isPreferred, edit });
      }
    }
    return actions;
  }

  organizedImports(file) {
    const changes = this.session.request('organizeImports', { scope: { type: 'file', args: { file } } });
    const edit = this.editOf(changes ?? []);
    if (edit === null || Object.keys(edit.changes).length === 0) return [];
    return [{ title: 'Organize imports', kind: ORGANIZE_IMPORTS, edit }];
  }

  // null: it would create files.
  editOf(fileChanges) {
    const changes = {};
    for (const { fileName, textChanges } of fileChanges) {
      if (this.session.info(fileName) === undefined) return null;
      changes[this.places.uriOf(fileName)] = textChanges.map((change) => ({
        range: this.places.rangeOf(fileName, change),
        newText: change.newText,
      }));
    }
    return { changes };
  }
}

module.exports = { Methods };
