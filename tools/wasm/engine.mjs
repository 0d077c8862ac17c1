// SPDX-License-Identifier: MIT
// engine.mjs: files and queries on one instance of the module. Runs in the page's worker
// (worker.mjs) or, in node, in the caller's thread. Arguments and results can be cloned.
//
// A call of the module never waits. When bytes of a source are missing it returns AGAIN; they are
// fetched, and the call is made again, until it has all that it needs. Calls on one file take
// turns, so that what was fetched for one is there when it is asked again.

import { bytesOf } from './bytes.mjs';
import { BvpackError, STATUS } from './errors.mjs';
import { instantiate } from './module.mjs';

const AGAIN = STATUS.indexOf('again');
const LIMIT = STATUS.indexOf('limit');
const ASSEMBLY = 0xffffffff;
const NONE = 0xffffffff;
const DISTANCE_ROW = 17;
const COVERAGE = 9;
const PIECE = 4096; // as POINTS in bindings.c
const RANGES_KEPT = 16;
const AHEAD = 4; // hints at a time, as in bvpack-http.c
const HINT_MOST = 65536;
const WINDOW = 1 << 20; // what a call that misses much reads at a time, of files of at most
const WINDOW_FILE = 1 << 27; // so many bytes: each window once
const MISSES = 8; // before that
const TRIES = 3; // of one range without progress: the cache is too small

export const VERDICTS = [
  'clear',
  'within',
  'touching',
  'penetrating',
  'enclosed',
  'duplicate',
  'unknown',
];
const DETAILS = ['distance', 'verdicts', 'contacts', 'fast contacts'];
const REGIONS = { box: 1, ball: 2, planes: 3 };
const SHAPES = { box: 1, sphere: 2, capsule: 3, cylinder: 4, hull: 5 };
// Numbers of glTF for what arrays hold.
const COMPONENTS = new Map([
  [Int8Array, 5120],
  [Uint8Array, 5121],
  [Int16Array, 5122],
  [Uint16Array, 5123],
  [Uint32Array, 5125],
  [Float32Array, 5126],
]);
const componentOf = (array, what) =>
  COMPONENTS.get(array?.constructor) ?? refuse(`${what}: expected a typed array of 8 to 32 bits`);
const BUFFERS_ROW = 8;
const UP = ['unknown', 'x', 'y', 'z'];

const refuse = (message) => {
  throw new BvpackError('argument', message);
};
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const noneAsNull = (number) => (number === NONE ? null : number);

function numbersOf(given, multiple, what) {
  if (typeof given?.length !== 'number' || given.length % multiple !== 0)
    refuse(`${what}: expected an array whose length is a multiple of ${multiple}`);
  return given;
}

function exactly(given, count, what) {
  if (given?.length !== count) refuse(`${what}: expected ${count} numbers`);
  return given;
}

function indexOf(given, what) {
  if (!Number.isInteger(given) || given < 0 || given > 0xffffffff)
    refuse(`${what}: expected a whole number from 0 on`);
  return given;
}

class Source {
  constructor({ size, read, first }) {
    this.size = size;
    this.readRange = read;
    this.ranges = first ? [{ offset: 0, bytes: first }] : [];
    this.wanted = null;
    this.ahead = new Map(); // what was hinted at, by its offset
    this.misses = -Infinity; // of this call; negative: it reads no windows
    this.windows = new Set(); // their offsets
  }

  // Begins to fetch what will be wanted next. The oldest hint gives way; if one fails, the request
  // for its bytes asks again and says why.
  hint(offset, size) {
    if (size > HINT_MOST || this.ahead.has(offset)) return;
    if (this.ahead.size >= AHEAD) this.ahead.delete(this.ahead.keys().next().value);
    this.ahead.set(offset, (async () => this.readRange(offset, size))().catch(() => null));
  }

  async read(offset, size) {
    const ahead = await this.ahead.get(offset);
    this.ahead.delete(offset);
    return ahead?.length === size ? ahead : this.readRange(offset, size);
  }

  // From now on the call reads windows if it misses much: each miss costs it the way to the server, and
  // what it did since it last made progress.
  readWindows() {
    if (this.size <= WINDOW_FILE) this.misses = 0;
  }

  // The bytes and, if they are in it, the window around them.
  readAround(offset, size) {
    const window = offset - (offset % WINDOW);
    const most = Math.min(WINDOW, this.size - window);
    if (++this.misses <= MISSES || this.windows.has(window) || offset + size > window + most)
      return { offset, bytes: this.read(offset, size), size };
    this.windows.add(window);
    return { offset: window, bytes: this.read(window, most), size: most };
  }

  endCall() {
    this.ranges.length = 0;
    this.wanted = null;
    this.misses = -Infinity;
    this.windows.clear();
  }

  // What the module asks for: true if it is here.
  give(offset, into) {
    const range = this.ranges.find(
      (one) => one.offset <= offset && offset + into.length <= one.offset + one.bytes.length,
    );
    if (!range) {
      this.wanted = { offset, size: into.length };
      return false;
    }
    const from = offset - range.offset;
    into.set(range.bytes.subarray(from, from + into.length));
    return true;
  }

