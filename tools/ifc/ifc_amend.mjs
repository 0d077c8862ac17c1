// SPDX-License-Identifier: MIT
// ifc_amend.mjs: what web-ifc cannot do with a file, said otherwise in the bytes that it gets.

// A disk that is swept along a part of a composite curve, between two parameters, has no shape in
// web-ifc. Reinforcing bars are written so, with the parameters of the whole curve. They become
// unset, in their place, and the disk is swept along all of it. Returns how many these are.
export function sweepWholeCurves(file) {
  let count = 0;
  for (const id of file.idsOf('IFCSWEPTDISKSOLID')) {
    const [directrix, , , from, to] = file.argumentsOf(id);
    if (file.typeOf(directrix?.ref) !== 'IFCCOMPOSITECURVE' || (from === null && to === null)) continue;
    const bytes = file.bytesOf(id);
    const text = bytes.latin1Slice(0, bytes.length);
    const [all, head] = /^((?:[^,]*,){3})[^,]*,[^,)]*\)/.exec(text) ?? [];
    if (!all) continue;
    bytes.latin1Write(`${head}$,$)`.padEnd(all.length), 0, all.length);
    count++;
  }
  return count;
}
