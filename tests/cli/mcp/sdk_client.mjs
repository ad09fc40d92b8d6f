// Drives an MCP server with an official client of npm. Reads {sdk, revision, command, url, headers, cwd, env, steps}
// from stdin, writes a line of JSON for each step.
//
// sdk: "sdk" (@modelcontextprotocol/sdk, handshake) or "client" (@modelcontextprotocol/client, which can also pin a
// stateless revision). A step is {op, …}; see OPS. Further members: sampling (the replies of the client's model, in
// order; one that is {"error"} is refused), elicitation (what the client's user fills into forms).

import {createRequire} from 'node:module';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const require = createRequire(path.join(process.env.MCP_SDKS, 'package.json'));
const load = async (name) => import(pathToFileURL(require.resolve(name)).href);

let text = '';
for await (const piece of process.stdin) text += piece;
const plan = JSON.parse(text);

async function answerSampling(request) {
  const reply = plan.sampling.shift() ?? {error: 'no reply is left'};
  if (reply.error) throw Object.assign(new Error(reply.error), {code: -1});
  sampled.push(request.params);
  return {role: 'assistant', model: 'test-model', stopReason: 'endTurn', content: {type: 'text', text: reply}};
}

const sampled = [];

async function connect() {
  const isNew = plan.sdk === 'client';
  const {Client} = await load(isNew ? '@modelcontextprotocol/client' : '@modelcontextprotocol/sdk/client/index.js');
  const options = {capabilities: {}};
  if (plan.sampling) options.capabilities.sampling = {};
  if (plan.elicitation) options.capabilities.elicitation = {};
  if (plan.revision) options.versionNegotiation = {mode: {pin: plan.revision}};
  const client = new Client({name: 'test-client', version: '1.0.0'}, options);
  const types = isNew ? {} : await load('@modelcontextprotocol/sdk/types.js');
  if (plan.sampling) {
    client.setRequestHandler(isNew ? 'sampling/createMessage' : types.CreateMessageRequestSchema, answerSampling);
  }
  if (plan.elicitation) {
    client.setRequestHandler(isNew ? 'elicitation/create' : types.ElicitRequestSchema,
      async () => ({action: 'accept', content: plan.elicitation}));
  }
  let transport;
  if (plan.url) {
    const http = await load(isNew ? '@modelcontextprotocol/client' : '@modelcontextprotocol/sdk/client/streamableHttp.js');
    transport = new http.StreamableHTTPClientTransport(new URL(plan.url), {requestInit: {headers: plan.headers || {}}});
  } else {
    const stdio = await load(isNew ? '@modelcontextprotocol/client/stdio' : '@modelcontextprotocol/sdk/client/stdio.js');
    const [command, ...args] = plan.command;
    transport = new stdio.StdioClientTransport({command, args, cwd: plan.cwd, env: plan.env, stderr: 'inherit'});
  }
  await client.connect(transport);
  return {client, isNew};
}

async function all(list, member) {
  const items = [];
  let cursor;
  do {
    const page = await list(cursor === undefined ? {} : {cursor});
    items.push(...page[member]);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return items;
}

function callTool({client, isNew}, step) {
  const progress = [];
  const options = {timeout: 120000};
  if (step.progress) options.onprogress = (update) => progress.push(update);
  if (step.cancelAfterMs) options.signal = AbortSignal.timeout(step.cancelAfterMs);
  const params = {name: step.name, arguments: step.arguments || {}};
  const call = isNew ? client.callTool(params, options) : client.callTool(params, undefined, options);
  return call.then((result) => ({...result, progress}));
}

// A call as a task (revision 2025-11-25): the kinds of messages of its stream, the states that they show, the result.
async function callAsTask({client}, step) {
  const {CallToolResultSchema} = await load('@modelcontextprotocol/sdk/types.js');
  const kinds = [];
  let task;
  let result = null;
  const stream = client.experimental.tasks.callToolStream(
    {name: step.name, arguments: step.arguments || {}}, CallToolResultSchema, {task: {ttl: step.ttl ?? 60000}, timeout: 120000});
  for await (const message of stream) {
    if (kinds.at(-1) !== message.type) kinds.push(message.type);
    if (message.task) task = message.task;
    if (message.type === 'result') result = message.result;
    if (message.type === 'error') throw message.error;
    if (message.type === 'taskCreated' && step.cancel) return client.experimental.tasks.cancelTask(task.taskId);
  }
  return {kinds, task, result, again: await client.experimental.tasks.getTaskResult(task.taskId, CallToolResultSchema)};
}

const updated = [];

// Subscribes to a resource, as the revision of the peer has it.
async function listen({client, isNew}, {uri}) {
  const schema = isNew ? 'notifications/resources/updated' :
    (await load('@modelcontextprotocol/sdk/types.js')).ResourceUpdatedNotificationSchema;
  client.setNotificationHandler(schema, ({params}) => { updated.push(params.uri); });
  await (plan.revision ? client.listen({resourceSubscriptions: [uri]}) : client.subscribeResource({uri}));
  return true;
}

// Whether the peer says within half a minute that the resource has changed.
async function told(peer, {uri}) {
  for (let i = 0; i < 300 && !updated.includes(uri); i++) await new Promise((resolve) => setTimeout(resolve, 100));
  return updated.includes(uri);
}

const OPS = {
  info: ({client}) => ({server: client.getServerVersion(), capabilities: client.getServerCapabilities(),
    instructions: client.getInstructions()}),
  tools: ({client}) => all((params) => client.listTools(params), 'tools'),
  call: callTool,
  task: callAsTask,
  tasks: ({client}) => client.experimental.tasks.listTasks().then(({tasks}) => tasks),
  calls: (peer, {calls}) => Promise.all(calls.map((step) => callTool(peer, step))),
  resources: ({client}) => all((params) => client.listResources(params), 'resources'),
  templates: ({client}) => all((params) => client.listResourceTemplates(params), 'resourceTemplates'),
  read: ({client}, {uri}) => client.readResource({uri}),
  prompts: ({client}) => all((params) => client.listPrompts(params), 'prompts'),
  sampled: () => sampled,
  prompt: ({client}, {name}) => client.getPrompt({name}),
  complete: ({client}, {params}) => client.complete(params),
  listen,
  told,
};

const peer = await connect();
for (const step of plan.steps) {
  let line;
  try {
    line = {result: await OPS[step.op](peer, step)};
  } catch (error) {
    line = {error: {name: error.name, code: error.code, message: error.message}};
  }
  process.stdout.write(JSON.stringify(line) + '\n');
}
await peer.client.close();
