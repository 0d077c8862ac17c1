// SPDX-License-Identifier: MIT
// hostile.mjs: the package in node: answers of a whole file, and of a source of ranges whose cache
// holds little; sources that break their word.
// Usage: node hostile.mjs PACKAGE FILE ANSWERS
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';
import { replay } from './replay.mjs';

const [, , folder, path, answersPath] = process.argv;
const { BvpackError, open } = await import(pathToFileURL(resolve(folder, 'index.mjs')));
const bytes = new Uint8Array(readFileSync(path));
const answers = readFileSync(answersPath);

// A source that reads later, never at once; `change` may alter what it gives.
function later(change = (part) => part) {
  const source = { size: bytes.length, reads: 0, most: 0 };
  source.read = async (offset, size) => {
    await new Promise((done) => setImmediate(done));
    source.reads++;
    source.most = Math.max(source.most, size);
    return change(bytes.slice(offset, offset + size), offset);
  };
  return source;
}

async function fails(work, status, words) {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof BvpackError, `${error.stack}`);
    assert.equal(error.status, status, error.message);
    assert.match(error.message, words);
    return true;
  });
}

// ---- answers
const whole = await open(bytes);
const compared = await replay(whole, answers);
assert.ok(compared > 5000, `${compared} numbers tell nothing`);
const source = later();
const ranged = await open(source);
assert.ok(source.reads <= 2, `opening read ${source.reads} times`);
const afterOpening = source.reads;
assert.equal(await replay(ranged, answers), compared);
assert.ok(source.reads > afterOpening);
assert.deepEqual(await ranged.info(), await whole.info());
assert.deepEqual(await ranged.parts(), await whole.parts());
assert.deepEqual(await ranged.provenance(), await whole.provenance());
assert.equal(typeof (await whole.provenance()), 'object');
const nodes = await whole.nodes();
for (const node of nodes.keys()) {
  const runs = await ranged.colours(node);
  const text = (await whole.properties(node)).bvpack_colours ?? '';
  const hex = (rgba) => rgba?.map((c) => c.toString(16).padStart(2, '0')).join('') ?? '-';
  assert.equal(runs.map(({ first, rgba }) => `${first}:${hex(rgba)}`).join(' '), text);
}
assert.deepEqual(await ranged.nodes(), await whole.nodes());
assert.deepEqual(await ranged.instances(), await whole.instances());
assert.deepEqual(await ranged.triangles(0, 5, 2000, { ids: true }), await whole.triangles(0, 5, 2000, { ids: true }));
await ranged.close();

// Questions at once take turns; a cache that holds little of the file gives the same answers.
const small = await open(later(), { cacheBytes: 1 << 20 });
const { lo, hi } = await small.info();
const points = Float64Array.from({ length: 3000 }, (_, i) => lo[i % 3] + ((hi[i % 3] - lo[i % 3]) * ((i * 37) % 101)) / 100);
const [one, two, three] = await Promise.all([small.closest(points), whole.closest(points), small.closest(points)]);
assert.deepEqual(one, two);
assert.deepEqual(three, two);
await small.close();

// a group of instances
const only = [0, 2];
const seen = await whole.closest(points, { only });
assert.ok(seen.instance.every((instance) => only.includes(instance)));
const unseen = await whole.closest(points, { without: only });
assert.ok(unseen.instance.every((instance) => !only.includes(instance)));

// ---- sources that break their word
const late = (work) => {
  let reads = 0;
  return later((part, offset) => (++reads > 2 ? work(part, offset) : part));
};
const ask = async (source) => (await open(source)).closest(points);
await fails(open(later((part) => part.slice(1))), 'system', /gave \d+ bytes of the \d+ at offset 0/);
await fails(open(later(() => undefined)), 'system', /gave no bytes/);
await fails(open(later(() => Promise.reject(new Error('out of reach')))), 'system', /out of reach/);
await fails(ask(late((part) => part.slice(0, 10))), 'system', /gave 10 bytes/);
await fails(ask(late(() => Promise.reject(new Error('cut off')))), 'system', /cut off/);
const flip = (part) => part.map((byte, i) => (i === part.length >> 1 ? byte ^ 1 : byte));
await fails(ask(late(flip)), 'corrupt', /block \d+ is not what its hash says/);
await fails(open(later((part, offset) => (offset > 0 ? flip(part) : part))), 'corrupt', /hash/);
// after a failure the same file answers once its bytes are right again
let broken = true;
let reads = 0;
const mended = await open(later((part) => (++reads > 2 && broken ? flip(part) : part)));
await fails(mended.closest(points), 'corrupt', /hash/);
broken = false;
assert.deepEqual(await mended.closest(points), two);
await mended.close();

// ---- damaged files, whole
const damaged = bytes.slice();
damaged[damaged.length >> 2] ^= 0x10;
damaged[(damaged.length >> 2) + 4096] ^= 0x10;
const file = await open(damaged);
await fails(file.closest(points), 'corrupt', /./);
await file.close();
await fails(open(new Uint8Array(5000)), 'not ours', /bvpack/);
await fails(open(bytes.slice(0, bytes.length - 100)), 'corrupt', /./);
await fails(open(new Uint8Array(0)), 'not ours', /./);
await fails(open(42), 'argument', /takes a URL/);

// ---- arguments
await fails(whole.rayFirst([1, 2, 3]), 'argument', /multiple of 8/);
await fails(whole.closest([NaN, 0, 0]), 'argument', /./);
await fails(whole.closest([0, 0, 0], { part: 1e6 }), 'argument', /./);
await fails(whole.closest([0, 0, 0], { only: [1e6] }), 'argument', /no such instance/);
await fails(whole.closest([0, 0, 0], { only, without: only }), 'argument', /not both/);
await fails(whole.collide(null, { placements: new Float64Array(12) }), 'argument', /two bodies/);
await fails(whole.overlap({}), 'argument', /region/);
await fails(whole.instancesIn([0, 0, 0]), 'argument', /6 numbers/);
await fails(whole.instancesIn([0, 0, 0, 1, 1, 1], { part: 0 }), 'argument', /./);
await fails(whole.nearestInstances([0, 0, 0], -1), 'argument', /count/);
await fails(whole.clash({ rules: {} }), 'argument', /array/);
await fails(whole.clash({ rules: [{ a: [1e6] }] }), 'argument', /rule 0, a: there is no number 1000000/);
await fails(whole.clash({ touchGap: -1 }), 'argument', /./);
await fails(whole.clash({ zones: [{ kind: 'cone' }] }), 'argument', /one of box/);
await fails(whole.clash({ zones: [{ kind: 'sphere', radius: NaN }] }), 'argument', /./);
await fails(whole.clash({ zones: [], other: whole }), 'argument', /not both/);
// what was asked before a file is closed is answered, what is asked then is not
const before = whole.closest(points);
const closing = whole.close();
const after = fails(whole.closest(points), 'argument', /closed/);
assert.deepEqual(await before, two);
await Promise.all([closing, after, whole.close()]);
await fails(whole.closest(points), 'argument', /closed/);

// ---- one that says that it is larger than all memory
const vast = { size: 2 ** 33, read: async (offset, size) => bytes.slice(offset, offset + size) };
await fails(open(vast), 'corrupt', /its header says/);
console.log(`${compared} numbers are the library's, ${source.reads} ranges read`);
