// SPDX-License-Identifier: MIT
// vast.mjs: a file that is longer than all addresses of the module, read from a disk by ranges.
// Usage: node vast.mjs PACKAGE FILE ANSWERS
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';
import { replay } from './replay.mjs';

const [, , folder, path, answers] = process.argv;
const { open } = await import(pathToFileURL(resolve(folder, 'index.mjs')));
const disk = await openFile(path);
const { size } = await disk.stat();
assert.ok(size > 2 ** 32, `${size} bytes fit`);
let bytesRead = 0;
const read = async (offset, count) => {
  bytesRead += count;
  return (await disk.read(new Uint8Array(count), 0, count, offset)).buffer;
};
const file = await open({ size, read });
const compared = await replay(file, readFileSync(answers));
assert.ok(bytesRead < 2 ** 24, `${bytesRead} bytes were read`);
// a second one, which is open at the same time
const other = await open({ size, read });
assert.deepEqual((await other.closest([0, 0, 0])).point, (await file.closest([0, 0, 0])).point);
await file.close();
await other.close();
await disk.close();
console.log(`${compared} numbers of a file of ${size} bytes are the library's, ${bytesRead} bytes read`);
