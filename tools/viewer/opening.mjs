// SPDX-License-Identifier: MIT
// opening.mjs: the module and its worker out of the page itself, and the files that the page was
// given or the user chooses.

import { bring, open } from 'bvpack';
import wasm from 'packed-wasm';
import workerText from 'worker-text';
import { Model } from './model.mjs';
import { $, Page, say, showTab } from './page.mjs';

const CACHE = 48 << 20; // bytes of the file that the worker keeps

export const opened = { page: null }; // of the file that is open

// ---- the module and its worker, from this page -------------------------------------------------------

async function bringModule() {
  const stream = new Blob([wasm]).stream().pipeThrough(new DecompressionStream('gzip'));
  const module = await WebAssembly.compile(await new Response(stream).arrayBuffer());
  const url = URL.createObjectURL(new Blob([workerText], { type: 'text/javascript' }));
  bring({ module, worker: () => new Worker(url) });
}

// ---- opening --------------------------------------------------------------------------------------

async function openModel(from, name) {
  if (opened.page) return void location.reload();
  performance.mark('open');
  document.title = name;
  $('#title').textContent = $('#title').title = name;
  $('#welcome').hidden = true;
  say('opening …');
  const file = await open(from, { cacheBytes: CACHE });
  const page = new Page(await Model.open(file, name), () => opened.onSection());
  opened.page = page;
  globalThis.bvpackPage = page; // for scripts of the page's host, and tests
  await page.read();
}

async function takeFile(file) {
  const name = file.name.toLowerCase();
  if (name.endsWith('.jsonl')) return takeReport(await file.text(), file.name);
  if (name.endsWith('.bcf') || name.endsWith('.bcfv') || name.endsWith('.bcfzip')) {
    if (!opened.page) throw new Error('open a .bvp file first');
    return opened.page.loadBcf(new Uint8Array(await file.arrayBuffer()), file.name);
  }
  return openModel(file, file.name);
}

function takeReport(text, name) {
  if (!opened.page) throw new Error('open a .bvp file first');
  opened.page.clashes.load(text, name);
  showTab('clashes');
}

// The model first: the others are about it.
export async function takeFiles(files) {
  const rank = ({ name }) => (/\.(jsonl|bcf|bcfv|bcfzip)$/i.test(name) ? 1 : 0);
  for (const file of [...files].sort((a, b) => rank(a) - rank(b))) await takeFile(file);
}

export function welcome(why) {
  $('#why').textContent = why;
  $('#welcome').hidden = false;
  say('');
}

export async function begin() {
  await bringModule();
  const asked = new URLSearchParams(location.search);
  const given = { ...JSON.parse($('#given').textContent || '{}') };
  for (const key of ['file', 'report']) if (asked.has(key)) given[key] = asked.get(key);
  if (!given.file) return welcome('');
  const name = decodeURIComponent(given.file.split('/').pop());
  if (location.protocol === 'file:')
    return welcome(`Browsers let a page that was opened from a folder read no file beside it. Choose ${name} yourself, or open this page through a server.`);
  await openModel(new URL(given.file, location.href), name);
  if (!given.report) return undefined;
  const response = await fetch(new URL(given.report, location.href));
  if (!response.ok) throw new Error(`${given.report}: ${response.status} ${response.statusText}`);
  return takeReport(await response.text(), decodeURIComponent(given.report.split('/').pop()));
}

