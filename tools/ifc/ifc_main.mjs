// SPDX-License-Identifier: MIT
// ifc_main.mjs: reads an IFC model on descriptor 4 with web-ifc, answers on descriptor 3.
// Usage: node ifc_main.mjs WEB_IFC VERSION ANGLE SPACES, started by bvpack-ifc
//
// The tree, names and properties come from the file's own statements (ifc_file.mjs), so that no
// schema limits them; web-ifc makes the shapes. Elements are read in the order of the tree, one at
// a time, and sent at once.
import { fstatSync, readSync } from 'node:fs';
import { nameSchema, sweepWholeCurves } from './ifc_amend.mjs';
import { keepBodies } from './ifc_bodies.mjs';
import { Facts } from './ifc_facts.mjs';
import { IfcFile } from './ifc_file.mjs';
import { Parts } from './ifc_parts.mjs';
import { ARGUMENT, CORRUPT, EXIT_NO_MEMORY, LIMIT, Sender, none } from './ifc_send.mjs';
import { NoMemory, Shapes } from './ifc_shapes.mjs';
import { treeOf } from './ifc_tree.mjs';
import { unitsOf } from './ifc_units.mjs';
import { isZip, unzip } from './ifc_zip.mjs';

const MODEL = 4;
const [, , library, version, angle, spaces] = process.argv;
const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
const NODES_MOST = 1 << 24;
const UNPACKED_MOST = 2 ** 31; // bytes of an archive's file
const TAIL_MOST = 1 << 18; // signatures may follow the end

// What is no body: it may be where bodies are.
const VOIDS = new Set([
  'IFCSPACE', 'IFCOPENINGELEMENT', 'IFCOPENINGSTANDARDCASE', 'IFCVOIDINGFEATURE', 'IFCVIRTUALELEMENT', 'IFCSPATIALZONE',
  'IFCEXTERNALSPATIALELEMENT', 'IFCGRID', 'IFCANNOTATION', 'IFCALIGNMENT', 'IFCREFERENT',
]);
const SPATIAL = new Set([
  'IFCPROJECT', 'IFCSITE', 'IFCBUILDING', 'IFCBUILDINGSTOREY', 'IFCSPACE', 'IFCFACILITY', 'IFCFACILITYPART', 'IFCBRIDGE',
  'IFCBRIDGEPART', 'IFCROAD', 'IFCROADPART', 'IFCRAILWAY', 'IFCRAILWAYPART', 'IFCMARINEFACILITY', 'IFCMARINEPART',
  'IFCFACILITYPARTCOMMON', 'IFCSPATIALZONE', 'IFCEXTERNALSPATIALELEMENT',
]);

// Nodes even where they have nothing.
const KEPT = new Set(['IFCPROJECT', 'IFCSITE', 'IFCBUILDING', 'IFCBUILDINGSTOREY']);

function readModel() {
  const { size } = fstatSync(MODEL);
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (let got; at < size && (got = readSync(MODEL, bytes, at, Math.min(size - at, 1 << 30), at)) > 0; ) at += got;
  return bytes.subarray(0, at);
}

// Of an archive what is in it.
function unpacked(bytes) {
  if (!isZip(bytes)) return bytes;
  const found = unzip(bytes, UNPACKED_MOST);
  if (!found || !found.subarray(-TAIL_MOST).includes('END-ISO-10303-21'))
    throw new Refusal(CORRUPT, 'expected an archive with an IFC file, found none that is whole; export it again');
  return found;
}