  async fetchWanted() {
    const wanted = this.wanted.offset;
    const { offset, size, bytes: coming } = this.readAround(wanted, this.wanted.size);
    this.wanted = null;
    let bytes;
    try {
      bytes = await coming;
    } catch (cause) {
      if (cause instanceof BvpackError) throw cause;
      throw new BvpackError('system', `bytes ${offset} to ${offset + size}: ${cause?.message ?? cause}`, {
        offset,
        cause,
      });
    }
    if (!(bytes instanceof Uint8Array) || bytes.length !== size)
      throw new BvpackError(
        'system',
        `the source gave ${bytes?.length ?? 'no'} bytes of the ${size} at offset ${offset}`,
        { offset },
      );
    this.ranges.push({ offset, bytes });
    if (this.ranges.length > RANGES_KEPT) this.ranges.shift();
    return wanted;
  }
}

export class Engine {
  static async create() {
    const engine = new Engine();
    engine.memory = await instantiate({
      read: (number, offset, size, at) => engine.give(number, offset, size, at),
      hint: (number, offset, size) => engine.sources.get(number).hint(offset, size),
      pair: (at) => engine.onRow(engine.memory.copy(Float64Array, at, 36)),
    });
    engine.module = engine.memory.exports;
    return engine;
  }

  constructor() {
    this.files = new Map();
    this.sources = new Map();
    this.next = 1;
    this.onRow = () => false;
  }

  give(number, offset, size, at) {
    const source = this.sources.get(number);
    return source.give(offset, this.memory.view(Uint8Array, at, size)) ? 0 : AGAIN;
  }

  failure(status) {
    if (status === LIMIT && this.module.error_status() !== LIMIT)
      return new BvpackError(
        'limit',
        'one call needs more bytes than the cache has room for: open the file with a larger cacheBytes',
      );
    const message = this.memory.string(this.module.error_message() >>> 0);
    return new BvpackError(STATUS[status], message || STATUS[status], {
      rule: this.memory.string(this.module.error_rule() >>> 0),
      offset: this.module.error_offset(),
    });
  }

  // ---- turns --------------------------------------------------------------------------------

  // Runs work() when no other call runs on these files.
  async inTurn(files, work) {
    const before = files.map((file) => file.tail);
    const mine = Promise.allSettled(before).then(work);
    const tail = mine.catch(() => {});
    for (const file of files) file.tail = tail;
    return mine;
  }

  // call(piece): a status. progress(): a number that grows when the next call needs other bytes;
  // a call that has it does its work in pieces, smaller ones where the cache has no room.
  async retry(sources, call, progress) {
    const tries = new Map();
    let piece = PIECE;
    let reached = progress?.();
    try {
      for (;;) {
        let status = call(piece);
        if (status === 0) return;
        if (progress && progress() !== reached) {
          reached = progress();
          tries.clear();
        }
        if (status === AGAIN) status = await this.fetchWanted(sources, tries);
        if (status === LIMIT && progress && piece > 1) {
          piece >>= 2;
          tries.clear();
        } else if (status !== 0) throw this.failure(status);
      }
    } finally {
      for (const source of sources) source?.endCall();
    }
  }

  // LIMIT: what was fetched has left the cache again before the call could use it.
  async fetchWanted(sources, tries) {
    const wanting = sources.filter((source) => source?.wanted);
    if (wanting.length === 0) return AGAIN;
    const offsets = await Promise.all(wanting.map((source) => source.fetchWanted()));
    for (const [i, source] of wanting.entries()) {
      const key = `${sources.indexOf(source)}:${offsets[i]}`;
      tries.set(key, (tries.get(key) ?? 0) + 1);
      if (tries.get(key) > TRIES) return LIMIT;
    }
    return 0;
  }

  fileOf(id) {
    return this.files.get(id) ?? refuse('the file is closed');
  }

  // work(take, ...): returns the result, after calls by ask(call, progress).
  query(ids, work) {
    const files = [...new Set(ids)].map((id) => this.fileOf(id));
    return this.inTurn(files, () =>
      this.memory.borrow((take) =>
        work(take, (call, progress) =>
          this.retry(
            files.map((file) => file.source),
            call,
            progress,
          ),
        ),
      ),
    );
  }

  // ---- opening ------------------------------------------------------------------------------

  async open(from, options = {}) {
    const given = await bytesOf(from, options);
    const file = { tail: Promise.resolve(), source: null, bytes: 0, handle: 0, bound: new Map() };
    if (given.whole) this.openBytes(file, given.whole, options);
    else await this.openSource(file, given, options);
    const id = this.next++;
    this.files.set(id, file);
    return id;
  }

  opened(handle) {
    if (handle === 0) throw this.failure(this.module.error_status());
    return handle;
  }

  openBytes(file, bytes, options) {
    const taken = this.module.malloc(bytes.length + 64) >>> 0;
    if (taken === 0) throw new BvpackError('no memory', `no room for ${bytes.length} bytes`);
    const at = (taken + 63) & ~63;
    try {
      this.memory.view(Uint8Array, at >>> 0, bytes.length).set(bytes);
      file.handle = this.opened(
        this.module.open_bytes(at, bytes.length, options.verify === false ? 0 : 1),
      );
      file.bytes = taken;
    } catch (error) {
      this.module.free(taken);
      throw error;
    }
  }

