// SPDX-License-Identifier: MIT
// worker.mjs: an engine in a worker. Messages in: {module}, which may come first: the module, if it
// is not to be fetched; {call, method, args}; {read, bytes} or {read, error}. Out: {call, result} or {call, error}; {call, pairs}; and {read, reader, offset,
// size}, for bytes that a function of the page reads.

import { packError } from './errors.mjs';
import { Engine, METHODS } from './engine.mjs';
import { useModule } from './module.mjs';

const PAIRS_AT_ONCE = 256;

let engine; // a promise, from the first call on
const reads = new Map();
let nextRead = 1;

// The stand-in of a page's {size, read}.
const readerOf = ({ reader, size }) => ({
  size,
  read: (offset, count) =>
    new Promise((resolve, reject) => {
      const read = nextRead++;
      reads.set(read, { resolve, reject });
      postMessage({ read, reader, offset, size: count });
    }),
});

function buffersIn(result) {
  if (ArrayBuffer.isView(result)) return [result.buffer];
  if (result === null || typeof result !== 'object' || Array.isArray(result)) return [];
  return Object.values(result)
    .filter((value) => ArrayBuffer.isView(value))
    .map((value) => value.buffer);
}

async function run({ call, method, args }) {
  engine ??= Engine.create();
  if (!METHODS.includes(method)) throw new Error(`no method ${method}`);
  if (method === 'open' && args[0]?.reader !== undefined) args[0] = readerOf(args[0]);
  if (method !== 'clash') return (await engine)[method](...args);
  let pairs = [];
  const flush = () => {
    if (pairs.length > 0) postMessage({ call, pairs });
    pairs = [];
  };
  const coverage = await (await engine).clash(...args, (pair) => {
    if (pairs.push(pair) >= PAIRS_AT_ONCE) flush();
  });
  flush();
  return coverage;
}

onmessage = async ({ data }) => {
  if (data.module !== undefined) return useModule(data.module);
  if (data.read !== undefined) {
    const { resolve, reject } = reads.get(data.read);
    reads.delete(data.read);
    if (data.error) return reject(new Error(data.error));
    return resolve(data.bytes);
  }
  const { call } = data;
  try {
    const result = await run(data);
    postMessage({ call, result }, buffersIn(result));
  } catch (error) {
    postMessage({ call, error: packError(error) });
  }
};
