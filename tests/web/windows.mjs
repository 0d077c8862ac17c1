// SPDX-License-Identifier: MIT
// windows.mjs: a clash run that misses much reads windows of its file, each once, and gives the pairs
// that it gives of all bytes; one ray reads none. Usage: node windows.mjs PACKAGE FILE
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const WINDOW = 1 << 20, SMALL_MOST = 8 + 8; // misses before the first window, and hints
const [, , folder, path] = process.argv;
const { open } = await import(pathToFileURL(`${folder}/index.mjs`));
const bytes = readFileSync(path);

async function pairsOf(file) {
  const rows = [];
  await file.clash({ clearance: 0.005, detail: 'verdicts' }, ({ a, b, verdict }) => void rows.push([a, b, verdict]));
  return rows;
}

function sourceOf(reads, failing = () => false) {
  const read = async (offset, size) => {
    reads.push({ offset, size });
    if (failing(size)) throw new Error('gone');
    return new Uint8Array(bytes.subarray(offset, offset + size));
  };
  return { size: bytes.length, read };
}

const wanted = await pairsOf(await open(new Uint8Array(bytes)));
const reads = [];
const file = await open(sourceOf(reads));
await file.rayFirst([0, 0, 1e3, 0, 0, -1, 0, Infinity]);
assert.ok(reads.every(({ size }) => size < WINDOW / 2), 'a ray reads a window');
reads.length = 0;
assert.deepEqual(await pairsOf(file), wanted);
const windows = reads.filter(({ size }) => size > WINDOW / 2).map(({ offset }) => offset);
assert.ok(windows.length > 0 && new Set(windows).size === windows.length, `windows: ${windows}`);
assert.ok(windows.every((offset) => offset % WINDOW === 0));
const small = reads.length - windows.length;
assert.ok(small <= SMALL_MOST, `${small} small reads`);
reads.length = 0;
assert.deepEqual(await pairsOf(file), wanted);
assert.equal(reads.length, 0, 'a second run reads again');

const other = await open(sourceOf([], (size) => size > WINDOW / 2));
await assert.rejects(pairsOf(other), ({ status, message }) => status === 'system' && /^bytes \d+ to \d+: gone$/.test(message));
console.log(`${wanted.length} pairs of ${bytes.length} bytes: ${windows.length} windows, ${small} other reads`);
process.exit(0);
