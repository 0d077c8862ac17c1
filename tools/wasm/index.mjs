// SPDX-License-Identifier: MIT
// index.mjs: the package bvpack: open packed files and query them. index.d.ts has the types.

import { BvpackError, unpackError } from './errors.mjs';

export { BvpackError };
export const NONE = 0xffffffff; // in arrays: no instance, no part

// ---- what a page brings ---------------------------------------------------------------------------

const brought = { module: undefined, worker: undefined };

// Before the first open(), for pages in one file: the module, compiled or as bytes, and a function
// that makes a worker of worker.mjs.
export function bring({ module, worker }) {
  Object.assign(brought, { module, worker });
}

// ---- who answers --------------------------------------------------------------------------------

// An engine in this thread.
class Here {
  constructor() {
    this.engine = import('./engine.mjs').then(async ({ Engine }) => {
      if (brought.module) (await import('./module.mjs')).useModule(brought.module);
      return Engine.create();
    });
    this.engine.then((engine) => (this.ready = engine)).catch(() => {});
  }

  // At once; null: not without waiting.
  callNow(method, args) {
    return this.ready ? this.ready[method](...args) : null;
  }

  async call(method, args, onPair) {
    const engine = await this.engine;
    return onPair ? engine[method](...args, onPair) : engine[method](...args);
  }
}

// An engine in a worker.
class Elsewhere {
  constructor() {
    this.calls = new Map();
    this.readers = new Map();
    this.next = 1;
    this.worker =
      brought.worker?.() ?? new Worker(new URL('./worker.mjs', import.meta.url), { type: 'module' });
    if (brought.module) this.worker.postMessage({ module: brought.module });
    this.worker.onmessage = ({ data }) => this.answer(data);
    this.worker.onerror = (event) => this.fail(event.message ?? 'the worker could not be started');
  }

  call(method, args, onPair) {
    return new Promise((resolve, reject) => {
      const call = this.next++;
      this.calls.set(call, { resolve, reject, onPair });
      if (method === 'open') args = [this.sendable(args[0]), ...args.slice(1)];
      this.worker.postMessage({ call, method, args });
    });
  }

  // A function cannot be sent: the worker asks for its bytes.
  sendable(from) {
    if (from instanceof URL) return from.href;
    if (typeof from === 'string') return new URL(from, globalThis.location?.href).href;
    if (typeof from?.read !== 'function') return from;
    const reader = this.next++;
    this.readers.set(reader, from);
    return { reader, size: from.size };
  }

  answer(data) {
    if (data.read !== undefined) return this.read(data);
    const call = this.calls.get(data.call);
    if (data.pairs) return data.pairs.forEach((pair) => call.onPair(pair));
    this.calls.delete(data.call);
    if (data.error) return call.reject(unpackError(data.error));
    return call.resolve(data.result);
  }

  async read({ read, reader, offset, size }) {
    try {
      const bytes = await this.readers.get(reader).read(offset, size);
      this.worker.postMessage({ read, bytes });
    } catch (error) {
      this.worker.postMessage({ read, error: String(error?.message ?? error) });
    }
  }

  fail(message) {
    for (const { reject } of this.calls.values()) reject(new BvpackError('system', message));
    this.calls.clear();
  }
}

let here;
let elsewhere;

function answerer(worker) {
  const inWorker = worker ?? (typeof window !== 'undefined' && typeof Worker !== 'undefined');
  if (inWorker) return (elsewhere ??= new Elsewhere());
  return (here ??= new Here());
}

// ---- files --------------------------------------------------------------------------------------

// from: a URL whose server sends ranges, an ArrayBuffer, a typed array, a Blob, or
// {size, read(offset, size)}. All files that are asked about together have the same `worker`.
export async function open(from, options = {}) {
  const { worker, ...rest } = options;
  const engine = answerer(worker);
  return new BvpackFile(engine, await engine.call('open', [from, rest]));
}

const ofBody = ({ part, placement, only, without } = {}) => ({ part, placement, only, without });

export class BvpackFile {
  #engine;
  #id;
  #info;

  constructor(engine, id) {
    this.#engine = engine;
    this.#id = id;
  }

