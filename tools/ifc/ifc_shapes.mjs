// SPDX-License-Identifier: MIT
// ifc_shapes.mjs: the shapes of elements, as web-ifc makes them: triangles with a placement.
//
// web-ifc turns y up and scales to metres. A transformation that undoes both, exactly, goes in
// before it multiplies anything, so that placements come out as the file has them. It centres each
// mesh before it rounds it to float32: kilometres stay in the placements.
import { createRequire } from 'node:module';
import { bodiesOf } from './ifc_bodies.mjs';

const PROBE = 64 << 20; // bytes; there is no memory where these are not
const REOPENED_MOST = 32; // times that the module is started anew after it broke

// 1 / n such that the product with n is 1, if any double is.
function inverseOf(n) {
  const first = 1 / n;
  const step = first * Number.EPSILON;
  return [first, first - step / 2, first + step / 2, first - step, first + step].find((one) => one * n === 1) ?? first;
}

// What web-ifc says of values that may be left out, and of colours.
const HARMLESS = /GetRefArgument|GetOptionalRefArgument|GetColor/;

// A matrix by columns, as web-ifc has them, as 12 numbers by rows.
const rowsOf = (m) => [m[0], m[4], m[8], m[12], m[1], m[5], m[9], m[13], m[2], m[6], m[10], m[14]];

export class NoMemory extends Error {}

// Is it the end of memory? Exceptions of C++ have no words, so it is tried out; too deep a
// recursion is a RangeError, too.
function isNoMemory(error) {
  const text = String(error?.message ?? '');
  if (/memory access|call stack/i.test(text)) return false;
  if (/memory|allocat|array (buffer|length)|OOM/i.test(text)) return true;
  try {
    return new Uint8Array(PROBE).length !== PROBE;
  } catch {
    return true;
  }
}

export class Shapes {
  #library;
  #bytes;
  #file;
  #settings;
  #undo; // what web-ifc does to coordinates, undone
  #api;
  #model;
  #reopened = 0;
  version = '';
  said = []; // what web-ifc complained of in the last read, without numbers of statements

  constructor(path, bytes, file, factor, segments) {
    this.#library = createRequire(import.meta.url)(path);
    this.#bytes = bytes;
    this.#file = file;
    this.#settings = { COORDINATE_TO_ORIGIN: false, CIRCLE_SEGMENTS: segments };
    const s = inverseOf(factor);
    console.log = console.error = (text) => this.#hear(String(text));
    this.#undo = [s, 0, 0, 0, 0, 0, s, 0, 0, -s, 0, 0, 0, 0, 0, 1];
  }
  #hear(text) {
    const [, complaint] = /^\[WEB-IFC\]\[error\](.*)/.exec(text) ?? [];
    if (!complaint || HARMLESS.test(complaint)) return;
    const kind = complaint.replace(/^\[.*?\)?\]|\(type \d+\)|[\d#]+/g, '').replace(/\s+/g, ' ').trim().slice(0, 80);
    if (!this.said.includes(kind)) this.said.push(kind);
  }
  // false: web-ifc can't read it
  async open() {
    this.#api = new this.#library.IfcAPI();
    try {
      await this.#api.Init(undefined, true);
    } catch {
      throw new NoMemory(); // it has not seen the model yet
    }
    try {
      this.#api.SetLogLevel(this.#library.LogLevel.LOG_LEVEL_ERROR);
      this.version = this.#api.GetVersion();
      this.#model = this.#api.OpenModel(this.#bytes, this.#settings);
      if (this.#model < 0) return false;
      this.#api.SetGeometryTransformation(this.#model, this.#undo);
    } catch (error) {
      if (isNoMemory(error)) throw new NoMemory();
      return false;
    }
    return true;
  }
  // "IfcWall" of IFCWALL
  className(type) {
    const name = this.#api.GetNameFromTypeCode(this.#api.GetTypeCodeFromName(type));
    return name && name.toUpperCase() === type ? name : type;
  }
  isProduct(type) {
    return this.#api.IsIfcElement(this.#api.GetTypeCodeFromName(type));
  }
  hasBody(id) {
    return bodiesOf(this.#file, this.#file.argumentsOf(id)[6]?.ref).length > 0;
  }
  // The pieces of an element, [{ positions: Float32Array, indices: Uint32Array, matrix, colour }];
  // null: web-ifc failed on it.
  async read(id) {
    const pieces = [];
    this.said = [];
    try {
      this.#api.StreamMeshes(this.#model, [id], (mesh) => {
        for (let i = 0; i < mesh.geometries.size(); i++) {
          const piece = this.#pieceOf(mesh.geometries.get(i));
          if (piece) pieces.push(piece);
        }
      });
    } catch (error) {
      if (isNoMemory(error)) throw new NoMemory();
      // What it left behind is in no known state.
      if (++this.#reopened > REOPENED_MOST || !(await this.open())) throw new Error('it fails again and again');
      return null;
    }
    const isSound = pieces.every(({ positions, matrix }) => positions.every(Number.isFinite) && matrix.every(Number.isFinite));
    return isSound ? pieces : null;
  }
  #pieceOf({ geometryExpressID, flatTransformation, color }) {
    const geometry = this.#api.GetGeometry(this.#model, geometryExpressID);
    const [vertexCount, indexCount] = [geometry.GetVertexDataSize() / 6, geometry.GetIndexDataSize()];
    let piece = null;
    if (indexCount >= 3 && vertexCount >= 3) {
      const vertices = this.#api.GetVertexArray(geometry.GetVertexData(), 6 * vertexCount);
      const indices = this.#api.GetIndexArray(geometry.GetIndexData(), indexCount).slice(0, indexCount - (indexCount % 3));
      const positions = new Float32Array(3 * vertexCount);
      for (let i = 0; i < vertexCount; i++) // a normal follows each
        for (let k = 0; k < 3; k++) positions[3 * i + k] = vertices[6 * i + k];
      const colour = [color.x, color.y, color.z, color.w];
      if (indices.every((index) => index < vertexCount))
        piece = { positions, indices, matrix: rowsOf(flatTransformation), colour };
    }
    geometry.delete();
    return piece;
  }
}
