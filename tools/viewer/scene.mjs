// SPDX-License-Identifier: MIT
// scene.mjs: all instances as arrays and textures: where they stand, how large they are, how they
// are shown. Coordinates are relative to the model's origin, in floats: enough for a picture; picks
// and measures ask the file.

import {
  DataTexture,
  FloatType,
  NearestFilter,
  RedIntegerFormat,
  RGBAFormat,
  UnsignedByteType,
  UnsignedIntType,
} from 'three';
import { partColour, SELECTED } from './palette.mjs';

const ACROSS = 1024; // instances, or parts, in a row of a texture

const CRACKS_MOST = 0.01; // open edges a triangle of what counts as closed

export const SHOWN = 0;
export const HIDDEN = 1;
export const GHOST = 2; // hardly there
export const CLEAR = 3; // glass: what is in it is seen

function texture(Type, count, each, channels, format, type) {
  const height = Math.max(1, Math.ceil(count / ACROSS));
  const data = new Type(ACROSS * each * height * channels);
  const made = new DataTexture(data, ACROSS * each, height, format, type);
  made.minFilter = made.magFilter = NearestFilter;
  made.unpackAlignment = 1;
  if (format === RedIntegerFormat) made.internalFormat = 'R32UI';
  made.needsUpdate = true;
  return made;
}

// Of a texture that is written once: the GPU has it.
function forgetUploaded(texture) {
  texture.image.data = null;
}

export class Scene {
  constructor(model) {
    const count = model.info.instanceCount;
    this.model = model;
    this.count = count;
    this.placements = texture(Float32Array, count, 3, 4, RGBAFormat, FloatType);
    this.paints = texture(Uint8Array, count, 1, 4, RGBAFormat, UnsignedByteType);
    this.partNumbers = texture(Uint32Array, count, 1, 1, RedIntegerFormat, UnsignedIntType);
    // where an instance's colours begin among the swatches, 1: the first; 0: it has one colour
    this.swatchFirsts = texture(Uint32Array, 1, 1, 1, RedIntegerFormat, UnsignedIntType);
    this.swatches = texture(Uint8Array, 1, 1, 4, RGBAFormat, UnsignedByteType);
    this.ownSwatches = null; // as swatchFirsts, whatever is selected
    this.partBoxes = texture(Float32Array, model.info.partCount, 2, 4, RGBAFormat, FloatType);
    this.centres = new Float32Array(3 * count);
    this.radii = new Float32Array(count);
    this.state = new Uint8Array(count);
    this.selected = new Set();
    this.sides = new Map(); // instance to colour, of a clash
    this.marks = new Map(); // instance to colour, of the user's or a viewpoint
    this.showsMarks = false; // also of what is selected
    this.source = new Uint8Array(3 * count); // colours of the source
    this.hasSource = new Uint8Array(count);
  }

  takeParts() {
    const { box, triangleCount, openEdgeCount } = this.model.parts;
    this.isClosed = triangleCount.map((count, part) => openEdgeCount[part] <= count * CRACKS_MOST);
    const { data } = this.partBoxes.image;
    for (let part = 0; part < triangleCount.length; part++)
      for (let k = 0; k < 6; k++) data[8 * part + (k < 3 ? k : k + 1)] = box[6 * part + k];
    this.partBoxes.needsUpdate = true;
  }

  takeInstances(first, { part, placement }) {
    const { origin, parts } = this.model;
    const { data } = this.placements.image;
    const numbers = this.partNumbers.image.data;
    for (let i = 0; i < part.length; i++) {
      const at = first + i;
      const m = placement.subarray(12 * i, 12 * i + 12);
      for (let k = 0; k < 12; k++) data[12 * at + k] = k % 4 === 3 ? m[k] - origin[k >> 2] : m[k];
      numbers[at] = part[i];
      let scale = 0;
      let diagonal = 0;
      for (let k = 0; k < 3; k++) {
        const [lo, hi] = [parts.box[6 * part[i] + k], parts.box[6 * part[i] + k + 3]];
        diagonal += (hi - lo) ** 2;
        scale = Math.max(scale, Math.hypot(m[k], m[k + 4], m[k + 8]));
      }
      for (let r = 0; r < 3; r++) {
        let sum = m[4 * r + 3] - origin[r];
        for (let k = 0; k < 3; k++)
          sum += m[4 * r + k] * 0.5 * (parts.box[6 * part[i] + k] + parts.box[6 * part[i] + k + 3]);
        this.centres[3 * at + r] = sum;
      }
      this.radii[at] = 0.5 * Math.sqrt(diagonal) * scale;
      this.#paint(at);
    }
  }

  upload() {
    this.placements.onUpdate = forgetUploaded;
    for (const one of [this.placements, this.paints, this.partNumbers]) one.needsUpdate = true;
  }

  // ---- how instances are shown ----------------------------------------------------------------

