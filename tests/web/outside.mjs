// SPDX-License-Identifier: MIT
// outside.mjs: files over buffers: a GLB binds its own, and arrays as a renderer has them are bound
// by the caller; answers are those of the file with its vertices, and other arrays are refused.
// Usage: node outside.mjs PACKAGE PLAIN.bvp OVER.bvp OVER.glb
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';

const [, , folder, ...paths] = process.argv;
const { open } = await import(pathToFileURL(resolve(folder, 'index.mjs')));
const [plainBytes, overBytes, glb] = paths.map((path) => new Uint8Array(readFileSync(path)));
const ARRAYS = {
  5120: Int8Array,
  5121: Uint8Array,
  5122: Int16Array,
  5123: Uint16Array,
  5125: Uint32Array,
  5126: Float32Array,
};

// An accessor's array, with the stride in elements.
const view = new DataView(glb.buffer, glb.byteOffset);
const textSize = view.getUint32(12, true);
const asset = JSON.parse(new TextDecoder().decode(glb.subarray(20, 20 + textSize)));
function arrayOf(number) {
  const accessor = asset.accessors[number];
  const where = asset.bufferViews[accessor.bufferView];
  const Type = ARRAYS[accessor.componentType];
  const width = accessor.type === 'VEC3' ? 3 : 1;
  const stride = where.byteStride ? where.byteStride / Type.BYTES_PER_ELEMENT : width;
  const from = 20 + textSize + 8 + (where.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
  const count = (accessor.count - 1) * stride + width;
  const array = new Type(glb.slice(from, from + count * Type.BYTES_PER_ELEMENT).buffer);
  return { array, stride, normalized: Boolean(accessor.normalized) };
}
const buffersOf = (mesh) =>
  mesh.primitives.map(({ attributes, indices }) => {
    const { array, stride, normalized } = arrayOf(attributes.POSITION);
    return {
      positions: array,
      stride,
      normalized,
      indices: indices === undefined ? null : arrayOf(indices).array,
    };
  });

const plain = await open(plainBytes);
const { lo, hi } = await plain.info();
const middle = lo.map((x, axis) => (x + hi[axis]) / 2);
const rays = [];
for (let i = 0; i < 500; i++) {
  const from = middle.map((x, axis) => x + 2 * (hi[axis] - lo[axis] + 1) * Math.sin(i * (3 + axis)));
  rays.push(...from, ...middle.map((x, axis) => x + 0.2 * (hi[axis] - lo[axis]) * Math.cos(i * (7 + axis)) - from[axis]), 0, Infinity);
}
const points = rays.filter((_, i) => i % 8 < 3);
const expected = [await plain.rayFirst(rays), await plain.closest(points)];
assert.ok(expected[0].found.some((found) => found));
const check = async (file) => {
  assert.deepEqual(await file.rayFirst(rays), expected[0]);
  assert.deepEqual(await file.closest(points), expected[1]);
};

const whole = await open(glb);
await check(whole);
// From a source: nothing of the buffers when it is opened, and everything once.
let bytesRead = 0;
const slow = async (offset, size) => {
  await new Promise((resolve) => setTimeout(resolve, 1));
  bytesRead += size;
  return glb.slice(offset, offset + size);
};
const remote = await open({ size: glb.length, read: slow });
const opened = bytesRead;
await check(remote);
assert.ok(bytesRead > opened && bytesRead < glb.length + 65536, `${opened}, ${bytesRead} of ${glb.length}`);
await remote.close();
const changed = glb.slice();
changed[20 + textSize + 8 + (asset.bufferViews[asset.accessors[asset.meshes[0].primitives[0].attributes.POSITION].bufferView].byteOffset ?? 0) + 1] ^= 64;
const lying = await open({ size: glb.length, read: async (offset, size) => changed.slice(offset, offset + size) });
await assert.rejects(lying.rayFirst(rays), { status: 'corrupt' });
await lying.close();

const over = await open(overBytes);
await assert.rejects(over.rayFirst(rays), { status: 'argument' });
const parts = await over.parts();
for (const [number, { name }] of parts.entries()) {
  const mesh = asset.meshes.find((one) => one.name === name) ?? asset.meshes[number];
  const buffers = buffersOf(mesh);
  const [x] = buffers[0].positions;
  buffers[0].positions[0] += 1;
  await assert.rejects(over.bind(number, buffers), { status: 'corrupt' });
  buffers[0].positions[0] = x;
  await assert.rejects(over.bind(number, [...buffers, buffers[0]]), { status: 'argument' });
  await assert.rejects(over.bind(number, [{ positions: [1, 2, 3] }]), { status: 'argument' });
  await over.bind(number, buffers);
  await over.bind(number, buffers);
}
await check(over);
await assert.rejects(plain.bind(0, []), { status: 'argument' });
for (const file of [plain, whole, over]) await file.close();
