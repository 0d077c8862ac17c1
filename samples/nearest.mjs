// SPDX-License-Identifier: MIT
// nearest.mjs: the package bvpack in node: what is in a file, what is nearest to a point, what
// touches. The file is read by pieces, those that the questions need.
// Usage: node nearest.mjs FILE.bvp [x y z]      (after: npm install bvpack)
import { open as openFile } from 'node:fs/promises';
import { open } from 'bvpack';

const [, , path, ...numbers] = process.argv;
if (!path) throw new Error('usage: node nearest.mjs FILE.bvp [x y z]');
const handle = await openFile(path);
const { size } = await handle.stat();
const read = async (offset, count) => {
  const bytes = new Uint8Array(count);
  const { bytesRead } = await handle.read(bytes, 0, count, offset);
  return bytes.subarray(0, bytesRead);
};
const file = await open({ size, read });
const info = await file.info();
console.log(`${info.instanceCount} instances of ${info.partCount} parts, ${info.triangleCount} triangles`);

// in batches a question costs least: three numbers a point
const point = numbers.length === 3 ? numbers.map(Number) : [0, 0, 0];
const { distance, instance, point: nearest } = await file.closest(point);
const { node } = (await file.instances(instance[0], 1))[0];
console.log(`${distance[0]} from ${point}: ${await file.nodePath(node)} at ${[...nearest]}`);

// pairs come one by one; true ends the run
let first = null;
await file.clash({ detail: 'verdicts' }, (pair) => {
  if (pair.verdict === 'penetrating') first = pair;
  return first !== null;
});
console.log(first ? `instances ${first.a} and ${first.b} penetrate` : 'nothing penetrates');
await file.close();
await handle.close();