// Counts by what they are, and the first one of each.
class Tally {
  #found = new Map();
  add(what, first) {
    const one = this.#found.get(what);
    if (one) one.count++;
    else this.#found.set(what, { count: 1, first });
  }
  // The first text, with its count; '' for none.
  told(textOf) {
    for (const [what, { count, first }] of this.#found) return `${count} ${textOf(what, first)}`;
    return '';
  }
  send(sender, textOf) {
    for (const [what, { count, first }] of this.#found) sender.warning(count, textOf(what, first));
  }
}

class Reader {
  constructor(sender, file, shapes) {
    this.sender = sender;
    this.file = file;
    this.shapes = shapes;
    this.facts = new Facts(file, 16 * file.size + (1 << 20));
    this.parts = new Parts(sender, hasWhite(file));
    this.names = new Map(); // of classes
    this.products = file.typeNames.filter((type) => shapes.isProduct(type)).flatMap((type) => file.idsOf(type)).sort((a, b) => a - b);
    this.without = new Tally(); // elements without a body
    this.failed = new Tally();
    this.voids = new Tally();
    this.odd = new Tally(); // what web-ifc complained of
    this.ids = new Set();
    this.oddIds = new Tally();
  }
  className(type) {
    if (!this.names.has(type)) this.names.set(type, type === 'IFCPROJECT' ? 'IfcProject' : this.shapes.className(type));
    return this.names.get(type);
  }
  checkId(id, label) {
    if (!/^[0-3][0-9A-Za-z_$]{21}$/.test(id)) this.oddIds.add('no', label);
    else if (this.ids.has(id)) this.oddIds.add('again', id);
    this.ids.add(id);
  }

  async readTree() {
    const { roots, childrenOf, parentOf, circles } = treeOf(this.file, this.products);
    const isKept = this.withBodies(parentOf);
    const stack = roots.reverse().map((id) => ({ id, parent: none, storey: '' }));
    let done = 0;
    while (stack.length > 0) {
      const { id, parent, storey } = stack.pop();
      const children = childrenOf.get(id) ?? [];
      const below = await this.readNode(id, parent, storey, children.some((child) => isKept.has(child)));
      for (const child of children.reverse()) stack.push({ id: child, ...(below ?? { parent, storey }) });
      if (++done % 64 === 0) this.sender.progress(done, this.products.length);
      if (this.sender.nodeCount > NODES_MOST) throw new Refusal(LIMIT, 'more than 16 million elements; split the model');
    }
    this.sender.warning(circles, 'elements that are pieces of themselves: taken out of what they are in');
  }

  isLeftOut(id) {
    return spaces !== '1' && VOIDS.has(this.file.typeOf(id));
  }
  // What has a body, and what that is in.
  withBodies(parentOf) {
    const found = new Set();
    for (const product of this.products)
      if (!this.isLeftOut(product) && this.shapes.hasBody(product))
        for (let id = product; id !== undefined && !found.has(id); id = parentOf.get(id)) found.add(id);
    return found;
  }

  // { parent, storey } of what is below; null: there is no node.
  async readNode(id, parent, storey, hasChildren) {
    const type = this.file.typeOf(id);
    const is = this.facts.identity(id);
    const isSpatial = SPATIAL.has(type);
    const label = this.className(type);
    const longName = isSpatial ? (type === 'IFCPROJECT' ? '' : is.seventh) : '';
    const tag = isSpatial ? '' : is.seventh;
    const name = is.name || longName || is.typeName || (isSpatial ? label : `${label} ${tag || is.id}`.trim());
    if (type === 'IFCBUILDINGSTOREY') storey = name;
    const title = name.endsWith(is.id) ? name : `${label} "${name}" (${is.id})`;

    let placed = null;
    if (this.isLeftOut(id)) {
      this.voids.add(label, title);
    } else if (this.shapes.hasBody(id)) {
      const pieces = await this.shapes.read(id);
      placed = pieces?.length > 0 ? this.parts.put(name, pieces) : null;
      for (const what of placed ? this.shapes.said : []) this.odd.add(what, title);
      if (!placed) this.failed.add(`${label} left out: web-ifc fails on its body${this.shapes.said.map((what) => ` ("${what}")`).slice(0, 1)}`, title);
    } else if (!isSpatial && !hasChildren) {
      this.without.add(label, title);
    }
    if (!placed && !hasChildren && !KEPT.has(type)) return null;

    this.checkId(is.id, title);
    const first = [
      ['ifc_class', label], ['type_name', is.typeName], ['object_type', is.objectType], ['predefined_type', is.kind],
      ['tag', tag], ['long_name', longName], ['description', is.description], ['storey', type === 'IFCBUILDINGSTOREY' ? '' : storey],
    ];
    if (type === 'IFCBUILDINGSTOREY' && typeof is.elevation === 'number') first.push(['elevation', String(is.elevation)]);
    const properties = this.facts.propertiesOf(id, first);
    // What has a body and pieces is a group of both: the group stands nowhere, its body has the
    // GlobalId and the properties.
    let group = parent;
    if (placed && hasChildren) group = this.node({ parent, name, properties: [['ifc_class', label]] });
    const body = placed
      ? { matrix: placed.matrix, part: placed.part, properties: placed.colours ? [['bvpack_colours', placed.colours], ...properties] : properties }
      : { properties };
    const number = this.node({ ...body, parent: group, name, id: is.id });
    return { parent: placed && hasChildren ? group : number, storey };
  }
  node({ matrix = IDENTITY, parent, part = none, name, id = null, properties }) {
    const sent = this.sender.node({ matrix, parent, part, name, id, properties });
    this.facts.leftOut += sent.left;
    return sent.number;
  }

  report() {
    const { sender } = this;
    const texts = [
      [this.failed, (what, first) => `${what}, ${first} first`],
      [this.without, (label, first) => `${label} without a body left out, ${first} first`],
      [this.voids, (label) => `${label} left out, which is no body: --ifc-spaces reads it, too`],
    ];
    if (sender.partCount === 0) {
      const why = texts.map(([tally, textOf]) => tally.told(textOf)).find(Boolean) ?? 'there is no element';
      throw new Refusal(ARGUMENT, `no triangles: ${why}; export the model with the bodies of its elements`);
    }
    for (const [tally, textOf] of texts) tally.send(sender, textOf);
    this.odd.send(sender, (what, first) => `shapes that may be wrong or incomplete: web-ifc says "${what}" of ${first} first`);
    this.oddIds.send(sender, (how, first) => how === 'no' ? `elements without a valid GlobalId, ${first} first` : `elements with the GlobalId of another, ${first} first`);
    sender.warning(this.facts.leftOut, 'properties left out: an element keeps 512, a model as many as its size allows');
    sender.warning(this.file.strayCount, 'damaged statements left out');
  }
}

class Refusal extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

// Is white a colour that the file names?
const hasWhite = (file) =>
  file.idsOf('IFCCOLOURRGB').some((id) => file.argumentsOf(id).slice(1, 4).every((one) => one === 1));

// Of a full circle: --angle apart, in quarters, so that its box is the circle's.
const cornersOf = (degrees) => Math.min(3600, Math.max(8, 4 * Math.ceil(90 / degrees)));

// type, and which argument is the radius
const ROUND = [['IFCCIRCLEPROFILEDEF', 3], ['IFCCIRCLEHOLLOWPROFILEDEF', 3], ['IFCSWEPTDISKSOLID', 1], ['IFCRIGHTCIRCULARCYLINDER', 2]];

// Says how far a polygon's sides are inside the largest circle.
function warnOfCircles(sender, file, metres, corners) {
  const radii = ROUND.flatMap(([type, at]) => file.idsOf(type).map((id) => file.argumentsOf(id)[at])).filter((one) => one > 0);
  const most = radii.reduce((a, b) => Math.max(a, b), 0) * (1 - Math.cos(Math.PI / corners));
  const length = metres > 0 ? `${Number((most * metres * 1000).toPrecision(2))} mm` : `${Number(most.toPrecision(2))} units`;
  sender.warning(radii.length, `circles became polygons of ${corners} corners, whose sides are up to ${length} inside them; --angle makes them finer`);
}

async function run(sender) {
  const bytes = unpacked(readModel());
  const file = new IfcFile(bytes);
  file.size = bytes.length;
  if (!file.schema.startsWith('IFC') || file.statementCount === 0)
    throw new Refusal(CORRUPT, 'expected an IFC file with a schema and statements, found none; export it again');
  const { metres, factor } = unitsOf(file);
  keepBodies(file);
  const swept = sweepWholeCurves(file);
  const corners = cornersOf(Number(angle));
  const shapes = new Shapes(library, bytes, file, factor, corners + 1); // it counts the first one again, as the last
  if (!(await shapes.open()) && !(nameSchema(file) && (await shapes.open())))
    throw new Refusal(CORRUPT, `web-ifc can't read it as ${file.schema.slice(0, 40)}; export it again`);
  const reader = new Reader(sender, file, shapes);
  await reader.readTree();
  reader.report();
  warnOfCircles(sender, file, metres, corners);
  sender.warning(swept, 'swept disks that may be longer than they should: they go along all of their curve, of which web-ifc takes no part');
  sender.end(metres, `${file.schema.slice(0, 40)}, read by web-ifc ${shapes.version}`);
}

const sender = new Sender(Number(version));
try {
  await run(sender);
} catch (error) {
  if (error instanceof NoMemory || /allocation|array (buffer|length)/i.test(error.message)) process.reallyExit(EXIT_NO_MEMORY);
  sender.failure(error.status ?? CORRUPT, error.status ? error.message : `it can't be read by web-ifc (${error.message}); export it again`);
}
process.reallyExit(0);
