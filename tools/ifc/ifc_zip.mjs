// SPDX-License-Identifier: MIT
// ifc_zip.mjs: the IFC file in an archive (.ifczip).
// Spec: APPNOTE.TXT 6.3.3: end of central directory, its records, local headers; no zip64
import { inflateRawSync } from 'node:zlib';

const TAIL_MOST = 22 + 0xffff; // bytes of the last record and its comment
const [STORED, DEFLATED] = [0, 8];

export const isZip = (bytes) => bytes.length > 4 && bytes.readUInt32LE(0) === 0x04034b50;

// The first member whose name ends with .ifc, at most `most` bytes of it; null: there is none, or
// it is damaged.
export function unzip(bytes, most) {
  try {
    const tail = Math.max(0, bytes.length - TAIL_MOST);
    const last = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
    if (last < tail) return null;
    let at = bytes.readUInt32LE(last + 16);
    for (let left = bytes.readUInt16LE(last + 10); left > 0 && bytes.readUInt32LE(at) === 0x02014b50; left--) {
      const [method, packed, size] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 24)];
      const [name, extra, comment] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
      if (/\.ifc$/i.test(bytes.toString('latin1', at + 46, at + 46 + name))) {
        const head = bytes.readUInt32LE(at + 42);
        const begin = head + 30 + bytes.readUInt16LE(head + 26) + bytes.readUInt16LE(head + 28);
        const member = bytes.subarray(begin, begin + packed);
        const found = method === DEFLATED && size <= most ? inflateRawSync(member, { maxOutputLength: Math.max(1, size) }) : method === STORED ? Buffer.from(member) : null;
        return found?.length === size ? found : null;
      }
      at += 46 + name + extra + comment;
    }
  } catch {
    // it is damaged
  }
  return null;
}
