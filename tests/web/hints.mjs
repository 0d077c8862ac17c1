// SPDX-License-Identifier: MIT
// hints.mjs: what the module hints at is fetched beside what it waits for; a hint that fails is no
// error. Usage: node hints.mjs PACKAGE FILE
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const RAYS = 24, FLIGHTS_MOST = 5; // four hints, and what is asked for
const [, , folder, path] = process.argv;
const { open } = await import(pathToFileURL(`${folder}/index.mjs`));
const bytes = readFileSync(path);
const whole = await open(new Uint8Array(bytes));
const { lo, hi } = await whole.info();

// Nearly level, along rows of parts that it passes by.
function rayOf(k) {
  const [y, z] = [1, 2].map((a) => lo[a] + ((k * (a + 0.37)) % 1) * (hi[a] - lo[a]));
  return [lo[0] - 100, y, z, 1, 0.13 - 0.02 * k, 0.002 * k - 0.01, 0, Infinity];
}

// A first pick on a file that was never read, whose source takes `delay` ms; `refused`: offsets that
// fail at first.
async function pick(ray, delay, refused) {
  const log = { reads: [], trips: 0, beside: 0, most: 0, hints: [] };
  let flying = 0, tick = null;
  const read = async (offset, size) => {
    if (flying === 0) log.trips++;
    log.most = Math.max(log.most, ++flying);
    if (tick !== null) log.hints.push(tick); // of two at once the first is a hint
    tick = offset;
    setImmediate(() => (tick = null));
    log.beside += flying > 1;
    log.reads.push(offset);
    await new Promise((done) => setTimeout(done, delay));
    flying--;
    if (refused?.delete(offset)) throw new Error('not now');
    return new Uint8Array(bytes.subarray(offset, offset + size));
  };
  const file = await open({ size: bytes.length, read });
  log.hit = await file.rayFirst(ray);
  file.close();
  return log;
}

let beside = 0, trips = 0, reads = 0, failed = 0;
for (let k = 0; k < RAYS; k++) {
  const ray = rayOf(k);
  const log = await pick(ray, 2);
  assert.deepEqual(log.hit, await whole.rayFirst(ray));
  assert.ok(log.most <= FLIGHTS_MOST, `${log.most} requests at a time`);
  assert.equal(new Set(log.reads).size, log.reads.length, 'bytes were fetched twice');
  [beside, trips, reads] = [beside + log.beside, trips + log.trips, reads + log.reads.length];
  const refused = new Set(log.hints);
  failed += refused.size;
  const again = await pick(ray, 2, refused);
  assert.deepEqual(again.hit, log.hit);
}
console.log(`${RAYS} first picks: ${reads} requests, ${beside} of them beside others, ${trips} round trips; ` +
  `with ${failed} hints that fail the answers are the same`);
assert.ok(beside >= RAYS / 2, 'hints are not followed');
assert.ok(failed >= RAYS / 2, 'no hint failed');
process.exit(0);