  async openSource(file, given, options) {
    const number = this.next++;
    const source = new Source(given);
    this.sources.set(number, source);
    try {
      await this.retry([source], () => {
        file.handle = this.module.open_source(number, given.size, options.cacheBytes ?? 0) >>> 0;
        return file.handle === 0 ? this.module.error_status() : 0;
      });
    } catch (error) {
      this.sources.delete(number);
      throw error;
    }
    file.source = source;
    file.sourceNumber = number;
  }

  // After the calls that were made before; those made later find no file.
  async close(id) {
    const file = this.files.get(id);
    if (!file) return;
    await this.inTurn([file], () => {
      if (!this.files.delete(id)) return;
      this.module.close_file(file.handle);
      if (file.bytes) this.module.free(file.bytes);
      for (const taken of file.bound.values()) taken.forEach((at) => this.module.free(at));
      this.sources.delete(file.sourceNumber);
    });
  }

  // ---- what is in a file --------------------------------------------------------------------

  // Several records: each is a call, so that a range source fetches what one needs.
  records(id, first, count, numbers, call, make) {
    return this.query([id], async (take, ask) => {
      const out = take(numbers * 8);
      const hashes = take(32);
      const made = [];
      for (let i = first; i < first + count; i++) {
        await ask(() => call(this.fileOf(id).handle, i, out, hashes));
        const row = this.memory.copy(Float64Array, out, numbers);
        const hash = this.memory.copy(Uint8Array, hashes, 32);
        made.push(make(row, hash));
      }
      return made;
    });
  }

  async info(id) {
    const [info] = await this.records(
      id,
      0,
      1,
      24,
      (file, _, out, hashes) => this.module.file_info(file, out, hashes),
      (n, hash) => ({
        format: `${n[0]}.${n[1]}`,
        fileSize: n[2],
        triangleCount: n[3],
        uniqueTriangleCount: n[4],
        partCount: n[5],
        instanceCount: n[6],
        nodeCount: n[7],
        instanceHierarchyCount: n[8],
        unitInMetres: n[9],
        up: UP[n[10]] ?? 'unknown',
        tessellationTolerance: n[11],
        hierarchySize: n[12],
        geometrySize: n[13],
        idSize: n[14],
        otherSize: n[15],
        hasDigests: n[16] !== 0,
        isThin: n[17] !== 0,
        lo: n.slice(18, 21),
        hi: n.slice(21, 24),
        rootHash: hex(hash.subarray(0, 16)),
        sourceHash: hex(hash.subarray(16)),
      }),
    );
    return info;
  }

  parts(id, first, count) {
    return this.records(
      id,
      first,
      count,
      26,
      (file, i, out, hashes) => this.module.part_info(file, i, out, hashes),
      (n, hash) => ({
        name: this.memory.text(n[0], n[1]),
        sourceId: this.memory.text(n[2], n[3]),
        triangleCount: n[4],
        vertexCount: n[5],
        clusterCount: n[6],
        hierarchyCount: n[7],
        roundingError: n[8],
        degenerateCount: n[9],
        duplicateCount: n[10],
        openEdgeCount: n[11],
        nonmanifoldEdgeCount: n[12],
        hierarchySize: n[13],
        geometrySize: n[14],
        idSize: n[15],
        hasIds: n[16] !== 0,
        origin: n.slice(17, 20),
        lo: n.slice(20, 23),
        hi: n.slice(23, 26),
        contentHash: hex(hash.subarray(0, 16)),
        address: hex(hash.subarray(16)),
      }),
    );
  }

  nodes(id, first, count) {
    return this.records(
      id,
      first,
      count,
      21,
      (file, i, out) => this.module.node_info(file, i, out),
      (n) => ({
        name: this.memory.text(n[0], n[1]),
        sourceId: this.memory.text(n[2], n[3]),
        parent: noneAsNull(n[4]),
        end: n[5],
        part: noneAsNull(n[6]),
        instance: noneAsNull(n[7]),
        propertyCount: n[8],
        placement: n.slice(9, 21),
      }),
    );
  }

  properties(id, node, count) {
    return this.records(
      id,
      0,
      count,
      4,
      (file, i, out) => this.module.node_property(file, node, i, out),
      (n) => [this.memory.text(n[0], n[1]), this.memory.text(n[2], n[3])],
    );
  }

  instances(id, first, count) {
    return this.records(
      id,
      first,
      count,
      14,
      (file, i, out) => this.module.instance_info(file, i, out),
      (n) => ({ part: n[0], node: noneAsNull(n[1]), placement: n.slice(2, 14) }),
    );
  }

  // Many records at once, as arrays: names with [type, numbers each].
  table(id, first, count, names, call) {
    return this.query([id], async (take, ask) => {
      const file = this.fileOf(id).handle;
      const kinds = Object.entries(names);
      const at = kinds.map(([, [Type, size]]) => take(count * size * Type.BYTES_PER_ELEMENT));
      const done = take(4);
      await ask(
        () => call(file, first, count, ...at, done),
        () => this.memory.view(Uint32Array, done, 1)[0],
      );
      return Object.fromEntries(
        kinds.map(([name, [Type, size]], i) => [name, this.memory.copy(Type, at[i], count * size)]),
      );
    });
  }

  instanceTable(id, first, count) {
    const one = [Uint32Array, 1];
    const names = { part: one, node: one, placement: [Float64Array, 12] };
    return this.table(id, first, count, names, this.module.instance_table);
  }

  colourTable(id, first, count) {
    const names = { rgba: [Uint8Array, 4], runCount: [Uint32Array, 1] };
    return this.table(id, first, count, names, this.module.colour_table);
  }

