// SPDX-License-Identifier: MIT
// viewer_rows.mjs: when the viewer has its first picture, the instances, the tree and all that it
// draws, in milliseconds from the request on; and megabytes, each shared page counted in parts, of the
// page's process, its heap, and the GPU's process, which in a browser without a GPU holds the data once
// more. One line of CSV a file, and on the other stream which goals hold.
// Usage: node viewer_rows.mjs BROWSER PAGE FILE...
import { basename, resolve } from 'node:path';
import { Browser, serve } from './browser.mjs';

const FIRST_PICTURE_MS = 2000;
const MEMORY_MB = 400;

const [, , program, page, ...files] = process.argv;
const megabytes = (bytes) => Math.round(bytes / 1e6);

async function row(file) {
  const { url } = await serve({ '/viewer.html': resolve(page), '/model.bvp': resolve(file) });
  const browser = await Browser.start(program);
  await browser.goTo(`${url}/viewer.html?file=model.bvp`);
  const ended = `(document.querySelector('#welcome').hidden === false || document.body.dataset.state === 'whole')`;
  await browser.until(ended, 'a whole picture');
  const why = await browser.ask(`document.querySelector('#welcome').hidden ? '' : document.querySelector('#why').innerText`);
  if (why) throw new Error(`${file}: ${why}`);
  const mark = (name) => browser.ask(`Math.round(performance.getEntriesByName('${name}')[0].startTime)`);
  const times = [];
  for (const name of ['picture', 'instances', 'tree', 'whole']) times.push(await mark(name));
  const heap = await browser.ask('performance.memory.usedJSHeapSize');
  const { renderer, gpu } = browser.memory();
  browser.stop();
  return [...times, ...[renderer, heap, gpu, renderer + gpu].map(megabytes)];
}

console.log('file,picture_ms,instances_ms,tree_ms,whole_ms,page_mb,heap_mb,gpu_mb,page_and_gpu_mb');
for (const file of files) {
  const found = await row(file);
  console.log([basename(file), ...found].join());
  const goal = (matter, most, is) =>
    console.error(`${basename(file)}: ${matter} < ${most}: ${is}, ${is < most ? 'holds' : 'falls short'}`);
  goal('first picture, ms', FIRST_PICTURE_MS, found[0]);
  goal('page and GPU process, MB', MEMORY_MB, found.at(-1));
}
process.exit(0);
