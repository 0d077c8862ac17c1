// SPDX-License-Identifier: MIT
// stream.mjs: triangles of parts on the GPU: those that are largest on the screen are fetched first,
// and what was seen longest ago goes when the room is full.
//
// A large part comes in pieces of consecutive triangles, not in order but spread over it; boxes of
// its hierarchy stand for it until then. Vertices are 16 bits a coordinate in the piece's box.

import {
  BufferAttribute,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  DynamicDrawUsage,
  Mesh,
  Vector3,
} from 'three';

const PIECE = 65536; // triangles
const IN_FLIGHT = 3;
const COARSE_LEVEL = 4;
const GOLDEN = 0.618034;

function forget() {
  this.array = null;
}

// The box of the vertices, and where they are in it; the fourth number is the run of colours.
function quantised(positions, runs) {
  const [lo, hi] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  for (let i = 0; i < positions.length; i++) {
    const k = i % 3;
    if (positions[i] < lo[k]) lo[k] = positions[i];
    if (positions[i] > hi[k]) hi[k] = positions[i];
  }
  const size = [0, 1, 2].map((k) => hi[k] - lo[k]);
  const count = positions.length / 3;
  const numbers = new Uint16Array(4 * count);
  for (let v = 0; v < count; v++)
    for (let k = 0; k < 3; k++)
      if (size[k] > 0) numbers[4 * v + k] = ((positions[3 * v + k] - lo[k]) / size[k]) * 65535 + 0.5;
  if (runs) for (let v = 0; v < count; v++) numbers[4 * v + 3] = runs[v];
  return { numbers, lo: new Vector3(...lo), size: new Vector3(...size) };
}

const CUBE = [0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5];

function boxesAsTriangles({ count, lo, hi }) {
  const positions = new Float32Array(24 * count);
  const indices = new Uint32Array(36 * count);
  for (let b = 0; b < count; b++) {
    for (let i = 0; i < 8; i++)
      for (let k = 0; k < 3; k++) positions[24 * b + 3 * i + k] = ((i >> k) & 1 ? hi : lo)[3 * b + k];
    CUBE.forEach((corner, i) => (indices[36 * b + i] = 8 * b + corner));
  }
  return { positions, indices };
}

// The order in which pieces come: each next one lies far from those before.
function spread(count) {
  return Array.from({ length: count }, (_, i) => [(i * GOLDEN) % 1, i])
    .sort(([a], [b]) => a - b)
    .map(([, i]) => i);
}

class Part {
  constructor(number, triangleCount, instanceCount) {
    this.number = number;
    this.toCome = spread(Math.ceil(triangleCount / PIECE));
    this.triangleCount = triangleCount;
    this.which = new InstancedBufferAttribute(new Uint32Array(instanceCount), 1);
    this.which.setUsage(DynamicDrawUsage);
    this.pieces = [];
    this.coarse = null; // boxes, of a part of several pieces
    this.bytes = 0;
    this.triangles = 0; // that are here
    this.seen = 0;
    this.isLoading = false;
  }

  mesh({ positions, indices, runs }) {
    const { numbers, lo, size } = quantised(positions, runs);
    const geometry = new InstancedBufferGeometry();
    const isShort = numbers.length / 4 < 65536;
    const index = new BufferAttribute(isShort ? Uint16Array.from(indices) : indices, 1);
    const position = new BufferAttribute(numbers, 4, true);
    this.bytes += index.array.byteLength + numbers.byteLength;
    index.onUpload(forget);
    position.onUpload(forget);
    geometry.setIndex(index);
    geometry.setAttribute('position', position);
    geometry.setAttribute('which', this.which);
    const mesh = new Mesh(geometry);
    mesh.frustumCulled = mesh.matrixAutoUpdate = mesh.matrixWorldAutoUpdate = false;
    mesh.onBeforeRender = (renderer, scene, camera, _, material) => setUniforms(material, lo, size);
    mesh.triangles = indices.length / 3;
    return mesh;
  }

  add(geometry) {
    const mesh = this.mesh(geometry);
    this.pieces.push(mesh);
    this.triangles += mesh.triangles;
  }

  get isLarge() {
    return this.coarse !== null;
  }

  // Whether so much is here that boxes would hide more than they show.
  get isMostlyHere() {
    return this.triangles * 2 > this.triangleCount;
  }