  nodeTable(id, first, count) {
    const one = [Uint32Array, 1];
    const names = { parent: one, end: one, part: one, instance: one };
    return this.table(id, first, count, names, this.module.node_table);
  }

  partTable(id, first, count) {
    const names = { triangleCount: [Float64Array, 1], openEdgeCount: [Float64Array, 1], box: [Float64Array, 6] };
    return this.table(id, first, count, names, this.module.part_table);
  }

  // Its path below the root.
  nodePath(id, node) {
    return this.query([id], async (take, ask) => {
      const file = this.fileOf(id).handle;
      const size = take(4);
      await ask(() => this.module.node_path(file, node, 0, 0, size));
      const full = this.memory.view(Uint32Array, size, 1)[0];
      const text = take(full);
      await ask(() => this.module.node_path(file, node, text, full, size));
      return this.memory.text(text, full);
    });
  }

  nodeAt(id, path) {
    return this.query([id], async (take, ask) => {
      const file = this.fileOf(id).handle;
      const bytes = new TextEncoder().encode(path);
      const [text, found] = [this.put(take, Uint8Array, bytes), take(4)];
      await ask(() => this.module.node_at(file, text, bytes.length, found));
      return noneAsNull(this.memory.view(Uint32Array, found, 1)[0]);
    });
  }

  findNodes(id, text, first, count, limit) {
    return this.query([id], async (take, ask) => {
      const file = this.fileOf(id).handle;
      // as in bindings.c: only letters of ASCII have no case
      const plain = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
      const bytes = new TextEncoder().encode(plain);
      const words = [file, first, count, this.put(take, Uint8Array, bytes), bytes.length];
      const [found, foundCount, done] = [take(limit * 4), take(4), take(4)];
      await ask(
        () => this.module.find_nodes(...words, found, limit, foundCount, done),
        () => this.memory.view(Uint32Array, done, 1)[0],
      );
      return this.memory.copy(Uint32Array, found, this.memory.view(Uint32Array, foundCount, 1)[0]);
    });
  }

  geometry(id, part, first, count, firsts) {
    return this.query([id], async (take, ask) => {
      const file = this.fileOf(id).handle;
      const slots = 2 ** Math.ceil(Math.log2(4 * count + 4)); // more than vertices
      const [indices, positions, out] = [take(count * 12), take(count * 36), take(8)];
      const table = take(slots * 4);
      const runCount = firsts?.length ?? 0;
      const begins = runCount > 0 ? this.put(take, Float64Array, firsts) : 0;
      const [ids, runs] = runCount > 0 ? [take(count * 8), take(count * 12)] : [0, 0];
      await ask(() =>
        this.module.geometry(
          file, part, first, count, indices, positions, table, slots, begins, runCount, ids, runs, out,
        ),
      );
      const [triangles, vertices] = this.memory.copy(Uint32Array, out, 2);
      return {
        positions: this.memory.copy(Float32Array, positions, vertices * 3),
        indices: this.memory.copy(Uint32Array, indices, triangles * 3),
        runs: runCount > 0 ? this.memory.copy(Uint32Array, runs, vertices) : null,
      };
    });
  }

  colours(id, node) {
    return this.query([id], async (take, ask) => {
      const counted = take(4);
      const file = this.fileOf(id).handle;
      const count = () => this.memory.view(Uint32Array, counted, 1)[0];
      await ask(() => this.module.node_colours(file, node, 0, 0, counted));
      const capacity = count();
      const runs = take(8 * capacity);
      await ask(() => this.module.node_colours(file, node, runs, capacity, counted));
      return Array.from({ length: Math.min(count(), capacity) }, (_, i) => {
        const rgba = Array.from(this.memory.view(Uint8Array, runs + 8 * i + 4, 4));
        return {
          first: this.memory.view(Uint32Array, runs + 8 * i, 1)[0],
          rgba: rgba.some((channel) => channel > 0) ? rgba : null,
        };
      });
    });
  }

  // Copies the buffers of a part of a file over buffers into the module's memory, and binds them.
  bind(id, part, buffers) {
    return this.query([id], (take) => {
      const file = this.fileOf(id);
      const taken = [];
      const put = (array) => {
        const at = this.module.malloc(array.byteLength + 8) >>> 0;
        if (at === 0) throw new BvpackError('no memory', `no room for ${array.byteLength} bytes`);
        taken.push(at);
        this.view8(at, array.byteLength).set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
        return at;
      };
      try {
        const rows = buffers.map(({ positions, stride = 3, offset = 0, normalized = false, indices = null }) => {
          const type = componentOf(positions, 'positions');
          const size = positions.BYTES_PER_ELEMENT;
          if (!Number.isInteger(stride) || stride < 3 || !Number.isInteger(offset) || offset < 0)
            refuse('stride, offset: expected whole numbers, and a stride of 3 or more');
          const room = positions.length - offset - 3;
          const vertices = room < 0 ? 0 : Math.floor(room / stride) + 1;
          const corners = indices ? indices.length : vertices;
          return [
            put(positions) + offset * size,
            stride * size,
            type,
            normalized ? 1 : 0,
            vertices,
            indices ? put(indices) : 0,
            indices ? componentOf(indices, 'indices') : 0,
            Math.floor(corners / 3),
          ];
        });
        const at = take(rows.length * BUFFERS_ROW * 8);
        this.memory.view(Float64Array, at, rows.length * BUFFERS_ROW).set(rows.flat());
        const status = this.module.bind(file.handle, indexOf(part, 'part'), at, rows.length);
        if (status !== 0) throw this.failure(status);
      } catch (error) {
        taken.forEach((at) => this.module.free(at));
        throw error;
      }
      file.bound.get(part)?.forEach((at) => this.module.free(at));
      file.bound.set(part, taken);
    });
  }

