// SPDX-License-Identifier: MIT
// model.mjs: an opened file as the page needs it: tables of instances, nodes and parts, names on
// request, and what lies below a node.

const AT_ONCE = 32768;
export const NONE = 0xffffffff;
const LABELS_KEPT = 20000;

const grown = (old, Type, size) => (old?.length === size ? old : new Type(size));

export class Model {
  constructor(file, info, name) {
    this.file = file;
    this.info = info;
    this.name = name;
    this.labels = new Map(); // node to a promise of its record
    const middle = [0, 1, 2].map((k) => 0.5 * info.lo[k] + 0.5 * info.hi[k]);
    this.origin = middle.every(Number.isFinite) ? middle : [0, 0, 0];
    this.size = Math.hypot(...[0, 1, 2].map((k) => info.hi[k] - info.lo[k])) || 1;
    this.instanceNode = new Uint32Array(info.instanceCount);
    this.instancePart = new Uint32Array(info.instanceCount);
    this.nodeParent = this.nodeEnd = this.nodeInstance = grown(null, Uint32Array, 0);
  }

  static async open(file, name) {
    return new Model(file, await file.info(), name);
  }

  // take(first, table): the placements, which are not kept here.
  async readInstances(take) {
    const { instanceCount } = this.info;
    let next = this.file.instanceTable(0, Math.min(AT_ONCE, instanceCount));
    for (let first = 0; first < instanceCount; first += AT_ONCE) {
      const table = await next;
      const from = first + AT_ONCE;
      if (from < instanceCount)
        next = this.file.instanceTable(from, Math.min(AT_ONCE, instanceCount - from));
      this.instanceNode.set(table.node, first);
      this.instancePart.set(table.part, first);
      take(first, table);
    }
  }

  // Base colours of the source, of each instance: its first.
  async readColours(take) {
    const { instanceCount } = this.info;
    for (let first = 0; first < instanceCount; first += AT_ONCE)
      take(first, await this.file.colourTable(first, Math.min(AT_ONCE, instanceCount - first)));
  }

  async readParts() {
    this.parts = await this.file.partTable();
  }

  async readNodes() {
    const { nodeCount } = this.info;
    const [parent, end, instance] = [0, 1, 2].map(() => new Uint32Array(nodeCount));
    for (let first = 0; first < nodeCount; first += AT_ONCE) {
      const table = await this.file.nodeTable(first, Math.min(AT_ONCE, nodeCount - first));
      parent.set(table.parent, first);
      end.set(table.end, first);
      instance.set(table.instance, first);
    }
    // a damaged file cannot make a walk endless: parents come before, ends after
    for (let node = 0; node < nodeCount; node++) {
      if (parent[node] >= node) parent[node] = NONE;
      end[node] = Math.min(Math.max(end[node], node + 1), nodeCount);
    }
    [this.nodeParent, this.nodeEnd, this.nodeInstance] = [parent, end, instance];
  }

  get hasNodes() {
    return this.nodeEnd.length > 0;
  }

  children(node) {
    const found = [];
    for (let child = node + 1; child < this.nodeEnd[node]; child = this.nodeEnd[child]) found.push(child);
    return found;
  }

  roots() {
    const found = [];
    for (let node = 0; node < this.nodeEnd.length; node = this.nodeEnd[node]) found.push(node);
    return found;
  }

  ancestors(node) {
    const found = [];
    for (let up = this.nodeParent[node]; up !== NONE; up = this.nodeParent[up]) found.unshift(up);
    return found;
  }

  // Instances below a node, and at it.
  instancesOf(node) {
    const found = [];
    if (node >= this.nodeEnd.length) return found;
    for (let below = node; below < this.nodeEnd[node]; below++)
      if (this.nodeInstance[below] !== NONE) found.push(this.nodeInstance[below]);
    return found;
  }

  // {label, part, sourceId, ...}: the node's record, with the name that it is shown by.
  record(node) {
    let known = this.labels.get(node);
    if (!known) {
      if (this.labels.size >= LABELS_KEPT) this.labels.clear();
      known = this.#read(node);
      known.catch(() => this.labels.delete(node));
      this.labels.set(node, known);
    }
    return known;
  }

  async #read(node) {
    const [record] = await this.file.nodes(node, 1);
    let label = record.name;
    if (!label && record.part !== null) label = (await this.part(record.part)).name;
    return { ...record, label: label || 'unnamed' };
  }

  part(number) {
    this.partRecords ??= new Map();
    if (!this.partRecords.has(number)) {
      if (this.partRecords.size >= LABELS_KEPT) this.partRecords.clear();
      this.partRecords.set(number, this.file.parts(number, 1).then(([part]) => part));
    }
    return this.partRecords.get(number);
  }

  // The corners of an instance's box, in the world.
  async cornersOf(instance) {
    const [{ placement: m, part }] = await this.file.instances(instance, 1);
    const box = this.parts.box.subarray(6 * part, 6 * part + 6);
    return Array.from({ length: 8 }, (_, i) => {
      const p = [0, 1, 2].map((k) => box[k + (i >> k & 1) * 3]);
      return [0, 1, 2].map((r) => m[4 * r] * p[0] + m[4 * r + 1] * p[1] + m[4 * r + 2] * p[2] + m[4 * r + 3]);
    });
  }

  // Lengths of the file's with their unit, which is one for all.
  lengths(values, precision = 7) {
    const { unitInMetres } = this.info;
    const digits = (x) => Number(x.toPrecision(precision)).toString();
    if (!(unitInMetres > 0)) return values.map(digits);
    const most = Math.max(...values.map(Math.abs)) * unitInMetres;
    const [scale, unit] = most < 1 ? [1000, 'mm'] : [1, 'm'];
    return values.map((value) => `${digits(value * unitInMetres * scale)} ${unit}`);
  }

  length(value, precision) {
    return this.lengths([value], precision)[0];
  }
}