  drop() {
    for (const mesh of this.pieces) mesh.geometry.dispose();
    this.coarse?.geometry.dispose();
    this.coarse = null;
    this.pieces = [];
    this.bytes = this.triangles = 0;
  }
}

function setUniforms(material, lo, size) {
  material.uniforms.lo.value = lo;
  material.uniforms.size.value = size;
  material.uniformsNeedUpdate = true;
}

export class Stream {
  // onArrival(): there is more to see.
  constructor(model, onArrival, bytesMost = 104 << 20) {
    this.model = model;
    this.onArrival = onArrival;
    this.bytesMost = bytesMost;
    this.bytes = 0;
    this.parts = new Map();
    this.queue = [];
    this.inFlight = 0;
    this.turn = 0;
    this.failure = null;
    this.instanceCounts = new Uint32Array(model.info.partCount);
    this.firsts = new Map(); // part to where its runs of colours begin
  }

  // Parts with runs of colours; those that are here without come again.
  setRuns(runs) {
    for (const [number, { firsts }] of runs) {
      this.firsts.set(number, firsts);
      const part = this.parts.get(number);
      if (part) this.#forget(part);
    }
  }

  #forget(part) {
    this.bytes -= part.bytes;
    part.drop();
    this.parts.delete(part.number);
  }

  countInstances(parts) {
    for (const part of parts) this.instanceCounts[part]++;
  }

  // Its meshes, or none.
  part(number) {
    const part = this.parts.get(number);
    return part && (part.coarse || part.pieces.length > 0) ? part : null;
  }

  // weights: how large each part is on the screen, 0: not at all.
  want(weights) {
    this.turn++;
    const wanted = [];
    for (let number = 0; number < weights.length; number++) {
      if (!(weights[number] > 0)) continue;
      const part = this.parts.get(number);
      if (part) part.seen = this.turn;
      if (!part || (part.toCome.length > 0 && !part.isLoading)) wanted.push(number);
    }
    wanted.sort((a, b) => weights[b] - weights[a]);
    this.queue = wanted;
    this.weights = weights;
    this.#pump();
  }

  get isBusy() {
    return this.inFlight > 0 || this.queue.length > 0;
  }

  #pump() {
    while (this.inFlight < IN_FLIGHT && this.queue.length > 0) {
      const number = this.queue.shift();
      this.inFlight++;
      this.#load(number)
        .catch((error) => (this.failure ??= error))
        .finally(() => {
          this.inFlight--;
          this.#pump();
        });
    }
  }

  // Room for `more` bytes by dropping parts that are not wanted now.
  #makeRoom(more) {
    if (this.bytes + more <= this.bytesMost) return true;
    const idle = [...this.parts.values()].filter((part) => part.seen < this.turn && part.bytes > 0);
    idle.sort((a, b) => a.seen - b.seen);
    for (const part of idle) {
      if (this.bytes + more <= this.bytesMost) break;
      this.#forget(part);
    }
    return this.bytes + more <= this.bytesMost;
  }

  #grow(part, add) {
    const before = part.bytes;
    add();
    this.bytes += part.bytes - before;
    this.onArrival();
  }

  async #load(number) {
    const triangleCount = this.model.parts.triangleCount[number];
    if (!this.parts.has(number))
      this.parts.set(number, new Part(number, triangleCount, this.instanceCounts[number]));
    const part = this.parts.get(number);
    part.seen = this.turn;
    part.isLoading = true;
    try {
      if (part.toCome.length > 1 && !part.coarse) {
        const boxes = await this.model.file.boxes(COARSE_LEVEL, { part: number });
        this.#grow(part, () => (part.coarse = part.mesh(boxesAsTriangles(boxes))));
      }
      while (part.toCome.length > 0) {
        const first = part.toCome[0] * PIECE;
        const count = Math.min(PIECE, triangleCount - first);
        if (!this.#makeRoom(count * 12)) {
          this.isFull = true;
          break;
        }
        const firsts = this.firsts.get(number) ?? null;
        const geometry = await this.model.file.geometry(number, first, count, { firsts });
        if (this.parts.get(number) !== part) return; // it had to go meanwhile
        part.toCome.shift();
        this.#grow(part, () => part.add(geometry));
      }
    } finally {
      part.isLoading = false;
    }
  }
}