  view8(at, size) {
    return this.memory.view(Uint8Array, at, size);
  }

  provenance(id) {
    return this.query([id], async (take, ask) => {
      const size = take(4);
      const file = this.fileOf(id).handle;
      await ask(() => this.module.provenance(file, 0, 0, size));
      const full = this.memory.view(Uint32Array, size, 1)[0];
      const at = take(full);
      await ask(() => this.module.provenance(file, at, full, size));
      return this.memory.text(at, full);
    });
  }

  triangles(id, part, first, count, withIds) {
    return this.query([id], async (take, ask) => {
      const positions = take(count * 36);
      const ids = withIds ? take(count * 8) : 0;
      const written = take(4);
      const file = this.fileOf(id).handle;
      await ask(() => this.module.triangles(file, part, first, count, positions, ids, written));
      const got = this.memory.view(Uint32Array, written, 1)[0];
      return {
        positions: this.memory.copy(Float32Array, positions, got * 9),
        ids: withIds ? this.memory.copy(Float64Array, ids, got) : null,
      };
    });
  }

  // ---- bodies -------------------------------------------------------------------------------

  put(take, Type, numbers) {
    const at = take(numbers.length * Type.BYTES_PER_ELEMENT);
    this.memory.view(Type, at, numbers.length).set(numbers);
    return at;
  }

  // Freed with what was borrowed: a body is one allocation.
  body(take, { file, part, placement, only, without }) {
    if (only && without) refuse('a body has "only" or "without", not both');
    const group = only ?? without;
    const made =
      this.module.body_make(
        this.fileOf(file).handle,
        part === undefined ? ASSEMBLY : indexOf(part, 'part'),
        placement ? this.put(take, Float64Array, exactly(placement, 12, 'placement')) : 0,
        group ? this.put(take, Uint32Array, group) : 0,
        group?.length ?? 0,
        without ? 1 : 0,
      ) >>> 0;
    if (made === 0) throw this.failure(STATUS.indexOf('argument'));
    return made;
  }

  // work(body, ...): a query of one body, or two. Null: none.
  withBodies(bodies, work) {
    const there = bodies.filter((body) => body);
    return this.query(
      there.map((body) => body.file),
      async (take, ask) => {
        const made = [];
        try {
          for (const body of bodies) made.push(body ? this.body(take, body) : 0);
          return await work(take, ask, ...made);
        } finally {
          made.forEach((at) => at && this.module.free(at));
        }
      },
    );
  }

  // ---- rays and closest points --------------------------------------------------------------

  hitArrays(take, count) {
    const at = {
      found: take(count),
      number: take(count * 8),
      uv: take(count * 16),
      vector: take(count * 24),
      instance: take(count * 4),
      part: take(count * 4),
      triangle: take(count * 8),
      id: take(count * 8),
    };
    return { at, pointers: this.put(take, Uint32Array, Object.values(at)) };
  }

  hits(at, count) {
    return {
      found: this.memory.copy(Uint8Array, at.found, count),
      instance: this.memory.copy(Uint32Array, at.instance, count),
      part: this.memory.copy(Uint32Array, at.part, count),
      triangle: this.memory.copy(Float64Array, at.triangle, count),
      id: this.memory.copy(Float64Array, at.id, count),
    };
  }

  rayHits(at, count) {
    return {
      ...this.hits(at, count),
      t: this.memory.copy(Float64Array, at.number, count),
      uv: this.memory.copy(Float64Array, at.uv, count * 2),
      normal: this.memory.copy(Float64Array, at.vector, count * 3),
    };
  }

  rayFirst(body, rays) {
    const count = numbersOf(rays, 8, 'rays').length / 8;
    return this.withBodies([body], async (take, ask, of) => {
      const from = this.put(take, Float64Array, rays);
      const done = take(4);
      const { at, pointers } = this.hitArrays(take, count);
      await ask(
        (piece) => this.module.ray_first(of, from, count, piece, pointers, done),
        () => this.memory.view(Uint32Array, done, 1)[0],
      );
      return this.rayHits(at, count);
    });
  }

  rayAny(body, rays) {
    const count = numbersOf(rays, 8, 'rays').length / 8;
    return this.withBodies([body], async (take, ask, of) => {
      const from = this.put(take, Float64Array, rays);
      const done = take(4);
      const out = take(count);
      await ask(
        (piece) => this.module.ray_any(of, from, count, piece, out, done),
        () => this.memory.view(Uint32Array, done, 1)[0],
      );
      return this.memory.copy(Uint8Array, out, count);
    });
  }

  closest(body, points, maxDistance) {
    const count = numbersOf(points, 3, 'points').length / 3;
    return this.withBodies([body], async (take, ask, of) => {
      const from = this.put(take, Float64Array, points);
      const done = take(4);
      const { at, pointers } = this.hitArrays(take, count);
      await ask(
        (piece) => this.module.closest(of, from, count, piece, maxDistance, pointers, done),
        () => this.memory.view(Uint32Array, done, 1)[0],
      );
      return this.nearest(at, count);
    });
  }

