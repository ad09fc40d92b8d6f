// A server of revision 2026-07-28 alone, by the official SDK: on stdio, or over HTTP on the port that is its argument.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(join(process.env.MCP_SDKS, 'x.js'));
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { McpServer, createMcpHandler, fromJsonSchema, inputRequired, acceptedContent } = await load('@modelcontextprotocol/server');
const { serveStdio } = await load('@modelcontextprotocol/server/stdio');

function newServer() {
  const server = new McpServer({ name: 'stateless', version: '1.0.0' }, { capabilities: { tools: {} } });
  const numbers = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] };
  server.registerTool('add', { description: 'Adds two numbers.', inputSchema: fromJsonSchema(numbers) },
    async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }));
  server.registerTool('greet', { description: 'Greets a person whom it asks for.', inputSchema: fromJsonSchema({ type: 'object' }) },
    async (_, context) => {
      const answers = context.mcpReq.inputResponses;
      const given = acceptedContent(answers, 'who');
      if (given) return { content: [{ type: 'text', text: `Hello, ${given.name}.` }] };
      if (answers) return { content: [{ type: 'text', text: `No name: ${answers.who.action}.` }] };
      const who = { message: 'Whom?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };
      return inputRequired({ inputRequests: { who: inputRequired.elicit(who) } });
    });
  return server;
}

if (process.argv[2] === undefined) {
  serveStdio(newServer, { legacy: 'reject' });
} else {
  const handler = createMcpHandler(newServer, { legacy: 'reject' });
  createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const answer = await handler.fetch(new Request(`http://127.0.0.1${request.url}`, {
      method: request.method, headers: request.headers, body: chunks.length ? Buffer.concat(chunks) : undefined }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  }).listen(Number(process.argv[2]), '127.0.0.1');
}
