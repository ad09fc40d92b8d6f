// Validates, lints and transpiles a toy language, by the official SDK: on stdio, or over HTTP on the port that is its
// argument. As AirEngine's server, it answers the second identical call of a session with differences only, reports
// failures as results of calls that succeeded, and gives previews of large outputs.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(join(process.env.MCP_SDKS, 'x.js'));
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { McpServer } = await load('@modelcontextprotocol/sdk/server/mcp.js');
const { StdioServerTransport } = await load('@modelcontextprotocol/sdk/server/stdio.js');
const { StreamableHTTPServerTransport } = await load('@modelcontextprotocol/sdk/server/streamableHttp.js');
const { z } = await load('zod');

const json = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value, null, 2) }] });

// The form of a diagnostic depends on its word.
function diagnose(source) {
  return source.split('\n').flatMap((line, index) => {
    const word = line.split(/\s/)[0];
    if (['', 'title', 'text', 'note'].includes(word)) return [];
    const found = { code: 'E001', severity: 'error', message: `unknown word ${word}` };
    return [word.startsWith('t') ? { ...found, location: { line: index + 1, column: 1 } } : { ...found, line: index + 1, col: 1 }];
  });
}

function newServer() {
  const server = new McpServer({ name: 'app', version: '1.0.0' });
  const transpiled = new Set();
  const input = { source: z.string() };
  server.registerTool('app_validate', { description: 'Validates a source.', inputSchema: input }, async ({ source }) => {
    const at = source.split('\n').findIndex((line) => line.startsWith('@'));
    if (at >= 0) return json({ valid: false, error: 'blocks are not known', location: { line: at + 1, col: 2 } });
    const diagnostics = diagnose(source);
    return json({ valid: diagnostics.length === 0, diagnostics });
  });
  server.registerTool('app_lint', { description: 'Gives hints.', inputSchema: input }, async ({ source }) => {
    const hints = source.includes('title') ? [] : [{ level: 'error', message: 'there is no title' }];
    return { content: [{ type: 'text', text: '' }], structuredContent: { hints } };
  });
  server.registerTool('app_transpile', { description: 'Makes a server of a source.', inputSchema: input }, async ({ source }) => {
    const title = /^title (.*)$/m.exec(source)[1];
    if (title === 'UNPARSABLE') return json({ success: false, error: 'this title cannot be transpiled', location: { line: 1, col: 7 } });
    if (title === 'THROW') throw new Error('internal error');
    if (title === 'HANG') await new Promise(() => {});
    if (title === 'EXIT') process.exit(1);
    const name = title === 'LONG' ? `src/${'n'.repeat(300)}.js` : title === 'CLASH' ? 'package.json/a/b.js' : title === 'ESCAPE' ? '../../escaped.js' : 'src/server.js';
    const salt = title === 'RANDOM' ? `// ${randomUUID()}\n` : '';
    const all = [
      { path: 'package.json', content: JSON.stringify({ name: 'app', version: '1.0.0', scripts: { build: 'node --check src/server.js' } }) },
      { path: name, content: `require('http').createServer((q, r) => r.end(${JSON.stringify(title)})).listen(process.env.PORT);\n${salt}` },
    ];
    const stats = { fileCount: all.length, components: ['server'] };
    if (transpiled.has(source)) return json({ success: true, incremental: true, changedFiles: [], stats });
    transpiled.add(source);
    const files = title === 'HUGE' ? all.map(({ path }) => ({ path, lines: 6000, preview: '// ...' })) : all;
    return json({ success: true, incremental: false, stats, files });
  });
  server.registerTool('count', { description: 'Adds numbers.', inputSchema: { numbers: z.array(z.number()), note: z.string().optional() } },
    async ({ numbers, note }) => ({ content: [{ type: 'text', text: `${numbers.reduce((sum, one) => sum + one, 0)} ${note ?? ''}` }] }));
  server.registerResource('spec', 'app://spec', { description: 'The language' },
    async (uri) => ({ contents: [{ uri: uri.href, text: 'A line begins with title, text or note. THE-SPEC' }] }));
  return server;
}

if (process.argv[2] === undefined) {
  await newServer().connect(new StdioServerTransport());
} else {
  const sessions = new Map();
  createServer(async (request, response) => {
    let transport = sessions.get(request.headers['mcp-session-id']);
    if (transport === undefined) {
      transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => { sessions.set(id, transport); } });
      await newServer().connect(transport);
    }
    await transport.handleRequest(request, response);
  }).listen(Number(process.argv[2]), '127.0.0.1');
}
