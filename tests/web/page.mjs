// SPDX-License-Identifier: MIT
// page.mjs: serves page.html to a browser without a window, and waits for what the page says.
// Usage: node page.mjs BROWSER PACKAGE FILE ANSWERS
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch } from './launch.mjs';

const WAIT_MS = Number(process.env.BVP_WAIT_MS ?? 120000);
const TYPES = { '.html': 'text/html', '.mjs': 'text/javascript', '.wasm': 'application/wasm' };
const [, , browser, folder, file, answers] = process.argv;
const here = dirname(fileURLToPath(import.meta.url));

function pathOf(name) {
  if (name === '/file.bvp') return file;
  if (name === '/answers') return answers;
  if (name.startsWith('/package/')) return join(folder, name.slice(9));
  return join(here, name);
}

let requests = 0;
function serve(request, response) {
  const { pathname, search } = new URL(request.url, 'http://localhost');
  let bytes;
  try {
    bytes = readFileSync(pathOf(pathname));
  } catch {
    response.writeHead(404).end();
    return;
  }
  const headers = { 'Content-Type': TYPES[extname(pathname)] ?? 'application/octet-stream' };
  headers.ETag = search === '?changes' ? `"${requests++}"` : '"1"';
  headers['Cache-Control'] = 'no-store'; // the browser would merge what it has kept
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  if (from === undefined || search === '?whole') {
    response.writeHead(200, headers).end(bytes);
    return;
  }
  const part = bytes.subarray(Number(from), Number(to) + 1);
  headers['Content-Range'] = `bytes ${from}-${Number(from) + part.length - 1}/${statSync(file).size}`;
  response.writeHead(206, headers).end(part);
}

const said = new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error(`the page said nothing in ${WAIT_MS / 1000} seconds`)), WAIT_MS).unref();
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return serve(request, response);
    let body = '';
    request.on('data', (data) => (body += data));
    request.on('end', () => {
      response.end();
      resolve(body);
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const url = `http://127.0.0.1:${server.address().port}/page.html`;
    const { child } = launch(browser, ['--disable-gpu', '--remote-debugging-port=0', url], 'ignore');
    child.on('error', reject);
  });
});
const text = await said;
console.log(text);
process.exit(text.endsWith('\npassed') ? 0 : 1);