  // All hits of one ray, without waiting; null: bytes are missing.
  rayAllNow(body, ray) {
    exactly(ray, 8, 'ray');
    return this.memory.borrow((take) => {
      const of = this.body(take, body);
      try {
        const status = this.module.ray_all(of, this.put(take, Float64Array, ray), 1e8);
        if (status === AGAIN) return null;
        if (status !== 0) throw this.failure(status);
        return this.rayRows();
      } finally {
        this.module.rows_free();
        this.module.free(of);
      }
    });
  }

  // The nearest hit, likewise.
  rayFirstNow(body, ray) {
    exactly(ray, 8, 'ray');
    return this.memory.borrow((take) => {
      const of = this.body(take, body);
      try {
        const from = this.put(take, Float64Array, ray);
        const { at, pointers } = this.hitArrays(take, 1);
        const status = this.module.ray_first(of, from, 1, 1, pointers, take(4));
        if (status === AGAIN) return null;
        if (status !== 0) throw this.failure(status);
        return this.rayHits(at, 1);
      } finally {
        this.module.free(of);
      }
    });
  }

  nearest(at, count) {
    return {
      ...this.hits(at, count),
      distance: this.memory.copy(Float64Array, at.number, count),
      point: this.memory.copy(Float64Array, at.vector, count * 3),
    };
  }

  // ---- two bodies ---------------------------------------------------------------------------

  collide(a, b) {
    return this.withBodies([a, b], async (take, ask, ofA, ofB) => {
      const hit = take(4);
      await ask(() => this.module.collide(ofA, ofB, hit));
      return this.memory.view(Int32Array, hit, 1)[0] !== 0;
    });
  }

  distanceRow(row) {
    if (row[0] === 0) return null;
    const hit = (at) => ({
      instance: noneAsNull(row[at]),
      part: noneAsNull(row[at + 1]),
      triangle: row[at + 2],
      id: row[at + 3],
    });
    return {
      distance: row[1],
      lower: row[2],
      pointA: row.slice(3, 6),
      pointB: row.slice(6, 9),
      a: hit(9),
      b: hit(13),
    };
  }

  oneDistance(bodies, call) {
    return this.withBodies(bodies, async (take, ask, ...made) => {
      const out = take(DISTANCE_ROW * 8);
      await ask(() => call(out, ...made));
      return this.distanceRow(this.memory.copy(Float64Array, out, DISTANCE_ROW));
    });
  }

  distance(a, b, limit, tolerance) {
    return this.oneDistance([a, b], (out, ofA, ofB) =>
      this.module.distance(ofA, ofB, limit, tolerance, out),
    );
  }

  within(a, b, delta) {
    return this.oneDistance([a, b], (out, ofA, ofB) => this.module.within(ofA, ofB, delta, out));
  }

  collideBatch(a, b, placements) {
    const count = numbersOf(placements, 12, 'placements').length / 12;
    return this.withBodies([a, b ?? refuse('a batch needs two bodies')], async (take, ask, ofA, ofB) => {
      const from = this.put(take, Float64Array, placements);
      const done = take(4);
      const out = take(count);
      await ask(
        () => this.module.collide_batch(ofA, ofB, from, count, out, done),
        () => this.memory.view(Uint32Array, done, 1)[0],
      );
      return this.memory.copy(Uint8Array, out, count);
    });
  }

  distanceBatch(a, b, placements, limit) {
    const count = numbersOf(placements, 12, 'placements').length / 12;
    return this.withBodies([a, b ?? refuse('a batch needs two bodies')], async (take, ask, ofA, ofB) => {
      const from = this.put(take, Float64Array, placements);
      const done = take(4);
      const out = take(count * DISTANCE_ROW * 8);
      await ask(
        () => this.module.distance_batch(ofA, ofB, from, count, limit, out, done),
        () => this.memory.view(Uint32Array, done, 1)[0],
      );
      const rows = this.memory.copy(Float64Array, out, count * DISTANCE_ROW);
      return this.columns(rows, count, DISTANCE_ROW, {
        found: [0, 1, Uint8Array],
        distance: [1, 1],
        lower: [2, 1],
        pointA: [3, 3],
        pointB: [6, 3],
        ...hitColumns(9, 'A'),
        ...hitColumns(13, 'B'),
      });
    });
  }

  // Rows as arrays: names with [the first number's place, how many, their type].
  columns(rows, count, width, names) {
    const made = {};
    for (const [name, [place, size, Type = Float64Array]] of Object.entries(names)) {
      made[name] = new Type(count * size);
      for (let i = 0; i < count; i++)
        for (let k = 0; k < size; k++) made[name][i * size + k] = rows[i * width + place + k];
    }
    return made;
  }

  // ---- lists --------------------------------------------------------------------------------

  rows(width, names) {
    const count = this.module.rows_count();
    const rows = this.memory.copy(Float64Array, this.module.rows_data() >>> 0, count * width);
    return { count, ...this.columns(rows, count, width, names) };
  }

  rayRows() {
    return this.rows(10, { t: [0, 1], uv: [1, 2], normal: [3, 3], ...hitColumns(6, '') });
  }

