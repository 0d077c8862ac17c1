// SPDX-License-Identifier: MIT
// replay.mjs: asks the module what native_answers asked the library, and compares the answers bit
// for bit. For node and, without its last lines, for a page.

// The numbers of native_answers, block by block.
function* blocksOf(bytes) {
  const numbers = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  for (let at = 0; at < numbers.length; at += 1 + numbers[at])
    yield numbers.subarray(at + 1, at + 1 + numbers[at]);
}

const bits = (numbers) => new BigUint64Array(Float64Array.from(numbers).buffer);

class Comparison {
  constructor() {
    this.compared = 0;
  }

  same(what, expected, found) {
    const [a, b] = [bits(expected), bits(found)];
    if (a.length !== b.length)
      throw new Error(`${what}: ${b.length} numbers, the library has ${a.length}`);
    const at = a.findIndex((one, i) => one !== b[i]);
    if (at >= 0) throw new Error(`${what}: number ${at} is ${found[at]}, the library has ${expected[at]}`);
    this.compared += a.length;
  }
}

const third = (array, i) => [...array.subarray(3 * i, 3 * i + 3)];
const idOf = (hits, i, letter = '') =>
  ['instance', 'part', 'triangle', 'id'].map((name) => hits[name + letter][i]);
const none = (number) => number ?? 0xffffffff;
const idOfOne = ({ instance, part, triangle, id }) => [none(instance), none(part), triangle, id];

function rowsOfDistances(d) {
  return Array.from(d.found, (_, i) => [
    1,
    d.distance[i],
    d.lower[i],
    ...third(d.pointA, i),
    ...third(d.pointB, i),
    ...idOf(d, i, 'A'),
    ...idOf(d, i, 'B'),
  ]).flat();
}

const rowOfDistance = (d) =>
  d === null
    ? [0]
    : [1, d.distance, d.lower, ...d.pointA, ...d.pointB, ...idOfOne(d.a), ...(d.b ? idOfOne(d.b) : [])];

const VERDICTS = ['clear', 'within', 'touching', 'penetrating', 'enclosed', 'duplicate', 'unknown'];

// file: opened; answers: bytes of native_answers. Returns how many numbers were compared.
export async function replay(file, answers) {
  const comparison = new Comparison();
  const blocks = blocksOf(answers);
  const next = () => blocks.next().value;
  const { partCount } = await file.info();

  const rays = next();
  const first = await file.rayFirst(rays);
  const hitRow = (i) => [
    1,
    first.t[i],
    first.uv[2 * i],
    first.uv[2 * i + 1],
    ...third(first.normal, i),
    ...idOf(first, i),
  ];
  comparison.same('rayFirst', next(), Array.from(first.found, (is, i) => (is ? hitRow(i) : [0])).flat());
  comparison.same('rayAny', [...first.found], [...(await file.rayAny(rays))]);
  for (let i = 0; i < 3; i++) {
    const hits = await file.rayAll(rays.subarray(8 * i, 8 * i + 8));
    const t = hits.count === 0 ? Infinity : Math.min(...hits.t);
    comparison.same('rayAll', [first.t[i]], [t]);
  }

  const points = next();
  const nearest = await file.closest(points);
  const nearestRow = (_, i) => [nearest.distance[i], ...third(nearest.point, i), ...idOf(nearest, i)];
  comparison.same('closest', next(), Array.from(nearest.found, nearestRow).flat());

  const placements = next();
  const a = { part: 0 };
  const b = { file, part: partCount - 1 };
  const at = (i) => ({ ...b, placement: placements.subarray(12 * i, 12 * i + 12) });
  const hits = await file.collide(b, { a, placements });
  comparison.same('collide', next(), [...hits]);
  comparison.same('collide, one', [hits[0]], [(await file.collide(at(0), { a })) ? 1 : 0]);
  const distances = next();
  comparison.same('distance', distances, rowsOfDistances(await file.distance(b, { a, placements })));
  comparison.same('distance, one', distances.subarray(0, 17), rowOfDistance(await file.distance(at(0), { a })));
  const delta = 0.1 * ((await file.info()).hi[0] - (await file.info()).lo[0]);
  const within = [];
  for (let i = 0; i < hits.length; i++) within.push(...rowOfDistance(await file.within(at(i), delta, { a })));
  comparison.same('within', next(), within);

  const pairs = await file.pairs(null);
  const pairRow = (_, i) => [...idOf(pairs, i, 'A'), ...idOf(pairs, i, 'B'), pairs.proper[i]];
  comparison.same('pairs', next(), Array.from(pairs.proper, pairRow).flat());
  const ball = [...next()];
  const inside = await file.overlap({ ball });
  comparison.same('overlap', next(), Array.from(inside.instance, (_, i) => idOf(inside, i)).flat());
  const [radius, length, ...placement] = next();
  const convex = await file.convexDistance({ kind: 'capsule', radius, length, placement });
  comparison.same('convexDistance', next().subarray(0, 13), rowOfDistance(convex));

  const box = [...next()];
  comparison.same('instancesIn', next(), [...(await file.instancesIn(box))]);
  comparison.same('instancesIn, by triangles', next(), [...(await file.instancesIn(box, { byTriangles: true }))]);
  const around = await file.nearestInstances(box.slice(0, 3), 5);
  const aroundRow = (_, i) => [around.distance[i], ...third(around.point, i), ...idOf(around, i)];
  comparison.same('nearestInstances', next(), Array.from(around.found, aroundRow).flat());

  const run = async (what, options) => {
    const rows = [];
    const coverage = await file.clash(options, (pair) => {
      const { distance, lower, depth, depthUpper } = pair;
      rows.push(pair.a, pair.b, VERDICTS.indexOf(pair.verdict), distance, lower, depth, depthUpper);
      rows.push(...pair.pointA, ...pair.pointB);
      if (options.rules) ruled.add(pair.rule);
    });
    comparison.same(what, next(), rows);
    const counted = [coverage.boxPairs, coverage.excluded, ...VERDICTS.map((name) => coverage.verdicts[name])];
    comparison.same(`${what}, coverage`, next(), counted);
  };
  const ruled = new Set();
  const { instanceCount } = await file.info();
  const chosen = (count, is) => Array.from({ length: count }, (_, i) => i).filter(is);
  const rulesOf = (count) => [
    { a: chosen(instanceCount, (i) => i % 3 === 1), b: chosen(count, (i) => i < 3), exclude: true },
    { a: [0], clearance: 0 },
    { b: chosen(count, (i) => i % 2 === 0), clearance: 4 * clearance, touchGap: clearance / 3 },
  ];
  const [clearance] = next();
  await run('clash', { clearance, detail: 'verdicts' });
  await run('clash by rules', { clearance, detail: 'verdicts', rules: rulesOf(instanceCount) });
  if (ruled.has(0)) throw new Error('a pair was given that a rule leaves out');
  const numbers = [...next()];
  const middle = numbers.slice(3, 15);
  const zones = [
    { kind: 'box', size: numbers.slice(0, 3), placement: middle },
    { kind: 'hull', points: numbers.slice(15, 27) },
    { kind: 'capsule', radius: numbers[27], length: numbers[28], placement: middle },
  ];
  await run('clash with zones', { clearance, rules: rulesOf(zones.length), zones });
  return comparison.compared;
}