  #paint(instance) {
    const colour = this.#givenColour(instance) ?? this.#ownColour(instance);
    this.paints.image.data.set(colour, 4 * instance);
    if (this.ownSwatches)
      this.swatchFirsts.image.data[instance] = this.#givenColour(instance) ? 0 : this.ownSwatches[instance];
    this.paints.image.data[4 * instance + 3] = this.isClosed[this.partNumbers.image.data[instance]] ? 255 : 0;
  }

  // What the page shows it in, undefined: as it is.
  #givenColour(instance) {
    const mark = this.marks.get(instance);
    const chosen = this.selected.has(instance) && !(mark && this.showsMarks) ? SELECTED : mark;
    return this.sides.get(instance) ?? chosen;
  }

  #ownColour(instance) {
    if (this.hasSource[instance]) return this.source.subarray(3 * instance, 3 * instance + 3);
    return partColour(this.partNumbers.image.data[instance]);
  }

  // runs: of parts whose triangles have several colours (colours.mjs).
  takeRuns(runs) {
    const places = new Map(); // of equal colours, once
    const all = [];
    this.ownSwatches = new Uint32Array(this.count);
    this.swatchFirsts = texture(Uint32Array, this.count, 1, 1, RedIntegerFormat, UnsignedIntType);
    for (const [part, { colours }] of runs)
      for (const [instance, of] of colours) {
        const filled = of.map((rgba) => rgba ?? [...partColour(part), 255]);
        const key = filled.join(' ');
        if (!places.has(key)) {
          places.set(key, all.length + 1);
          all.push(...filled);
        }
        this.ownSwatches[instance] = places.get(key);
        this.hasSource[instance] = 1;
        this.source.set(filled[0].slice(0, 3), 3 * instance); // of its cap and its box
        this.#paint(instance);
      }
    this.swatches = texture(Uint8Array, all.length, 1, 4, RGBAFormat, UnsignedByteType);
    all.forEach((rgba, i) => this.swatches.image.data.set(rgba, 4 * i));
    this.paints.needsUpdate = true;
  }

  // True: there are colours among them; those that have several are appended to `several`.
  takeColours(first, { rgba, runCount }, several) {
    let isAny = false;
    for (let i = 0; i < runCount.length; i++) {
      const [r, g, b, a] = rgba.subarray(4 * i, 4 * i + 4);
      if (runCount[i] > 1) several.push(first + i);
      if (runCount[i] === 0 || (r | g | b | a) === 0) continue;
      isAny = true;
      this.hasSource[first + i] = 1;
      this.source.set([r, g, b], 3 * (first + i));
      this.#paint(first + i);
    }
    if (isAny) this.paints.needsUpdate = true;
    return isAny;
  }

  repaint(instances) {
    for (const instance of instances) this.#paint(instance);
    this.paints.needsUpdate = true;
    if (this.ownSwatches) this.swatchFirsts.needsUpdate = true;
  }

  // Returns the instances whose colour has changed.
  select(instances) {
    const before = this.selected;
    this.showsMarks = false;
    this.selected = new Set(instances);
    const changed = [...before, ...this.selected];
    this.repaint(changed);
    return changed;
  }

  // list: [[instances, colour], ...], in place of those before; they are seen now, selected or not.
  setMarks(list) {
    const before = [...this.marks.keys()];
    this.marks = new Map();
    this.mark(list);
    this.repaint(before);
  }

  mark(list) {
    for (const [instances, colour] of list) for (const one of instances) this.marks.set(one, colour);
    this.showsMarks = true;
    this.repaint([...this.marks.keys(), ...this.selected]);
  }

  // [[colour, instances], ...] of what is not in its own colours, selected or not.
  colouring() {
    const found = new Map();
    for (const [instance, colour] of new Map([...this.marks, ...this.sides])) {
      const key = colour.join();
      if (!found.has(key)) found.set(key, [colour, []]);
      found.get(key)[1].push(instance);
    }
    return [...found.values()];
  }

  // sides: [[instances, colour], ...]
  setSides(sides) {
    const before = [...this.sides.keys()];
    this.sides = new Map(sides.flatMap(([instances, colour]) => instances.map((one) => [one, colour])));
    this.repaint([...before, ...this.sides.keys()]);
  }

  // What is not among the instances becomes `others`; they are shown.
  only(instances, others) {
    this.state.fill(others);
    for (const one of instances) this.state[one] = SHOWN;
  }

  set(instances, state) {
    for (const one of instances) this.state[one] = state;
  }

  get isAllShown() {
    return !this.state.some((one) => one !== SHOWN);
  }

  // For rays: a body of what is shown, and of nothing else. Null: nothing is.
  body() {
    const [shown, others] = [[], []];
    this.state.forEach((state, i) => (state === SHOWN ? shown : others).push(i));
    if (shown.length === 0) return null;
    if (others.length === 0) return {};
    return shown.length < others.length ? { only: shown } : { without: others };
  }
}