  // What call(), a status, leaves in rows.
  async listed(ask, call, read) {
    let result;
    await ask(() => {
      try {
        const status = call();
        if (status === 0) result = read();
        return status;
      } finally {
        this.module.rows_free();
      }
    });
    return result;
  }

  list(bodies, prepare, read) {
    return this.withBodies(bodies, (take, ask, ...made) =>
      this.listed(ask, prepare(take, ...made), read),
    );
  }

  boxes(id, part, level, limit) {
    const names = {
      lo: [0, 3],
      hi: [3, 3],
      level: [6, 1, Uint32Array],
      leafCount: [7, 1, Uint32Array],
      first: [8, 1],
    };
    return this.query([id], (take, ask) =>
      this.listed(
        ask,
        () => this.module.boxes(this.fileOf(id).handle, part ?? ASSEMBLY, level, limit),
        () => this.rows(9, names),
      ),
    );
  }

  pairs(a, b, limit) {
    const names = { ...hitColumns(0, 'A'), ...hitColumns(4, 'B'), proper: [8, 1, Uint8Array] };
    return this.list(
      [a, b],
      (take, ofA, ofB) => () => this.module.pairs(ofA, ofB, limit),
      () => this.rows(9, names),
    );
  }

  // ---- instances ----------------------------------------------------------------------------

  async instanceCount(id) {
    return (await this.info(id)).instanceCount;
  }

  async instancesIn(body, box, byTriangles) {
    exactly(box, 6, 'box');
    const capacity = await this.instanceCount(body.file);
    return this.withBodies([body], async (take, ask, of) => {
      const at = this.put(take, Float64Array, box);
      const out = take(capacity * 4);
      const count = take(4);
      await ask(() => this.module.instances_in(of, at, byTriangles ? 1 : 0, out, capacity, count));
      return this.memory.copy(Uint32Array, out, this.memory.view(Uint32Array, count, 1)[0]);
    });
  }

  async nearestInstances(body, point, count, maxDistance) {
    exactly(point, 3, 'point');
    const most = Math.min(indexOf(count, 'count'), await this.instanceCount(body.file));
    return this.withBodies([body], async (take, ask, of) => {
      const from = this.put(take, Float64Array, point);
      const written = take(4);
      const { at, pointers } = this.hitArrays(take, most);
      await ask(() => this.module.nearest_instances(of, from, maxDistance, most, pointers, written));
      return this.nearest(at, this.memory.view(Uint32Array, written, 1)[0]);
    });
  }

  overlap(body, region, limit) {
    const kind = Object.keys(REGIONS).find((name) => region?.[name]);
    if (!kind) refuse('a region is {box: [lo, hi]}, {ball: [x, y, z, radius]} or {planes: [...]}');
    const numbers = region[kind];
    if (kind === 'planes') numbersOf(numbers, 4, 'planes');
    else exactly(numbers, kind === 'box' ? 6 : 4, kind);
    return this.list(
      [body],
      (take, of) => {
        const at = this.put(take, Float64Array, numbers);
        return () => this.module.overlap(of, REGIONS[kind], at, numbers.length / 4, limit);
      },
      () => this.rows(4, hitColumns(0, '')),
    );
  }

  rayAll(body, ray, limit) {
    exactly(ray, 8, 'ray');
    return this.list(
      [body],
      (take, of) => {
        const at = this.put(take, Float64Array, ray);
        return () => this.module.ray_all(of, at, limit);
      },
      () => this.rayRows(),
    );
  }

  // ---- convex bodies ------------------------------------------------------------------------

  convex(take, shape) {
    const { kind, numbers, corners, placement } = shapeOf(shape);
    return [
      kind,
      this.put(take, Float64Array, [...numbers, ...corners]),
      corners.length / 3,
      placement ? this.put(take, Float64Array, placement) : 0,
    ];
  }

  convexCollide(body, shape) {
    return this.withBodies([body], async (take, ask, of) => {
      const convex = this.convex(take, shape);
      const hit = take(4);
      await ask(() => this.module.convex_collide(of, ...convex, hit));
      return this.memory.view(Int32Array, hit, 1)[0] !== 0;
    });
  }

  convexDistance(body, shape, limit) {
    return this.withBodies([body], async (take, ask, of) => {
      const convex = this.convex(take, shape);
      const out = take(DISTANCE_ROW * 8);
      await ask(() => this.module.convex_distance(of, ...convex, limit, out));
      const found = this.distanceRow(this.memory.copy(Float64Array, out, DISTANCE_ROW));
      return found && { ...found, b: null };
    });
  }

  // ---- clash --------------------------------------------------------------------------------

  // Bits of the numbers in a group, 32 a word; none: all.
  group(numbers, count, what) {
    if (numbers === undefined) return [];
    const bits = new Uint32Array(Math.ceil(count / 32) + 1);
    for (const number of numbers) {
      if (indexOf(number, what) >= count) refuse(`${what}: there is no number ${number}`);
      bits[number >> 5] |= 1 << number % 32;
    }
    return bits;
  }

