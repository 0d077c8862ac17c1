// SPDX-License-Identifier: MIT
// sample.mjs: samples/viewer.html draws a file, and a click in it names a part.
// Usage: node sample.mjs BROWSER PAGE WASM FILE   (WASM: bvpack/ and node_modules/three/)
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Browser, serve } from './browser.mjs';

const [, , program, ...given] = process.argv;
const [page, folder, file] = given.map((one) => resolve(one));
const files = { '/viewer.html': page, '/cell.bvp': file };
for (const name of readdirSync(join(folder, 'bvpack'))) files[`/bvpack/${name}`] = join(folder, 'bvpack', name);
for (const name of ['build/three.module.js', 'build/three.core.js', 'examples/jsm/controls/OrbitControls.js'])
  files[`/three/${name}`] = join(folder, 'node_modules/three', name);
const { url } = await serve(files);
const browser = await Browser.start(program);
await browser.goTo(`${url}/viewer.html?file=cell.bvp`);
await browser.until(`document.querySelector('output').textContent === 'click a part'`);
let name = '';
for (let y = 200; y < 640 && !name.includes('/'); y += 20)
  for (let x = 300; x < 1000 && !name.includes('/'); x += 50) {
    await browser.ask(`document.querySelector('output').textContent = ''`);
    await browser.clickAt(x, y);
    name = await browser.until(`document.querySelector('output').textContent`);
  }
assert.match(name, /^copy_\d_\d\/\w+, triangle \d+$/);
assert.deepEqual(browser.said, []);
console.log(`samples/viewer.html: ${name}`);
process.exit(0);
