// SPDX-License-Identifier: MIT
// browser.mjs: a Chromium without a window that a test drives: it opens pages, clicks, types, looks;
// and a server of files that knows ranges.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { launch } from './launch.mjs';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' };
const WAIT_MS = Number(process.env.BVP_WAIT_MS ?? 60000);

// files: names of requests, such as "/a.bvp", to paths. Returns {url, requests}.
export function serve(files) {
  const requests = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const path = files[decodeURIComponent(pathname)];
    if (!path) return void response.writeHead(404).end();
    const { size } = await stat(path);
    const headers = { 'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream', 'Cache-Control': 'no-store', ETag: `"${size}"` };
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    requests.push({ pathname, range: from === undefined ? null : [Number(from), Number(to)] });
    const first = Number(from ?? 0);
    const last = Math.min(Number(to ?? size - 1), size - 1);
    const handle = await open(path);
    const bytes = new Uint8Array(last - first + 1);
    await handle.read(bytes, 0, bytes.length, first);
    await handle.close();
    if (from !== undefined) headers['Content-Range'] = `bytes ${first}-${last}/${size}`;
    response.writeHead(from === undefined ? 200 : 206, headers).end(bytes);
  });
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve({ url: `http://127.0.0.1:${server.address().port}`, requests })),
  );
}

const KEYS = { Escape: 27, Enter: 13, ArrowDown: 40, ArrowUp: 38, ArrowLeft: 37, ArrowRight: 39, ' ': 32 };

export class Browser {
  static async start(program, { width = 1280, height = 800 } = {}) {
    const made = new Browser();
    made.size = { width, height };
    made.running = launch(
      program,
      [
        '--remote-debugging-pipe',
        '--use-angle=swiftshader',
        '--enable-unsafe-swiftshader',
        '--enable-precise-memory-info',
        '--hide-scrollbars',
        `--window-size=${width},${height}`,
        'about:blank',
      ],
      ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    );
    made.child = made.running.child;
    made.calls = new Map();
    made.next = 1;
    made.said = [];
    made.listen();
    const { targetInfos } = await made.call('Target.getTargets');
    const { targetId } = targetInfos.find(({ type }) => type === 'page');
    made.session = (await made.call('Target.attachToTarget', { targetId, flatten: true })).sessionId;
    for (const domain of ['Page', 'Runtime']) await made.call(`${domain}.enable`);
    await made.call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    return made;
  }

  stop() {
    this.running.stop();
  }

  listen() {
    let text = '';
    this.child.stdio[4].on('data', (data) => {
      text += data;
      const messages = text.split('\0');
      text = messages.pop();
      for (const message of messages) this.take(JSON.parse(message));
    });
  }

  take({ id, result, error, method, params }) {
    if (method === 'Runtime.exceptionThrown')
      this.said.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === 'Runtime.consoleAPICalled' && ['error', 'warning'].includes(params.type))
      this.said.push(params.args.map(({ value, description }) => value ?? description).join(' '));
    const call = this.calls.get(id);
    if (!call) return;
    this.calls.delete(id);
    if (error) call.reject(new Error(`${call.method}: ${error.message}`));
    else call.resolve(result);
  }

  call(method, params = {}) {
    return new Promise((resolve, reject) => {
      const id = this.next++;
      this.calls.set(id, { resolve, reject, method });
      this.child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId: this.session })}\0`);
    });
  }

  async goTo(url) {
    await this.call('Page.navigate', { url });
  }

  // What an expression of the page is; promises are waited for.
  async ask(expression) {
    const { result, exceptionDetails } = await this.call('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  async until(expression, what = expression) {
    const end = Date.now() + WAIT_MS;
    for (;;) {
      const value = await this.ask(`(() => { try { return ${expression}; } catch { return false; } })()`);
      if (value) return value;
      if (Date.now() > end) throw new Error(`waited in vain: ${what}\n${this.said.join('\n')}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  // What a person would point at: the middle of the element, or a place in it, 0 to 1.
  async placeOf(selector, at = [0.5, 0.5]) {
    return this.until(
      `(() => { const one = document.querySelector(${JSON.stringify(selector)});
        const { left, top, width, height } = one.getBoundingClientRect();
        return width > 0 ? [left + ${at[0]} * width, top + ${at[1]} * height] : null; })()`,
      selector,
    );
  }

  async mouse(type, x, y, more = {}) {
    await this.call('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1, ...more });
  }

  async clickAt(x, y, clickCount = 1) {
    await this.mouse('mouseMoved', x, y, { button: 'none' });
    for (let i = 1; i <= clickCount; i++) {
      await this.mouse('mousePressed', x, y, { clickCount: i });
      await this.mouse('mouseReleased', x, y, { clickCount: i });
    }
  }

  async click(selector, at) {
    await this.clickAt(...(await this.placeOf(selector, at)));
  }

  async drag(x, y, toX, toY) {
    await this.mouse('mousePressed', x, y);
    for (let i = 1; i <= 8; i++)
      await this.mouse('mouseMoved', x + ((toX - x) * i) / 8, y + ((toY - y) * i) / 8, { buttons: 1 });
    await this.mouse('mouseReleased', toX, toY);
  }

  async press(key) {
    const more = key.length === 1 ? { text: key } : {};
    const windowsVirtualKeyCode = KEYS[key] ?? key.toUpperCase().charCodeAt(0);
    await this.call('Input.dispatchKeyEvent', { type: 'keyDown', key, windowsVirtualKeyCode, ...more });
    await this.call('Input.dispatchKeyEvent', { type: 'keyUp', key, windowsVirtualKeyCode });
  }

  async type(text) {
    await this.call('Input.insertText', { text });
  }

  async choose(selector, files) {
    const { result } = await this.call('Runtime.evaluate', {
      expression: `document.querySelector(${JSON.stringify(selector)})`,
    });
    await this.call('DOM.setFileInputFiles', { files, objectId: result.objectId });
  }

  async picture(path) {
    const { data } = await this.call('Page.captureScreenshot', { format: 'png' });
    writeFileSync(path, Buffer.from(data, 'base64'));
  }

  // Milliseconds of processor time of the page's process so far, in steps of 10.
  pageTime() {
    let most = 0;
    for (const pid of readdirSync('/proc').filter((one) => /^\d+$/.test(one)))
      try {
        const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
        if (Number(fields[2]) === this.child.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer'))
          most = Math.max(most, 10 * (Number(fields[11]) + Number(fields[12])));
      } catch {
        continue; // it has ended
      }
    return most;
  }

  // Bytes in RAM of the page's process, of the GPU's and of all of the browser's; a page that n
  // processes share counts as an nth of it in each.
  memory() {
    const sizes = { renderer: 0, gpu: 0, all: 0 };
    const below = new Set([this.child.pid]);
    const processes = readdirSync('/proc').filter((one) => /^\d+$/.test(one)).map(Number);
    for (const pid of processes.sort((a, b) => a - b)) {
      let status, words, sums;
      try {
        status = readFileSync(`/proc/${pid}/status`, 'utf8');
        words = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        sums = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
      } catch {
        continue;
      }
      const number = (text, name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
      if (!below.has(pid) && !below.has(number(status, 'PPid'))) continue;
      below.add(pid);
      const size = number(sums, 'Pss') * 1024;
      sizes.all += size;
      if (words.includes('--type=renderer')) sizes.renderer = Math.max(sizes.renderer, size);
      if (words.includes('--type=gpu-process')) sizes.gpu += size;
    }
    return sizes;
  }
}