  rules(take, rules, countA, countB) {
    const size = 48;
    const at = take(rules.length * size);
    for (const [i, rule] of rules.entries()) {
      const a = this.group(rule.a, countA, `rule ${i}, a`);
      const b = this.group(rule.b, countB, `rule ${i}, b`);
      const groups = this.put(take, Uint32Array, [...a, ...b]);
      const { clearance = NaN, touchGap = NaN, overlap = NaN } = rule;
      this.memory
        .view(Float64Array, at + i * size, 4)
        .set([rule.exclude ? 1 : 0, clearance, touchGap, overlap]);
      this.memory.view(Uint32Array, at + i * size + 32, 3).set([groups, a.length, b.length]);
    }
    return at;
  }

  zones(take, zones) {
    const rows = zones.flatMap((zone) => {
      const { kind, numbers, corners, placement } = shapeOf(zone);
      const placed = placement ?? new Array(12).fill(0);
      return [kind, corners.length / 3, placement ? 1 : 0, ...numbers, ...placed, ...corners];
    });
    return this.put(take, Float64Array, rows);
  }

  async clash(a, b, options, onPair) {
    const detail = DETAILS.indexOf(options.detail ?? 'distance');
    if (detail < 0) refuse(`detail is one of ${DETAILS.join(', ')}`);
    const { clearance = 0, touchGap = NaN, overlap = NaN, placement, rules = [], zones } = options;
    if (!Array.isArray(rules)) refuse('rules: expected an array');
    if (zones && !Array.isArray(zones)) refuse('zones: expected an array');
    if (zones && b !== null) refuse('a run has zones or another file, not both');
    const countA = await this.instanceCount(a);
    const countB = zones ? zones.length : b === null ? countA : await this.instanceCount(b);
    return this.query(b === null ? [a] : [a, b], async (take, ask) => {
      const reach = Math.max(clearance, ...rules.map((rule) => rule.clearance ?? 0));
      const asked = take(72);
      const pointers = [
        this.fileOf(a).handle,
        b === null ? 0 : this.fileOf(b).handle,
        placement ? this.put(take, Float64Array, exactly(placement, 12, 'placement')) : 0,
        this.rules(take, rules, countA, countB),
        zones ? this.zones(take, zones) : 0,
      ];
      this.memory
        .view(Uint32Array, asked, 8)
        .set([...pointers, rules.length, zones?.length ?? 0, detail]);
      this.memory
        .view(Float64Array, asked + 40, 4).set([clearance, touchGap, overlap, reach]);
      for (const id of b === null ? [a] : [a, b]) this.fileOf(id).source?.readWindows();
      const place = take((2 + COVERAGE) * 8 + 64);
      const coverage = take(COVERAGE * 8 + 64);
      await ask(
        () => {
          this.onRow = (row) => onPair(this.clashRow(row)) === true;
          const status = this.module.clash(asked, place, coverage);
          this.onRow = () => false;
          return status;
        },
        () => {
          const [first, given] = this.memory.view(Float64Array, place, 2);
          return first * 2 ** 32 + given;
        },
      );
      const counted = this.memory.copy(Float64Array, coverage, COVERAGE);
      return {
        boxPairs: counted[0],
        excluded: counted[1],
        verdicts: Object.fromEntries(VERDICTS.map((name, i) => [name, counted[2 + i]])),
      };
    });
  }

  clashRow(n) {
    const hit = (at) => ({ part: noneAsNull(n[at + 1]), triangle: n[at + 2], id: n[at + 3] });
    return {
      a: n[0],
      b: n[1],
      verdict: VERDICTS[n[2]],
      limits: { clearance: n[3], touchGap: n[4], overlap: n[5] },
      distance: n[6],
      lower: n[7],
      depth: n[8],
      depthUpper: n[9],
      pointA: n.slice(10, 13),
      pointB: n.slice(13, 16),
      hitA: hit(16),
      hitB: hit(20),
      trianglePairs: n[24],
      lo: n.slice(25, 28),
      hi: n.slice(28, 31),
      rule: n[31] < 0 ? null : n[31],
    };
  }
}

// The numbers of a convex body.
function shapeOf({ kind, size, radius, length, points, placement }) {
  const number = SHAPES[kind] ?? refuse(`a convex body is one of ${Object.keys(SHAPES).join(', ')}`);
  return {
    kind: number,
    numbers: [...exactly(size ?? [0, 0, 0], 3, 'size'), radius ?? 0, length ?? 0],
    corners: points ? [...numbersOf(points, 3, 'points')] : [],
    placement: placement && [...exactly(placement, 12, 'placement')],
  };
}

// Instance, part, triangle and id of a hit, with a letter behind the names.
function hitColumns(place, letter) {
  return {
    [`instance${letter}`]: [place, 1, Uint32Array],
    [`part${letter}`]: [place + 1, 1, Uint32Array],
    [`triangle${letter}`]: [place + 2, 1],
    [`id${letter}`]: [place + 3, 1],
  };
}

// What a page may call in a worker.
export const METHODS = [
  'open',
  'close',
  'info',
  'parts',
  'nodes',
  'properties',
  'colours',
  'provenance',
  'bind',
  'instances',
  'instanceTable',
  'colourTable',
  'nodeTable',
  'partTable',
  'nodePath',
  'nodeAt',
  'findNodes',
  'geometry',
  'triangles',
  'boxes',
  'rayFirst',
  'rayAny',
  'rayAll',
  'closest',
  'collide',
  'collideBatch',
  'distance',
  'distanceBatch',
  'within',
  'pairs',
  'overlap',
  'instancesIn',
  'nearestInstances',
  'convexCollide',
  'convexDistance',
  'clash',
];
