// SPDX-License-Identifier: MIT
// ifc_send.mjs: the importing process's side of tools/import/import_protocol.h, in JavaScript.
//
// Numbers are in the machine's byte order, which node runs on little-endian machines only. Frames
// have no hashes: START says so.
import { writeSync } from 'node:fs';

const DESCRIPTOR = 3;
const NONE = 0xffffffff; // IMPORT_NONE
const KIND = { start: 1, part: 2, positions: 3, indices: 4, node: 6, colours: 7, warning: 8, progress: 9, failure: 11, end: 12 };
const WRITE_MOST = 1 << 30;
const MESSAGE_MOST = 1 << 24; // IMPORT_MESSAGE_MAX

// Statuses of a failure: bvp_status.
export const LIMIT = 4;
export const CORRUPT = 3;
export const ARGUMENT = 7;
export const EXIT_NO_MEMORY = 3;

export const none = NONE;

function writeAll(bytes) {
  for (let at = 0; at < bytes.length; )
    at += writeSync(DESCRIPTOR, bytes, at, Math.min(bytes.length - at, WRITE_MOST));
}

// A message under way: numbers and texts, one after the other.
class Message {
  bytes = Buffer.alloc(1024);
  size = 0;
  room(more) {
    if (this.size + more <= this.bytes.length) return this.bytes;
    const larger = Buffer.alloc(2 * (this.size + more));
    this.bytes.copy(larger, 0, 0, this.size);
    return (this.bytes = larger);
  }
  u32(...numbers) {
    for (const n of numbers) this.size = this.room(4).writeUInt32LE(n, this.size);
    return this;
  }
  u64(...numbers) {
    for (const n of numbers) this.size = this.room(8).writeBigUInt64LE(BigInt(n), this.size);
    return this;
  }
  f64(...numbers) {
    for (const n of numbers) this.size = this.room(8).writeDoubleLE(n, this.size);
    return this;
  }
  // null: no text
  text(text) {
    if (text === null || text === undefined) return this.u32(NONE);
    const encoded = Buffer.from(text, 'utf8');
    this.u32(encoded.length);
    encoded.copy(this.room(encoded.length), this.size);
    this.size += encoded.length;
    return this;
  }
  taken() {
    const bytes = this.bytes.subarray(0, this.size);
    this.size = 0;
    return bytes;
  }
}

export class Sender {
  #sequence = 0;
  #message = new Message();
  #frame = Buffer.alloc(32);
  partCount = 0;
  nodeCount = 0;

  constructor(version) {
    const start = Buffer.from('bvpack\x1a\0\0\0\0\0\0\0\0\0', 'latin1');
    start.writeUInt32LE(version, 8);
    start.writeUInt32LE(1, 12);
    this.#send(KIND.start, start);
  }
  #send(kind, bytes) {
    this.#frame.writeUInt32LE(kind, 0);
    this.#frame.writeUInt32LE(this.#sequence++, 4);
    this.#frame.writeBigUInt64LE(BigInt(bytes.length), 8);
    writeAll(this.#frame);
    writeAll(bytes);
  }
  // positions: Float32Array or Float64Array; colours: text as bvpack_colours has it, or ''.
  part(name, positions, indices, colours) {
    const isFloat = positions instanceof Float32Array;
    this.#message.u64(positions.length / 3, indices.length / 3).u32(0, isFloat ? 1 : 0).text(name);
    this.#send(KIND.part, this.#message.taken());
    for (const [kind, array] of [[KIND.positions, positions], [KIND.indices, indices]])
      this.#send(kind, Buffer.from(array.buffer, array.byteOffset, array.byteLength));
    if (colours) this.#send(KIND.colours, this.#message.text(colours).taken());
    return this.partCount++;
  }
  // matrix: 12 numbers by rows; parent, part: numbers or none; properties: [[key, value], ...].
  // Those that a message has no room for are left out; returns how many.
  node({ matrix, parent, part, name, id, properties }) {
    const m = this.#message.f64(...matrix).u32(parent, part, 0, 0).text(name).text(id);
    let count = 0;
    for (const [key, value] of properties) {
      const before = m.size;
      m.text(key).text(value);
      if (m.size <= MESSAGE_MOST) count++;
      else m.size = before;
    }
    m.bytes.writeUInt32LE(count, 12 * 8 + 2 * 4);
    this.#send(KIND.node, m.taken());
    return { number: this.nodeCount++, left: properties.length - count };
  }
  warning(count, text) {
    if (count > 0) this.#send(KIND.warning, this.#message.u64(count).text(text).taken());
  }
  progress(done, total) {
    this.#send(KIND.progress, this.#message.u64(done, total).taken());
  }
  failure(status, text) {
    this.#send(KIND.failure, this.#message.u32(status).text(text).taken());
  }
  end(unitInMetres, format) {
    const z = 2;
    this.#message.f64(unitInMetres, 0).u32(z, this.partCount, this.nodeCount, 0).text(format);
    this.#send(KIND.end, this.#message.taken());
  }
}
