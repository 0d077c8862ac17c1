// SPDX-License-Identifier: MIT
// ifc_bodies.mjs: which representations of an element are its body, and web-ifc gets no others.
// Spec: IFC4 8.18.3.14, IfcShapeRepresentation: identifiers
import { refsOf } from './ifc_tree.mjs';

// Lines, boxes around an element, and room that it needs: no body, even if they have surfaces.
const NO_BODY = new Set([
  'Annotation', 'Axis', 'BaseCurve', 'Boundary', 'Box', 'Clearance', 'CoG', 'FootPrint', 'Lighting', 'Plan', 'Profile',
  'Reference', 'WalkingLine',
]);

// The representations of a shape, as ids, that have items; where one is called Body the others
// are the same in another way, or for another purpose.
export function bodiesOf(file, shape) {
  const found = refsOf(file.argumentsOf(shape)[2])
    .map((id) => ({ id, name: file.argumentsOf(id)[1], items: file.argumentsOf(id)[3] }))
    .filter(({ items }) => Array.isArray(items) && items.length > 0);
  const bodies = found.filter(({ name }) => name === 'Body');
  return (bodies.length > 0 ? bodies : found.filter(({ name }) => !NO_BODY.has(name))).map(({ id }) => id);
}

// web-ifc makes surfaces of whatever a shape refers to: what is no body is taken out of the bytes
// that it gets, in its place.
export function keepBodies(file) {
  for (const shape of file.idsOf('IFCPRODUCTDEFINITIONSHAPE')) {
    const all = refsOf(file.argumentsOf(shape)[2]);
    const kept = bodiesOf(file, shape);
    if (kept.length === all.length || kept.length === 0) continue;
    const bytes = file.bytesOf(shape);
    const begin = bytes.lastIndexOf('(') + 1;
    const end = bytes.indexOf(')', begin);
    const text = kept.map((id) => `#${id}`).join(',');
    if (begin > 0 && text.length <= end - begin) bytes.latin1Write(text.padEnd(end - begin), begin);
  }
}
