// SPDX-License-Identifier: MIT
// ifc_tree.mjs: which element is in which: project, site, building, storey, element, its pieces.
// Spec: IFC4 5.1.4, IfcProductExtension: decomposition and containment
//
// Relations are the file's and may contradict each other: of several parents the first one counts,
// by the order of RELATIONS, and a circle is opened where it closes.

// type, which argument has the whole, which one its pieces
const RELATIONS = [
  ['IFCRELAGGREGATES', 4, 5],
  ['IFCRELNESTS', 4, 5],
  ['IFCRELCONTAINEDINSPATIALSTRUCTURE', 5, 4],
  ['IFCRELVOIDSELEMENT', 4, 5],
  ['IFCRELPROJECTSELEMENT', 4, 5],
  ['IFCRELADHERESTOELEMENT', 4, 5],
];

export const refsOf = (value) =>
  (Array.isArray(value) ? value : [value]).filter((one) => one?.ref !== undefined).map((one) => one.ref);

// { roots, childrenOf: id -> ids, parentOf: id -> id, circles: how many were opened }, of these
// products and the project.
export function treeOf(file, products) {
  const isThere = new Set(products);
  const project = file.idsOf('IFCPROJECT')[0];
  if (project !== undefined) isThere.add(project);
  const parents = new Map();
  const put = (child, parent) => {
    if (child !== parent && child !== project && isThere.has(child) && isThere.has(parent) && !parents.has(child))
      parents.set(child, parent);
  };
  for (const [type, whole, pieces] of RELATIONS)
    for (const id of file.idsOf(type)) {
      const values = file.argumentsOf(id);
      const parent = values[whole]?.ref;
      for (const child of refsOf(values[pieces])) put(child, parent);
    }
  // a door that is in no storey is in its wall's
  const openings = new Map();
  for (const id of file.idsOf('IFCRELVOIDSELEMENT')) {
    const values = file.argumentsOf(id);
    openings.set(values[5]?.ref, values[4]?.ref);
  }
  for (const id of file.idsOf('IFCRELFILLSELEMENT')) {
    const values = file.argumentsOf(id);
    const filling = values[5]?.ref;
    const wall = openings.get(values[4]?.ref);
    if (!parents.has(filling) && parents.has(wall)) put(filling, parents.get(wall));
  }
  const circles = openCircles(products, parents);
  const roots = project === undefined ? [] : [project];
  const childrenOf = new Map();
  for (const id of products) {
    const parent = parents.get(id) ?? project;
    if (parent === undefined) roots.push(id);
    else if (childrenOf.has(parent)) childrenOf.get(parent).push(id);
    else childrenOf.set(parent, [id]);
  }
  return { roots, childrenOf, parentOf: parents, circles };
}

// Each product is walked over once: what was seen before ends the walk, and is a circle when this
// walk saw it.
function openCircles(products, parents) {
  const walks = new Map(); // id -> the walk that saw it
  let circles = 0;
  for (const start of products) {
    let last;
    for (let id = start; id !== undefined; last = id, id = parents.get(id)) {
      if (walks.get(id) === start) {
        parents.delete(last);
        circles++;
        break;
      }
      if (walks.has(id)) break;
      walks.set(id, start);
    }
  }
  return circles;
}
