// The official client of the tasks extension against `stile mcp` over standard input and output. Reads a plan
// from standard input: {command, cwd, env, tool, arguments, sampling, allow, cancel}. Prints what it saw as JSON:
// the states of the task, what it was asked, and its outcome.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const PACKAGE = `${process.env.MCP_SDKS}/node_modules/@modelcontextprotocol/ext-tasks/dist`;
const { createApplicationInputHandler, withTasks } = await import(pathToFileURL(`${PACKAGE}/client/index.js`));
const plan = JSON.parse(readFileSync(0, 'utf8'));

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'tasks', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {
    extensions: { 'io.modelcontextprotocol/tasks': {} },
    ...(plan.sampling === undefined ? {} : { sampling: {} }),
    ...(plan.allow === undefined ? {} : { elicitation: { form: {} } }),
  },
};

const server = spawn(plan.command[0], plan.command.slice(1), {
  cwd: plan.cwd,
  env: plan.env,
  stdio: ['pipe', 'pipe', 'inherit'],
});
const waiting = new Map();
const listeners = new Set();
createInterface({ input: server.stdout }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.id === undefined) {
    for (const listener of listeners) listener(message);
    return;
  }
  const { error, result } = message;
  waiting.get(message.id)(error === undefined ? { kind: 'result', result } : { kind: 'error', error });
});

const methods = [];
let last = 0;
const port = {
  endpointId: 'stile',
  taskCapabilities: { generation: 'v2', capabilities: {} },
  invalidated: false,
  dispatch(request) {
    methods.push(request.method);
    const id = ++last;
    const params = { ...request.params, _meta: { ...request.params?._meta, ...META } };
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: request.method, params })}\n`);
    return new Promise((resolve) => waiting.set(id, resolve));
  },
  onServerRequest: () => () => {},
  onNotification(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  onInvalidated: () => () => {},
};

const asked = [];
const replies = [...(plan.sampling ?? [])];
const session = withTasks(port, {
  onInputRequest: createApplicationInputHandler({
    sampling({ params }, context) {
      asked.push({ kind: 'sampling', delivery: context.delivery, params });
      return { model: 'scripted', role: 'assistant', content: { type: 'text', text: replies.shift() ?? '' } };
    },
    elicitation({ params }, context) {
      asked.push({ kind: 'elicitation', delivery: context.delivery, params });
      return { action: plan.allow ? 'accept' : 'decline', content: plan.allow ? { allow: true } : undefined };
    },
    roots: () => ({ roots: [] }),
  }),
});

const execution = await session.callTool(plan.tool, plan.arguments);
const states = [];
if (plan.cancel) await execution.cancel();
const { outcome } = await execution.settle({
  onEvent(event) {
    if (event.type === 'task' && states.at(-1) !== event.task.status) states.push(event.task.status);
  },
});
await session.close?.();
console.log(JSON.stringify({ kind: execution.kind, states, asked, methods, status: outcome.status, result: outcome.result, error: outcome.error && String(outcome.error.cause ?? outcome.error) }));
server.stdin.end();
server.on('exit', (code) => process.exit(code ?? 1));
