// An agent's loop with an official client: asks, runs the tools, sends the results, until "finish" is called.
// Reads {sdk, url, key, model, more} from stdin; writes {calls, answer, texts, error} to stdout.
//
// It keeps what the providers' documentation says to keep, and nothing else: it shows that a client that
// follows the documentation is accepted by the servers in this folder.

import {createRequire} from 'node:module';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const require = createRequire(path.join(process.env.MODEL_SDKS, 'package.json'));
const load = async (name) => import(pathToFileURL(require.resolve(name)).href);

const SYSTEM = 'You are a coding agent.';
const TASK = 'Read a.txt and write b.txt.';
const TOOLS = [
  {
    name: 'file_read',
    description: 'Reads a file.',
    schema: {
      type: 'object',
      properties: {path: {type: 'string', description: 'relative'}, first_line: {type: 'integer', minimum: 1}},
      required: ['path'],
    },
  },
  {
    name: 'file_write',
    description: 'Writes a file.',
    schema: {
      type: 'object',
      properties: {path: {type: 'string'}, content: {type: 'string'}},
      required: ['path', 'content'],
    },
  },
  {
    name: 'finish',
    description: 'Ends the task.',
    schema: {type: 'object', properties: {answer: {type: 'string'}}, required: ['answer']},
  },
];

const done = {calls: [], answer: null, texts: []};

// The text of a call's result; null when the loop ends.
function run(name, input) {
  done.calls.push({name, input});
  if (name === 'finish') {
    done.answer = input.answer;
    return null;
  }
  return name === 'file_read' ? 'the content of a.txt\n' : 'written';
}

const chatTools = () =>
  TOOLS.map(({name, description, schema}) => ({
    type: 'function', function: {name, description, parameters: schema}}));

// https://openrouter.ai/docs, "Reasoning Tokens": pieces of one type and index are one block.
function joinDetails(all, pieces) {
  for (const piece of pieces ?? []) {
    const last = all[all.length - 1];
    if (last && last.type === piece.type && last.index === piece.index) {
      for (const [key, value] of Object.entries(piece)) {
        last[key] = ['text', 'summary', 'data'].includes(key) ? (last[key] ?? '') + value : value;
      }
    } else {
      all.push({...piece});
    }
  }
}

async function chat(client, {model, more}) {
  const messages = [{role: 'system', content: SYSTEM}, {role: 'user', content: TASK}];
  for (;;) {
    const stream = await client.chat.completions.create({
      model, messages, tools: chatTools(), stream: true, stream_options: {include_usage: true}, ...more});
    const message = {role: 'assistant', content: ''};
    const details = [];
    const calls = [];
    for await (const chunk of stream) {
      const delta = chunk.choices[0]?.delta;
      if (!delta) continue;
      message.content += delta.content ?? '';
      if (delta.reasoning_content != null) {
        message.reasoning_content = (message.reasoning_content ?? '') + delta.reasoning_content;
      }
      joinDetails(details, delta.reasoning_details);
      for (const piece of delta.tool_calls ?? []) {
        calls[piece.index] ??= {id: '', type: 'function', function: {name: '', arguments: ''}};
        calls[piece.index].id += piece.id ?? '';
        calls[piece.index].function.name += piece.function?.name ?? '';
        calls[piece.index].function.arguments += piece.function?.arguments ?? '';
      }
    }
    if (message.content) done.texts.push(message.content);
    if (details.length) message.reasoning_details = details;
    if (!calls.length) return;
    message.content ||= null;
    messages.push({...message, tool_calls: calls});
    for (const call of calls) {
      const result = run(call.function.name, JSON.parse(call.function.arguments));
      if (result === null) return;
      messages.push({role: 'tool', tool_call_id: call.id, content: result});
    }
  }
}

async function responses(client, {model, more}) {
  const input = [{role: 'user', content: TASK}];
  const tools = TOOLS.map(({name, description, schema}) => ({
    type: 'function', name, description, parameters: schema, strict: false}));
  for (;;) {
    const stream = await client.responses.create({
      model, instructions: SYSTEM, input, tools, store: false, stream: true, ...more});
    const items = [];
    for await (const event of stream) {
      if (event.type === 'response.output_item.done') items.push(event.item);
    }
    input.push(...items);
    let called = false;
    for (const item of items) {
      if (item.type === 'message') done.texts.push(item.content[0].text);
      if (item.type !== 'function_call') continue;
      called = true;
      const result = run(item.name, JSON.parse(item.arguments));
      if (result === null) return;
      input.push({type: 'function_call_output', call_id: item.call_id, output: result});
    }
    if (!called) return;
  }
}

