// For `node --import`: lets the conformance suite, which imports fs.globSync, start on Node 20. What it needs it for
// (lists of its own expectations) is not used here.

import {register} from 'node:module';

const hooks = `
export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!url.endsWith('/conformance/dist/index.js')) return loaded;
  const text = loaded.source.toString();
  return {...loaded, source: text.replace(/globSync as (\\w+),/, '').replace(/globSync as (\\w+)/, '')};
}`;
register('data:text/javascript,' + encodeURIComponent(hooks));
