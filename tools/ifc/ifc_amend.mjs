// SPDX-License-Identifier: MIT
// ifc_amend.mjs: what web-ifc cannot do with a file, said otherwise in the bytes that it gets.

// Schemas that web-ifc knows by another name: drafts, and what "FINAL" is appended to. The name is
// replaced in its place. true: it was
export function nameSchema(file) {
  const name = /^IFC(?:2X3|4X3|4)/.exec(file.schema)?.[0];
  return name !== undefined && name !== file.schema && file.renameSchema(name);
}

// Does the disk go from end to end of its curve, by the parameters that it has?
function isWhole(file, curve, from, to) {
  const values = file.argumentsOf(curve);
  switch (file.typeOf(curve)) {
    case 'IFCPOLYLINE': // a point for each integer; some writers count one too many
      return from <= 0 && to >= values[0]?.length - 1;
    case 'IFCTRIMMEDCURVE': {
      const [first, last] = [values[1], values[2]].map((trims) => trims?.find?.((trim) => trim?.type)?.value);
      return from === first && to === last;
    }
    default:
      return false;
  }
}

// A disk that is swept along a part of a curve, between two parameters, has no shape in web-ifc
// when the curve is a composite or trimmed one, or a polyline that ends before. Reinforcing bars
// are written so, mostly with the parameters of the whole curve. They become unset, in their
// place, and the disk is swept along all of it. Returns how many may become longer by that.
export function sweepWholeCurves(file) {
  let count = 0;
  for (const id of file.idsOf('IFCSWEPTDISKSOLID')) {
    const [directrix, , , from, to] = file.argumentsOf(id);
    const type = file.typeOf(directrix?.ref);
    if (from === null && to === null) continue;
    const whole = isWhole(file, directrix?.ref, from, to);
    if (!whole && type !== 'IFCCOMPOSITECURVE' && type !== 'IFCTRIMMEDCURVE') continue;
    const bytes = file.bytesOf(id);
    const [all, head] = /^((?:[^,]*,){3})[^,]*,[^,)]*\)/.exec(bytes.latin1Slice(0, bytes.length)) ?? [];
    if (!all) continue;
    bytes.latin1Write(`${head}$,$)`.padEnd(all.length), 0, all.length);
    count += !whole;
  }
  return count;
}
