// SPDX-License-Identifier: MIT
// tables.mjs: what comes in tables is what comes one by one; answers without waiting are those that
// are waited for. Usage: node tables.mjs PACKAGE FILE   (beside it, FILE's clash report, if there is one)
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

const [, , folder, path] = process.argv;
const report = path.replace(/bvp$/, 'jsonl');
const { open, NONE } = await import(pathToFileURL(`${folder}/index.mjs`));
const handle = await openFile(path);
const { size } = await handle.stat();
const read = async (offset, count) => {
  const bytes = new Uint8Array(count);
  await handle.read(bytes, 0, count, offset);
  return bytes;
};
const file = await open({ size, read });
const whole = await open(await read(0, size));
const info = await file.info();
const number = (one) => one ?? NONE;

const instances = await whole.instances();
const table = await file.instanceTable();
assert.deepEqual([...table.part], instances.map(({ part }) => part));
assert.deepEqual([...table.node], instances.map(({ node }) => number(node)));
assert.deepEqual([...table.placement], instances.flatMap(({ placement }) => [...placement]));
const tail = await file.instanceTable(info.instanceCount - 1);
assert.deepEqual(tail.placement, table.placement.slice(-12));

const nodes = await whole.nodes();
const columns = await file.nodeTable();
for (const name of ['parent', 'end', 'part', 'instance'])
  assert.deepEqual([...columns[name]], nodes.map((node) => number(node[name])), name);

const colours = await file.colourTable();
for (const [i, { node }] of instances.entries()) {
  const runs = await whole.colours(node);
  assert.equal(colours.runCount[i], runs.length);
  assert.deepEqual([...colours.rgba.subarray(4 * i, 4 * i + 4)], runs[0]?.rgba ?? [0, 0, 0, 0]);
}

const boxes = await file.partTable();
const known = await whole.parts();
assert.deepEqual([...boxes.box], known.flatMap(({ lo, hi }) => [...lo, ...hi]));
assert.deepEqual([...boxes.triangleCount], known.map(({ triangleCount }) => triangleCount));

// paths lead back, and no two nodes of one source id have one; the program's clash report names instances so
const paths = new Map();
for (let node = 1; node < Math.min(info.nodeCount, 400); node++) {
  const way = await file.nodePath(node);
  // a name may be there twice, with different source ids
  const first = paths.get(way) ?? node;
  assert.ok(first === node || nodes[first].sourceId !== nodes[node].sourceId, `${way} is the path of two nodes`);
  paths.set(way, first);
  assert.equal(await file.nodeAt(way), first, way);
}
assert.equal(await file.nodeAt('no/such'), null);
const lines = existsSync(report) ? readFileSync(report, 'utf8') : '';
for (const line of lines.split('\n').filter((one) => one).slice(0, 100)) {
  const row = JSON.parse(line);
  assert.equal(await file.nodePath(instances[row.instance_a].node), row.a);
  assert.equal(await file.nodePath(instances[row.instance_b].node), row.b);
}

// names: of nodes and, where they have none, of their parts
const parts = await whole.parts();
const labelOf = (node) => node.name || (node.part === null ? '' : parts[node.part].name);
const labels = nodes.map(labelOf);
const word = labels.find((label) => label.length > 3) ?? 'no such';
for (const text of [word.slice(1, 4), word.toUpperCase(), 'no such name']) {
  const small = text.toLowerCase();
  const sought = nodes.map((node, i) => [node, i]).filter(([node]) =>
    [labelOf(node), node.sourceId, node.name || node.part === null ? '' : parts[node.part].sourceId]
      .some((label) => label.toLowerCase().includes(small)),
  );
  const found = await file.findNodes(text, { limit: info.nodeCount });
  assert.deepEqual([...found], sought.map(([, i]) => i), text);
  const few = await file.findNodes(text, { limit: 2 });
  assert.deepEqual([...few], sought.slice(0, 2).map(([, i]) => i), text);
}

// vertices and indices make the same triangles
for (let part = 0; part < Math.min(info.partCount, 5); part++) {
  const { triangleCount } = parts[part];
  const first = Math.floor(triangleCount / 3);
  for (const [from, count] of [[0, undefined], [first, 7]]) {
    const { positions } = await whole.triangles(part, from, count);
    const made = await file.geometry(part, from, count);
    const flat = [...made.indices].flatMap((v) => [...made.positions.subarray(3 * v, 3 * v + 3)]);
    assert.deepEqual(new Float32Array(flat), positions);
    const different = new Set();
    for (let v = 0; v < made.positions.length; v += 3)
      different.add(new Uint32Array(made.positions.slice(v, v + 3).buffer).join());
    assert.equal(different.size, made.positions.length / 3, 'a vertex is there twice');
  }
}

// runs: no vertex is in two, and each is that of its triangle's number
{
  const { positions, ids } = await whole.triangles(0, 0, undefined, { ids: true });
  const most = Math.max(...ids);
  const firsts = [0, Math.floor(most / 3), Math.floor(most / 2)];
  const made = await file.geometry(0, 0, undefined, { firsts });
  const flat = [...made.indices].flatMap((v) => [...made.positions.subarray(3 * v, 3 * v + 3)]);
  assert.deepEqual(new Float32Array(flat), positions);
  made.indices.forEach((v, i) => {
    const id = ids[Math.floor(i / 3)];
    assert.equal(made.runs[v], firsts.filter((one) => one <= id).length - 1, `the run of ${id}`);
  });
  assert.equal((await file.geometry(0, 0, 1)).runs, null);
}

const root = await file.boxes(0);
const least = Math.min(...root.lo), most = Math.max(...root.hi);
assert.ok(root.count >= 1 && least <= Math.min(...info.lo) && most >= Math.max(...info.hi));
const leaves = await file.boxes(63);
assert.equal(leaves.leafCount.reduce((sum, count) => sum + count, 0), info.instanceCount);
assert.equal((await file.boxes(63, { limit: 1 })).count, 1);

// without waiting: whole files answer; of a source what is here
const middle = [0, 1, 2].map((k) => (info.lo[k] + info.hi[k]) / 2);
for (let k = 0; k < 3; k++) {
  const ray = [...middle, k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0, -Infinity, Infinity];
  assert.deepEqual(whole.rayFirstNow(ray), await whole.rayFirst(ray));
  assert.deepEqual(whole.rayAllNow(ray), await whole.rayAll(ray));
  assert.deepEqual(whole.rayFirstNow(ray, { part: 0 }), await whole.rayFirst(ray, { part: 0 }));
}
const fresh = await open({ size, read });
const last = { part: info.partCount - 1 };
const { positions: p } = await whole.triangles(last.part, 0, 1);
const inside = [0, 1, 2].map((k) => (p[k] + p[k + 3] + p[k + 6]) / 3);
const through = [...inside, 1, 1, 1, -Infinity, Infinity];
if (size > 1e6) assert.equal(fresh.rayAllNow(through, last), null, 'an answer without the bytes');
await fresh.rayAll(through, last);
assert.deepEqual(fresh.rayAllNow(through, last), await whole.rayAll(through, last));
console.log('tables, and answers without waiting: as one by one');
process.exit(0);