  #call(method, ...args) {
    return this.#engine.call(method, args);
  }

  #body(body) {
    return { ...ofBody(body), file: this.#id };
  }

  // b: another file, {file, part, placement, only, without}, or null: the instances of one body
  // against one another.
  #other(b) {
    if (b === null) return null;
    const file = b instanceof BvpackFile ? b : (b?.file ?? this);
    if (file.#engine !== this.#engine)
      throw new BvpackError('argument', 'both files have to be opened with the same "worker"');
    return { ...ofBody(b instanceof BvpackFile ? {} : b), file: file.#id };
  }

  close() {
    return this.#call('close', this.#id);
  }

  info() {
    this.#info ??= this.#call('info', this.#id);
    return this.#info;
  }

  async parts(first = 0, count) {
    const { partCount } = await this.info();
    return this.#call('parts', this.#id, first, count ?? Math.max(partCount - first, 0));
  }

  async nodes(first = 0, count) {
    const { nodeCount } = await this.info();
    return this.#call('nodes', this.#id, first, count ?? Math.max(nodeCount - first, 0));
  }

  async properties(node) {
    const [{ propertyCount }] = await this.nodes(node, 1);
    return Object.fromEntries(await this.#call('properties', this.#id, node, propertyCount));
  }

  colours(node) {
    return this.#call('colours', this.#id, node);
  }

  bind(part, buffers) {
    return this.#call('bind', this.#id, part, buffers);
  }

  async provenance() {
    return JSON.parse(await this.#call('provenance', this.#id));
  }

  async instances(first = 0, count) {
    const { instanceCount } = await this.info();
    return this.#call('instances', this.#id, first, count ?? Math.max(instanceCount - first, 0));
  }

  async instanceTable(first = 0, count) {
    const { instanceCount } = await this.info();
    return this.#call('instanceTable', this.#id, first, count ?? Math.max(instanceCount - first, 0));
  }

  async colourTable(first = 0, count) {
    const { instanceCount } = await this.info();
    return this.#call('colourTable', this.#id, first, count ?? Math.max(instanceCount - first, 0));
  }

  async nodeTable(first = 0, count) {
    const { nodeCount } = await this.info();
    return this.#call('nodeTable', this.#id, first, count ?? Math.max(nodeCount - first, 0));
  }

  async partTable(first = 0, count) {
    const { partCount } = await this.info();
    return this.#call('partTable', this.#id, first, count ?? Math.max(partCount - first, 0));
  }

  nodePath(node) {
    return this.#call('nodePath', this.#id, node);
  }

  nodeAt(path) {
    return this.#call('nodeAt', this.#id, path);
  }

  async findNodes(text, { first = 0, count, limit = 1000 } = {}) {
    const { nodeCount } = await this.info();
    const rest = Math.max(nodeCount - first, 0);
    return this.#call('findNodes', this.#id, text, first, Math.min(count ?? rest, rest), limit);
  }

  boxes(level, { part, limit = 1e6 } = {}) {
    return this.#call('boxes', this.#id, part, level, limit);
  }

  async geometry(part, first = 0, count, { firsts = null } = {}) {
    const [{ triangleCount }] = await this.parts(part, 1);
    const rest = Math.max(triangleCount - first, 0);
    return this.#call('geometry', this.#id, part, first, Math.min(count ?? rest, rest), firsts);
  }

  async triangles(part, first = 0, count, { ids = false } = {}) {
    if (count === undefined) {
      const [{ triangleCount }] = await this.parts(part, 1);
      count = Math.max(triangleCount - first, 0);
    }
    return this.#call('triangles', this.#id, part, first, count, ids);
  }

  rayFirst(rays, body) {
    return this.#call('rayFirst', this.#body(body), rays);
  }

  // Not async: null when bytes are missing, or when the engine is in a worker.
  rayFirstNow(ray, body) {
    return this.#engine.callNow?.('rayFirstNow', [this.#body(body), ray]) ?? null;
  }

  rayAllNow(ray, body) {
    return this.#engine.callNow?.('rayAllNow', [this.#body(body), ray]) ?? null;
  }

  rayAny(rays, body) {
    return this.#call('rayAny', this.#body(body), rays);
  }

  rayAll(ray, { limit = 1e8, ...body } = {}) {
    return this.#call('rayAll', this.#body(body), ray, limit);
  }

  closest(points, { maxDistance = Infinity, ...body } = {}) {
    return this.#call('closest', this.#body(body), points, maxDistance);
  }

  overlap(region, { limit = 1e8, ...body } = {}) {
    return this.#call('overlap', this.#body(body), region, limit);
  }

  instancesIn(box, { byTriangles = false, ...body } = {}) {
    return this.#call('instancesIn', this.#body(body), box, byTriangles);
  }

  nearestInstances(point, count, { maxDistance = Infinity, ...body } = {}) {
    return this.#call('nearestInstances', this.#body(body), point, count, maxDistance);
  }

  convexCollide(shape, body) {
    return this.#call('convexCollide', this.#body(body), shape);
  }

  convexDistance(shape, { limit = Infinity, ...body } = {}) {
    return this.#call('convexDistance', this.#body(body), shape, limit);
  }

  async collide(b, { a, placements } = {}) {
    const [ofA, ofB] = [this.#body(a), this.#other(b)];
    return placements
      ? this.#call('collideBatch', ofA, ofB, placements)
      : this.#call('collide', ofA, ofB);
  }

  async distance(b, { a, placements, limit = Infinity, tolerance = -1 } = {}) {
    const [ofA, ofB] = [this.#body(a), this.#other(b)];
    return placements
      ? this.#call('distanceBatch', ofA, ofB, placements, limit)
      : this.#call('distance', ofA, ofB, limit, tolerance);
  }

  async within(b, delta, { a } = {}) {
    return this.#call('within', this.#body(a), this.#other(b), delta);
  }

  async pairs(b, { a, limit = 1e8 } = {}) {
    return this.#call('pairs', this.#body(a), this.#other(b), limit);
  }

  async clash({ other = null, ...options } = {}, onPair = () => {}) {
    const b = other === null ? null : this.#other(other).file;
    return this.#engine.call('clash', [this.#id, b, options], onPair);
  }
}
