// SPDX-License-Identifier: MIT
// zip.mjs: archives as BCF files are: written without compression; read with stored and deflated
// members. No archive has more than 4 GiB.

const CRC = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});
const MEMBER_MOST = 64 << 20; // bytes of an unpacked member

function crcOf(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = CRC[(crc ^ byte) & 255] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

// Little-endian: [bytes, number], ...
function record(...fields) {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [size]) => sum + size, 0)));
  let at = 0;
  for (const [size, number] of fields) {
    if (size === 2) view.setUint16(at, number, true);
    else view.setUint32(at, number, true);
    at += size;
  }
  return new Uint8Array(view.buffer);
}

// members: [[name, Uint8Array], ...]
export function zip(members) {
  const [pieces, directory] = [[], []];
  let at = 0;
  for (const [name, bytes] of members) {
    const label = new TextEncoder().encode(name);
    const shared = [
      [2, 20], [2, 0x800], [2, 0], [2, 0], [2, 0x21], // version, UTF-8 names, stored, 1980-01-01
      [4, crcOf(bytes)], [4, bytes.length], [4, bytes.length], [2, label.length], [2, 0],
    ];
    const head = record([4, 0x04034b50], ...shared);
    directory.push(
      record([4, 0x02014b50], [2, 20], ...shared, [2, 0], [2, 0], [2, 0], [4, 0], [4, at]),
      label,
    );
    pieces.push(head, label, bytes);
    at += head.length + label.length + bytes.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const count = members.length;
  const end = record([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, at], [2, 0]);
  return new Blob([...pieces, ...directory, end], { type: 'application/zip' });
}

async function inflated(bytes, size) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const out = new Uint8Array(size);
  let at = 0;
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    if (at + value.length > size) throw new Error('a member is larger than the archive says');
    out.set(value, at);
    at += value.length;
  }
  return out.subarray(0, at);
}

// {name: () => Promise<Uint8Array>}
export function unzip(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0) throw new Error('this is no zip archive');
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  const members = new Map();
  for (let i = 0; i < count; i++) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== 0x02014b50)
      throw new Error('the archive is damaged');
    const [method, packed, size] = [view.getUint16(at + 10, true), view.getUint32(at + 20, true), view.getUint32(at + 24, true)];
    const [nameSize, extra, comment] = [28, 30, 32].map((k) => view.getUint16(at + k, true));
    const local = view.getUint32(at + 42, true);
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameSize));
    members.set(name, async () => {
      if (size > MEMBER_MOST) throw new Error(`${name} is larger than ${MEMBER_MOST} bytes`);
      if (local + 30 > bytes.length) throw new Error('the archive is damaged');
      const from = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
      const data = bytes.subarray(from, from + packed);
      if (method === 0) return data;
      if (method !== 8) throw new Error(`${name} is packed by a method that is not known`);
      return inflated(data, size);
    });
    at += 46 + nameSize + extra + comment;
  }
  return members;
}
