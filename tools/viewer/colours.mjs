// SPDX-License-Identifier: MIT
// colours.mjs: base colours of the source where a mesh has several: of which triangles, and of which
// instances. Runs of a part begin where those of any of its instances do, so they serve all of them.

const NODES_MOST = 50000; // instances whose runs are read; others look as their part's last one that was
const RUNS_MOST = 65536; // of a part
const AT_ONCE = 64;

// {firsts, colours: [instance, [rgba or null, of each run]][]} for each part, of instances that
// have several colours.
export async function readRuns(model, instances) {
  const { file, instanceNode, instancePart } = model;
  const known = new Map(); // part to [instance, runs][]
  for (let first = 0; first < Math.min(instances.length, NODES_MOST); first += AT_ONCE)
    await Promise.all(
      instances.slice(first, Math.min(first + AT_ONCE, NODES_MOST)).map(async (instance) => {
        const runs = await file.colours(instanceNode[instance]);
        const part = instancePart[instance];
        if (!known.has(part)) known.set(part, []);
        known.get(part).push([instance, runs]);
      }),
    );
  for (const instance of instances.slice(NODES_MOST)) {
    const of = known.get(instancePart[instance]);
    of?.push([instance, of[0][1]]);
  }
  const made = new Map();
  for (const [part, of] of known) {
    const firsts = [...new Set(of.flatMap(([, runs]) => runs.map(({ first }) => first)))].sort((a, b) => a - b);
    if (firsts.length < 2 || firsts.length > RUNS_MOST) continue;
    made.set(part, { firsts, colours: of.map(([instance, runs]) => [instance, coloursAt(firsts, runs)]) });
  }
  return made;
}

// The colour at each of the numbers.
function coloursAt(firsts, runs) {
  let at = -1;
  return firsts.map((first) => {
    while (at + 1 < runs.length && runs[at + 1].first <= first) at++;
    return at < 0 ? null : runs[at].rgba;
  });
}
