// SPDX-License-Identifier: MIT
// bytes.mjs: where a file's bytes come from: a URL, a Blob, or functions of the caller. Each
// becomes {size, read(offset, size): Promise<Uint8Array>, first?: Uint8Array}.

import { BvpackError } from './errors.mjs';

const FIRST = 4096 + 16384; // what opening reads first: the head, and the first block

const inBytes = (response) => response.arrayBuffer().then((buffer) => new Uint8Array(buffer));

async function request(url, from, to, init) {
  const headers = { ...init?.headers, Range: `bytes=${from}-${to - 1}` };
  const response = await fetch(url, { ...init, headers });
  if (!response.ok)
    throw new BvpackError('system', `${url}: ${response.status} ${response.statusText}`);
  return response;
}

// The size in "bytes 0-99/1234", or undefined.
function sizeIn(response) {
  const found = /\/(\d+)$/.exec(response.headers.get('Content-Range') ?? '');
  return found ? Number(found[1]) : undefined;
}

// A server that knows no ranges sends everything at once: then that is taken.
async function ofUrl(url, init) {
  const response = await request(url, 0, FIRST, init);
  const tag = response.headers.get('ETag');
  const first = await inBytes(response);
  if (response.status !== 206) return { whole: first };
  let size = sizeIn(response);
  if (size === undefined) {
    // a server on another origin may hide Content-Range, but not the length
    const head = await fetch(url, { ...init, method: 'HEAD' });
    size = Number(head.headers.get('Content-Length') ?? NaN);
  }
  if (!Number.isSafeInteger(size))
    throw new BvpackError('system', `${url}: the server does not tell the file's size`);
  const read = async (offset, count) => {
    const part = await request(url, offset, offset + count, init);
    if (part.status !== 206)
      throw new BvpackError('system', `${url}: the server does not send ranges any more`);
    if (part.headers.get('ETag') !== tag || (sizeIn(part) ?? size) !== size)
      throw new BvpackError('system', `${url}: the file has changed since it was opened`);
    return inBytes(part);
  };
  return { size, read, first };
}

function ofBlob(blob) {
  const read = async (offset, count) =>
    new Uint8Array(await blob.slice(offset, offset + count).arrayBuffer());
  return { size: blob.size, read };
}

// {whole: Uint8Array} when all bytes are there at once.
export async function bytesOf(from, options) {
  if (from instanceof ArrayBuffer) return { whole: new Uint8Array(from) };
  if (ArrayBuffer.isView(from))
    return { whole: new Uint8Array(from.buffer, from.byteOffset, from.byteLength) };
  if (typeof from === 'string' || from instanceof URL) return ofUrl(String(from), options?.fetch);
  if (typeof Blob !== 'undefined' && from instanceof Blob) return ofBlob(from);
  if (typeof from?.read === 'function' && Number.isSafeInteger(from.size) && from.size >= 0)
    return { size: from.size, read: (offset, count) => from.read(offset, count) };
  throw new BvpackError(
    'argument',
    'open() takes a URL, an ArrayBuffer, a typed array, a Blob, or {size, read(offset, size)}',
  );
}
