// SPDX-License-Identifier: MIT
// report.mjs: the 3D view of a report's page: a pair in the colours of its sides, and, asked for, of
// its source. Usage: node report.mjs BROWSER REPORT.html
// The report's first pair: bodies that are red and green in the source.
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Browser } from './browser.mjs';

const [, , program, page] = process.argv;
const browser = await Browser.start(program);
await browser.goTo(pathToFileURL(resolve(page)).href);
await browser.click('#pairs tbody tr');
// the first line is the title: it shows the pair below it, the worst
assert.ok(await browser.ask(`!document.querySelector('#pairs tbody tr').dataset.id`));
assert.equal(await browser.ask(`document.querySelector('#detail').dataset.id`),
             await browser.ask(`document.querySelector('#pairs tbody tr[data-id]').dataset.id`));
const count = (test) =>
  browser.ask(`(() => { const from = document.querySelector('#stage canvas');
    const two = new OffscreenCanvas(from.width, from.height).getContext('2d');
    two.drawImage(from, 0, 0);
    const { data } = two.getImageData(0, 0, from.width, from.height);
    let found = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 0 && (${test})(...data.subarray(i, i + 3))) found++;
    return found; })()`);
const kinds = {
  red: '(r, g, b) => r > 1.15 * b && r > g', // also as seen through glass
  green: '(r, g, b) => g > 2 * r && g > 2 * b',
  blue: '(r, g, b) => b > 1.3 * g && b > 1.6 * r',
};
const look = async () => {
  const found = {};
  for (const [name, test] of Object.entries(kinds)) found[name] = await count(test);
  return found;
};
await browser.until(`document.querySelector('#source')`, 'a button for colours of the source');
const sides = await look();
assert.ok(sides.blue > 500 && sides.green < 50, `the sides: ${JSON.stringify(sides)}`);
await browser.click('#source');
const own = await look();
assert.ok(own.red > 500 && own.green > 500 && own.blue < 50, `the source: ${JSON.stringify(own)}`);
assert.equal(await browser.ask(`document.querySelector('#source').getAttribute('aria-pressed')`), 'true');
await browser.click('#source');
assert.deepEqual(await look(), sides);
assert.deepEqual(browser.said, []);
console.log('the report: colours of sides and of the source');
process.exit(0);
