// SPDX-License-Identifier: MIT
// ifc_parts.mjs: pieces of elements as parts: one part for each element, shared by elements whose
// pieces are the same and stand the same to one another.
//
// A part lies in the frame of its first piece. The others are moved there in double precision, by
// R = inverse(first) * own. Of two elements that share everything these differ by rounding only,
// and the first one's stands for both: by at most 1e-9 of their size, a hundredth of what a
// float32 does, and a few units in the last place of where they stand.
import { createHash } from 'node:crypto';

const NEAR = 1e-9;
const ULPS = 64 * Number.EPSILON;
const CANDIDATES_MOST = 16; // of one hash that are compared

function inverseOf(m) {
  const [a, b, c, x, d, e, f, y, g, h, i, z] = m;
  const [A, B, C] = [e * i - f * h, c * h - b * i, b * f - c * e];
  const [D, E, F] = [f * g - d * i, a * i - c * g, c * d - a * f];
  const [G, H, I] = [d * h - e * g, b * g - a * h, a * e - b * d];
  const det = a * A + b * D + c * G;
  if (det === 0 || !Number.isFinite(1 / det)) return null;
  const n = [A, B, C, D, E, F, G, H, I].map((one) => one / det);
  const back = (k) => -(n[3 * k] * x + n[3 * k + 1] * y + n[3 * k + 2] * z);
  return [n[0], n[1], n[2], back(0), n[3], n[4], n[5], back(1), n[6], n[7], n[8], back(2)];
}

function product(a, b) {
  const out = [];
  for (let r = 0; r < 12; r += 4)
    for (let c = 0; c < 4; c++)
      out.push(a[r] * b[c] + a[r + 1] * b[4 + c] + a[r + 2] * b[8 + c] + (c === 3 ? a[r + 3] : 0));
  return out;
}

const sizeOf = (numbers) => numbers.reduce((most, one) => Math.max(most, Math.abs(one)), 0);

const byte = (strength) => Math.round(255 * Math.min(1, Math.max(0, strength || 0)));
const hex = (colour) => colour.map((one) => byte(one).toString(16).padStart(2, '0')).join('');

export class Parts {
  #sender;
  #byHash = new Map(); // -> [{ number, relatives, colours }]
  #isWhiteThere;

  // web-ifc says white where the file names no colour; isWhiteThere: may white be meant?
  constructor(sender, isWhiteThere) {
    this.#sender = sender;
    this.#isWhiteThere = isWhiteThere;
  }

  // { part, matrix, colours }; colours: '' unless they differ from the part's. null: the pieces
  // have no place.
  put(name, pieces) {
    const { matrix } = pieces[0];
    const back = inverseOf(matrix);
    if (!back) return null;
    const relatives = pieces.slice(1).map((piece) => product(back, piece.matrix));
    if (!relatives.flat().every(Number.isFinite)) return null;
    const hash = createHash('sha1');
    for (const { positions, indices } of pieces) {
      hash.update(`${positions.length} ${indices.length} `);
      for (const array of [positions, indices]) hash.update(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    }
    const key = hash.digest('latin1');
    const known = this.#byHash.get(key) ?? [];
    const colours = this.#coloursOf(pieces);
    const far = sizeOf([matrix[3], matrix[7], matrix[11]]);
    const found = known.find((one) => this.#isSame(one.relatives, relatives, pieces, far));
    if (found) return { part: found.number, matrix, colours: found.colours === colours ? '' : colours || '0:-' };
    const { positions, indices } = pieces.length === 1 ? pieces[0] : this.#join(pieces, relatives);
    const number = this.#sender.part(name, positions, indices, colours);
    if (known.length < CANDIDATES_MOST) this.#byHash.set(key, [...known, { number, relatives, colours }]);
    return { part: number, matrix, colours: '' };
  }
  #isSame(a, b, pieces, far) {
    return a.every((one, i) => {
      const size = sizeOf(pieces[i + 1].positions) + sizeOf([one[3], one[7], one[11]]);
      return one.every((value, k) => Math.abs(value - b[i][k]) <= (k % 4 === 3 ? NEAR * size + ULPS * far : NEAR));
    });
  }
  #join(pieces, relatives) {
    const count = (what) => pieces.reduce((sum, piece) => sum + piece[what].length, 0);
    const positions = new Float64Array(count('positions'));
    const indices = new Uint32Array(count('indices'));
    let [at, to] = [0, 0];
    pieces.forEach((piece, i) => {
      const [from, first] = [piece.positions, at / 3];
      const m = i > 0 ? relatives[i - 1] : [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
      for (let k = 0; k < from.length; k += 3)
        for (let r = 0; r < 12; r += 4)
          positions[at++] = m[r] * from[k] + m[r + 1] * from[k + 1] + m[r + 2] * from[k + 2] + m[r + 3];
      for (const index of piece.indices) indices[to++] = first + index;
    });
    return { positions, indices };
  }
  // As the property bvpack_colours has them (spec/format.md); '' for none.
  #coloursOf(pieces) {
    let [text, last, first, isKnown] = ['', null, 0, false];
    for (const { colour, indices } of pieces) {
      const isNamed = this.#isWhiteThere || colour.some((one) => one !== 1);
      const now = isNamed ? hex(colour) : '-';
      if (now !== last) text += `${text ? ' ' : ''}${first}:${now}`;
      isKnown ||= isNamed;
      last = now;
      first += indices.length / 3;
    }
    return isKnown ? text : '';
  }
}