async function anthropic({url, key, model, more}) {
  const {default: Anthropic} = await load('@anthropic-ai/sdk');
  const client = new Anthropic({baseURL: url, apiKey: key, maxRetries: 0});
  const messages = [{role: 'user', content: TASK}];
  const tools = TOOLS.map(({name, description, schema}) => ({name, description, input_schema: schema}));
  for (;;) {
    const message = await client.messages.stream({
      model, max_tokens: 16000, system: SYSTEM, messages, tools, ...more}).finalMessage();
    messages.push({role: 'assistant', content: message.content});
    const results = [];
    for (const block of message.content) {
      if (block.type === 'text') done.texts.push(block.text);
      if (block.type !== 'tool_use') continue;
      const result = run(block.name, block.input);
      if (result === null) return;
      results.push({type: 'tool_result', tool_use_id: block.id, content: result});
    }
    if (!results.length) return;
    messages.push({role: 'user', content: results});
  }
}

async function gemini({url, key, model, more}) {
  const {GoogleGenAI} = await load('@google/genai');
  const client = new GoogleGenAI({apiKey: key, httpOptions: {baseUrl: url}});
  const contents = [{role: 'user', parts: [{text: TASK}]}];
  const functionDeclarations = TOOLS.map(({name, description, schema}) => ({
    name, description, parametersJsonSchema: schema}));
  for (;;) {
    const stream = await client.models.generateContentStream({
      model, contents, config: {systemInstruction: SYSTEM, tools: [{functionDeclarations}], ...more}});
    const parts = [];
    for await (const chunk of stream) parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
    contents.push({role: 'model', parts});
    const answers = [];
    for (const part of parts) {
      if (part.text && !part.thought) done.texts.push(part.text);
      if (!part.functionCall) continue;
      const {id, name, args} = part.functionCall;
      const result = run(name, args);
      if (result === null) return;
      answers.push({functionResponse: {...(id && {id}), name, response: {output: result}}});
    }
    if (!answers.length) return;
    contents.push({role: 'user', parts: answers});
  }
}

async function ollama({url, model, more}) {
  const {Ollama} = await load('ollama');
  const client = new Ollama({host: url});
  const messages = [{role: 'system', content: SYSTEM}, {role: 'user', content: TASK}];
  for (;;) {
    const stream = await client.chat({
      model, messages, tools: chatTools(), stream: true, options: {num_ctx: 65536}, ...more});
    const message = {role: 'assistant', content: '', thinking: '', tool_calls: []};
    for await (const chunk of stream) {
      message.content += chunk.message.content;
      message.thinking += chunk.message.thinking ?? '';
      message.tool_calls.push(...(chunk.message.tool_calls ?? []));
    }
    if (message.content) done.texts.push(message.content);
    messages.push(message);
    if (!message.tool_calls.length) return;
    for (const call of message.tool_calls) {
      const result = run(call.function.name, call.function.arguments);
      if (result === null) return;
      messages.push({role: 'tool', tool_name: call.function.name, content: result});
    }
  }
}

async function openai(wanted) {
  const {default: OpenAI, AzureOpenAI} = await load('openai');
  const {sdk, url, key} = wanted;
  const client = sdk === 'azure' ?
    new AzureOpenAI({endpoint: url, apiKey: key, apiVersion: '2025-04-01-preview', maxRetries: 0}) :
    new OpenAI({baseURL: url, apiKey: key, maxRetries: 0});
  await (sdk === 'responses' ? responses : chat)(client, wanted);
}

const CLIENTS = {anthropic, gemini, ollama, chat: openai, responses: openai, azure: openai};

let text = '';
for await (const piece of process.stdin) text += piece;
const wanted = {more: {}, ...JSON.parse(text)};
try {
  await CLIENTS[wanted.sdk](wanted);
} catch (error) {
  done.error = {name: error.constructor.name, status: error.status ?? null, message: String(error.message),
    param: error.param ?? null, code: error.code ?? null};
}
process.stdout.write(JSON.stringify(done));
