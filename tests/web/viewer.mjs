// SPDX-License-Identifier: MIT
// viewer.mjs: drives the viewer as a person does: tree, search, pick, properties, hide, isolate,
// ghost, section, measure, clashes, views. What it shows is compared with what the package says.
// Usage: node viewer.mjs BROWSER SITE PACKAGE REPORT.bcf
// SITE: a folder with plant.html, which `bvpack view` wrote for "models/cell 1.bvp" and today.jsonl,
// and models/two.bvp, a unit cube with faces of two colours, red and green.
// BVP_SHOTS names a folder for pictures of each step.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Browser, serve } from './browser.mjs';

const [, , program, ...given] = process.argv;
const [site, folder, topics] = given.map((one) => resolve(one));
const [path, file, report] = ['plant.html', 'models/cell 1.bvp', 'today.jsonl'].map((name) => join(site, name));
const { open } = await import(pathToFileURL(`${folder}/index.mjs`));
const known = await open(readFileSync(file));
const nodes = await known.nodes();
const rows = readFileSync(report, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
const { url, requests } = await serve({
  '/plant.html': path,
  '/models/cell 1.bvp': file,
  '/models/two.bvp': join(site, 'models/two.bvp'),
  '/today.jsonl': report,
});
const browser = await Browser.start(program);

let shots = 0;
async function shot(name) {
  if (process.env.BVP_SHOTS)
    await browser.picture(join(process.env.BVP_SHOTS, `${String(++shots).padStart(2, '0')}-${name}.png`));
}
const whole = () => browser.until(`document.body.dataset.state === 'whole'`, 'a whole picture');
const settled = async () => {
  await new Promise((resolve) => setTimeout(resolve, 300)); // a flight begins
  await browser.until('bvpackPage.eye.flight === null', 'the end of a flight');
  await new Promise((resolve) => setTimeout(resolve, 200)); // and what moved is drawn anew
  await whole();
};
const textOf = (selector) => browser.ask(`document.querySelector('${selector}').innerText`);
const selected = () => browser.ask('bvpackPage.node');
const states = () => browser.ask('[...bvpackPage.scene.state]');
const count = (list, one) => list.filter((other) => other === one).length;
// How many pixels of the picture are not the background, and how many a test takes.
const pixels = (test) =>
  browser.ask(`(() => { const from = document.querySelector('#picture');
    const two = new OffscreenCanvas(from.width, from.height).getContext('2d');
    two.drawImage(from, 0, 0);
    const { data } = two.getImageData(0, 0, from.width, from.height);
    const back = data.slice(0, 3).join(); let found = 0;
    for (let i = 0; i < data.length; i += 4) {
      const [r, g, b] = data.subarray(i, i + 3);
      if (\`\${r},\${g},\${b}\` !== back && (${test})(r, g, b)) found++; }
    return found; })()`);
// Red, green and blue of the picture there.
const pixelAt = (x, y) =>
  browser.ask(`(() => { const from = document.querySelector('#picture'), { left, top } = from.getBoundingClientRect();
    const two = new OffscreenCanvas(1, 1).getContext('2d');
    two.drawImage(from, ${x} - left, ${y} - top, 1, 1, 0, 0, 1, 1);
    return [...two.getImageData(0, 0, 1, 1).data.subarray(0, 3)]; })()`);
const any = '() => true';
const isBlue = '(r, g, b) => b > 2.5 * r && b > 90'; // of what is selected
// How many bodies hold the point of the section that a pixel shows, as the page has counted them.
const capAt = (x, y) =>
  browser.ask(`(() => { const { caps, renderer, canvas } = bvpackPage.painter;
    if (!caps.target) return null;
    const { left, top } = canvas.getBoundingClientRect(), sum = new Float32Array(4);
    renderer.readRenderTargetPixels(caps.target, ${x} - left, canvas.height - 1 - (${y} - top), 1, 1, sum);
    return sum[3]; })()`);
const capCount = () => browser.ask('bvpackPage.painter.capOrder.length');

// ---- the picture, by ranges
await browser.goTo(`${url}/plant.html`);
await whole();
await shot('opened');
const allRead = requests.filter(({ pathname }) => pathname.startsWith('/models/'));
assert.ok(allRead.length > 0 && allRead.every(({ range }) => range !== null), 'the file was not read by ranges');
const drawn = await pixels(any);
assert.ok(drawn > 5000, `only ${drawn} pixels are drawn`);

// ---- the tree: keys, search, a click
await browser.click('#tab-tree');
await browser.click('#tree .row:nth-child(2) .name');
const branch = await selected();
assert.equal(await browser.ask(`document.querySelector('#tree .row[aria-selected=true]').dataset.node`), String(branch));
await whole();
assert.ok((await pixels(isBlue)) > 100, 'what is selected is not marked');
await browser.press('ArrowRight');
await browser.press('ArrowRight');
assert.equal(await selected(), branch + 1, 'the right arrow opens a node, then enters it');
await browser.press('ArrowLeft');
assert.equal(await selected(), branch, 'the left arrow goes up');
await browser.press('Escape');
await browser.press('/');
const word = nodes.find(({ instance }) => instance !== null).name.slice(-6);
await browser.type(word.toUpperCase());
const expected = nodes.filter(({ name }) => name.toLowerCase().includes(word.toLowerCase())).length;
await browser.until(`document.querySelector('#panel-tree .search output').textContent === '${expected} found'`);
const sought = nodes.flatMap(({ name }, node) => (name.toLowerCase().includes(word.toLowerCase()) ? [String(node)] : []));
const listed = await browser.ask(`[...document.querySelectorAll('#tree .row')].map((row) => row.dataset.node)`);
assert.ok(listed.length > 0);
assert.deepEqual(listed, sought.slice(0, listed.length), 'the list is not what was found, in order');
await shot('search');
await browser.click('#tree .row:nth-child(1) .name');
const found = await selected();
assert.ok(nodes[found].name.toLowerCase().includes(word.toLowerCase()));
await browser.click('#search');
await browser.press('Escape');
assert.equal(await browser.ask(`document.querySelector('#tree .row.is-current').dataset.node`), String(found));
const isDescribed = async (node) =>
  browser.until(`document.querySelector('#properties dd')?.innerText === ${JSON.stringify(await known.nodePath(node))}`);
await isDescribed(found);
await browser.click('#tree .row.is-current .name');
await browser.press('Enter');
await settled();
await shot('fly');
assert.ok((await pixels(isBlue)) > 2000, 'the selected part is not near');

// ---- hide, isolate, ghost, show all
await browser.click('[data-do=hide]');
const hidden = await states();
assert.equal(count(hidden, 1), nodes.slice(found, nodes[found].end).filter(({ instance }) => instance !== null).length);
await whole();
assert.ok((await pixels(isBlue)) < 500, 'what is hidden is seen');
await browser.press('a');
await browser.press('i');
assert.equal(count(await states(), 0), count(hidden, 1));
await whole();
const alone = await pixels(any);
await shot('isolated');
await browser.click('[data-do=ghost]');
await whole();
await shot('ghosts');
assert.equal(count(await states(), 2), count(hidden, 0));
assert.ok((await pixels(any)) > alone, 'ghosts are not seen');
await browser.press('a');
await browser.press('Escape');

// ---- a pick is what the library's ray meets
await browser.press('1');
await settled();
const target = await browser.ask(`(() => { // a pixel with something at it
  const from = document.querySelector('#picture');
  const two = new OffscreenCanvas(from.width, from.height).getContext('2d');
  two.drawImage(from, 0, 0);
  const { data } = two.getImageData(0, 0, from.width, from.height);
  const back = data.slice(0, 3).join(), places = [];
  const is = (x, y) => { const i = 4 * (y * from.width + x); return data.slice(i, i + 3).join() !== back; };
  for (let y = 20; y < from.height - 20; y += 3) for (let x = 20; x < from.width - 20; x += 3) {
    let all = true;
    for (let k = -6; k <= 6 && all; k += 3) all = is(x + k, y) && is(x, y + k);
    if (all) places.push([x, y]); }
  const { left, top } = from.getBoundingClientRect();
  return [places[0], places[Math.floor(places.length / 2)], places[places.length - 1]].map(([x, y]) => [x + left, y + top]); })()`);
for (const [x, y] of target) {
  const ray = await browser.ask(`bvpackPage.eye.rayAt(${x}, ${y}, document.querySelector('#picture')).map((n) => n === Infinity ? 1e300 : n)`);
  ray[7] = Infinity;
  await browser.clickAt(x, y);
  const hit = await known.rayFirst(ray);
  assert.equal(hit.found[0], 1);
  const node = (await known.instances(hit.instance[0], 1))[0].node;
  await browser.until(`bvpackPage.node === ${node}`, 'the pick selects what the ray meets');
  await isDescribed(node);
}
await shot('picked');
// what is hidden is not picked: what is behind it is
{
  const node = await selected();
  const [x, y] = target[2];
  await browser.press('h');
  await whole();
  const others = nodes[node].instance;
  const ray = await browser.ask(`bvpackPage.eye.rayAt(${x}, ${y}, document.querySelector('#picture')).slice(0, 6)`);
  const behind = await known.rayFirst([...ray, 0, Infinity], { without: [others] });
  const hit = await browser.ask(`bvpackPage.pick(${x}, ${y})`);
  assert.equal(hit?.instance ?? null, behind.found[0] ? behind.instance[0] : null, 'a pick of what is hidden');
  await browser.press('a');
}
await browser.press('Escape');
assert.equal(await selected(), null);

// ---- section: caps are where the plane is inside a body that is closed
const kinds = await known.parts();
assert.deepEqual(
  await browser.ask('Array.from(bvpackPage.scene.isClosed, Boolean)'),
  kinds.map(({ openEdgeCount, triangleCount }) => openEdgeCount <= triangleCount / 100),
);
await browser.ask(`bvpackPage.select(${found})`);
await browser.press('i');
await browser.press('f');
await settled();
await browser.press('Escape');
await whole();
assert.equal(await capAt(600, 400), null, 'there are caps without a section');
await browser.click('[data-do=section]');
await browser.click('[data-axis=x]');
const [instance] = await browser.ask(`bvpackPage.model.instancesOf(${found})`);
const share = await browser.ask(`(bvpackPage.scene.centres[${3 * instance}] + bvpackPage.model.origin[0] - bvpackPage.model.info.lo[0])
  / (bvpackPage.model.info.hi[0] - bvpackPage.model.info.lo[0])`);
const [left] = await browser.placeOf('#section-panel input', [0, 0.5]);
const [right, y0] = await browser.placeOf('#section-panel input', [1, 0.5]);
await browser.clickAt(left + 8 + share * (right - left - 16), y0);
await whole();
await shot('section');
const plane = await browser.ask('bvpackPage.section.plane');
assert.ok(plane[0] === -1 && plane[3] !== undefined);
const dot = (p, q) => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
const tally = { inside: 0, outside: 0, seen: 0 };
const { left: canvasLeft, top: canvasTop } = await browser.ask(`(({ left, top }) => ({ left, top }))(document.querySelector('#picture').getBoundingClientRect())`);
const colour = await browser.ask(`[...bvpackPage.scene.paints.image.data.subarray(${4 * instance}, ${4 * instance + 3})]`);
for (let y = canvasTop + 10; y < canvasTop + 740; y += 24)
  for (let x = canvasLeft + 10; x < canvasLeft + 700; x += 24) {
    const eyeRay = await browser.ask(`bvpackPage.eye.rayAt(${x} + 0.5, ${y} + 0.5, document.querySelector('#picture')).slice(0, 6)`);
    const t = -(dot(plane, eyeRay) + plane[3]) / dot(plane, eyeRay.slice(3));
    const at = [0, 1, 2].map((k) => eyeRay[k] + t * eyeRay[3 + k]);
    const near = await known.closest(at, { only: [instance] });
    if (near.distance[0] < t * 0.004) continue; // three pixels from the surface
    const { count: crossings } = await known.rayAll([...at, 0.31, 0.53, 0.79, 0, Infinity], { only: [instance] });
    const isInside = crossings % 2 === 1;
    const counted = Math.abs(await capAt(x, y)) > 0.5;
    assert.equal(counted, isInside, `the section's point at ${x}, ${y}`);
    tally[isInside ? 'inside' : 'outside']++;
    if (!isInside) continue;
    const shown = await pixelAt(x, y);
    const fades = [0.72, 0.94].map((fade) => colour.map((one) => one * fade));
    if (fades.some((one) => one.every((value, k) => Math.abs(value - shown[k]) < 4))) tally.seen++;
  }
assert.ok(tally.inside >= 20 && tally.outside >= 20, `${JSON.stringify(tally)}: too few to tell`);
assert.equal(tally.seen, tally.inside, 'caps have not the colour of their part');
let [cut, picked] = [0, 0];
for (let y = canvasTop + 10; y < canvasTop + 740; y += 60)
  for (let x = canvasLeft + 10; x < canvasLeft + 700; x += 60) { // what is cut away is not picked
    const ray = await browser.ask(`bvpackPage.eye.rayAt(${x}, ${y}, document.querySelector('#picture')).slice(0, 6)`);
    const whole = await known.rayFirst([...ray, 0, Infinity], { only: [instance] });
    const hit = await browser.ask(`bvpackPage.pick(${x}, ${y})`);
    if (whole.found[0] && dot(plane, [0, 1, 2].map((k) => ray[k] + whole.t[0] * ray[3 + k])) + plane[3] < 0) cut++;
    if (hit) picked++;
    if (hit) assert.ok(dot(plane, hit.point) + plane[3] > -1e-9, 'a pick of what is cut away');
  }
assert.ok(cut > 3 && picked > 3, `${cut} rays meet what is cut away, ${picked} something`);
assert.equal(await capCount(), 1);
await browser.ask(`bvpackPage.scene.isClosed[bvpackPage.model.instancePart[${instance}]] = 0`);
await browser.ask('bvpackPage.change()');
await whole();
assert.equal(await capCount(), 0, 'a part that is open has caps');
await browser.ask(`bvpackPage.scene.isClosed[bvpackPage.model.instancePart[${instance}]] = 1`);
await browser.click('#section-panel [data-flip]');
await whole();
assert.equal(await capCount(), 0, 'caps are seen from behind');
await browser.press('a');
await browser.press('1');
await settled();
await shot('section-flipped');
await browser.click('[data-do=section]');
assert.equal(await browser.ask('bvpackPage.section.plane'), null);

// ---- measure: points, then bodies, exactly as the library
await browser.press('m');
await browser.clickAt(...target[0]);
await browser.until('bvpackPage.measure.picks.length === 1');
await browser.clickAt(...target[2]);
const points = await browser.until('bvpackPage.measure.result');
assert.equal(points.distance, Math.hypot(...points.pointA.map((x, k) => points.pointB[k] - x)));
await whole();
await shot('measure-points');
await browser.click('input[value=bodies]');
const bodies = await browser.until(`bvpackPage.measure.result && /bodies|one body/.test(document.querySelector('#measure-panel output').innerText) && bvpackPage.measure.result`);
const [a, b] = await browser.ask('bvpackPage.measure.picks.map((one) => one.instance)');
const exact = await known.distance({ only: [b] }, { a: { only: [a] } });
assert.equal(bodies.distance, exact.distance);
assert.deepEqual(bodies.pointA, [...exact.pointA]);
await shot('measure-bodies');
assert.match(await textOf('#measure-panel output'), /between the bodies|they touch/);
await browser.press('Escape');

// ---- clashes: the list, and a flight to one
await browser.click('#tab-clashes');
const worst = rows.filter(({ verdict }) => verdict === 'penetrating').length;
assert.match(await textOf('.chips'), new RegExp(`penetrating ${worst}`));
const ids = rows.map(({ id }) => id);
assert.deepEqual(await browser.ask('bvpackPage.clashes.all.map(({ id }) => id)'), ids, "the report's order");
await browser.click('#panel-clashes .row:nth-child(1)');
await settled();
await shot('clash');
const pair = await browser.ask('bvpackPage.clashes.shown[bvpackPage.clashes.at]');
assert.equal(pair.verdict, 'penetrating');
assert.deepEqual(
  (await browser.ask('[...bvpackPage.scene.sides.keys()]')).sort(),
  [pair.instance_a, pair.instance_b].sort(),
);
const middle = pair.box_lo.map((lo, k) => (lo + pair.box_hi[k]) / 2);
const [px, py] = await browser.ask(`bvpackPage.eye.pixelOf(${JSON.stringify(middle)}, 720, 760)`);
assert.ok(Math.abs(px - 360) < 40 && Math.abs(py - 380) < 60, 'the contact is not in the middle');
await browser.press('j');
assert.equal(await browser.ask('bvpackPage.clashes.at'), 1);
assert.match(await textOf('#properties'), /verdict/);
// a report of another export: found by path, whatever the numbers
const byPath = await browser.ask(`bvpackPage.clashes.instancesOf({ ...bvpackPage.clashes.shown[0], instance_a: 0, instance_b: 1 })`);
assert.deepEqual(byPath, [pair.instance_a, pair.instance_b]);

// ---- views: out, and in again: camera, section, selection, what is hidden, colours
await browser.press('a');
const painted = nodes.findIndex(({ instance }, node) => instance !== null && node !== found);
const paint = '(r, g, b) => r > 2.5 * g && b > 2.5 * g && r > 60'; // a colour that no part has
await browser.ask(`bvpackPage.select(${painted})`);
await browser.ask(`(() => { const one = document.querySelector('#paint'); one.value = '#ff00fe'; one.dispatchEvent(new Event('change', { bubbles: true })); })()`);
await browser.ask(`bvpackPage.fly(${painted})`);
await browser.ask(`bvpackPage.paint('#ff00fe')`);
await settled();
await shot('painted');
assert.ok((await pixels(paint)) > 1000, 'a colour that the user chose is not seen');
await browser.ask(`bvpackPage.select(${painted})`);
await whole();
assert.ok((await pixels(paint)) < 100, 'what is selected does not look so');
await browser.ask(`bvpackPage.select(${found})`);
await whole();
assert.ok((await pixels(paint)) > 1000, 'the colour is lost');
await browser.press('h');
await browser.press('s');
await browser.press('3');
await settled();
const eye = await browser.ask('bvpackPage.eye.camera.position.toArray()');
const saved = mkdtempSync(join(tmpdir(), 'views-'));
await browser.call('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: saved });
await browser.click('[data-do=save]');
for (let i = 0; i < 100 && !readdirSync(saved).some((name) => name.endsWith('.bcf')); i++)
  await new Promise((resolve) => setTimeout(resolve, 50));
const colours = await browser.ask('[...bvpackPage.scene.marks]');
const cutBy = await browser.ask('bvpackPage.section.plane');
assert.notEqual(cutBy, null);
assert.deepEqual(colours, [[nodes[painted].instance, [255, 0, 254]]]);
await browser.press('s');
await browser.press('a');
await browser.press('Escape');
await browser.press('1');
await settled();
assert.equal(await browser.ask('bvpackPage.scene.marks.size'), 0, 'show all leaves colours');
await browser.choose('#files', [join(saved, 'cell 1-view.bcf')]);
await browser.until(`bvpackPage.node === ${found}`, 'the view selects what was selected');
const again = await browser.ask('bvpackPage.eye.camera.position.toArray()');
assert.ok(Math.hypot(...again.map((x, k) => x - eye[k])) < 1e-3, 'the camera is elsewhere');
assert.equal(count(await states(), 1), count(hidden, 1));
const cutAgain = await browser.ask('bvpackPage.section.plane');
assert.ok(cutBy.every((x, k) => Math.abs(x - cutAgain[k]) < 1e-9), `the section was ${cutBy}, is ${cutAgain}`);
await browser.until(`bvpackPage.scene.marks.size === 1`);
assert.deepEqual(await browser.ask('[...bvpackPage.scene.marks]'), colours, 'colours do not come back');
// isolated, by a viewpoint of another program: by ids of its own, colours with alpha
const other = (body) => browser.ask(`bvpackPage.loadBcf(new TextEncoder().encode(${JSON.stringify(body)}), 'other.bcfv')`);
const xyz = (name, x, y, z) => `<${name}><X>${x}</X><Y>${y}</Y><Z>${z}</Z></${name}>`;
const component = (path) => `<Component IfcGuid="nowhere"><AuthoringToolId>${path.replace(/&/g, '&amp;')}</AuthoringToolId></Component>`;
const [pathA, pathB] = [await known.nodePath(painted), await known.nodePath(found)];
await other(`<VisualizationInfo><Components><Selection/><Visibility DefaultVisibility="false"><Exceptions>
  ${component(pathA)}${component(pathB)}</Exceptions></Visibility>
  <Coloring><Color Color="80112233"><Component IfcGuid="x"><AuthoringToolId>none</AuthoringToolId></Component>${component(pathB)}</Color>
  <Color Color="no colour">${component(pathA)}</Color></Coloring></Components>
  <PerspectiveCamera>${xyz('CameraViewPoint', 9, 9, 9)}${xyz('CameraDirection', -1, -1, -1)}${xyz('CameraUpVector', 0, 0, 1)}
  <FieldOfView>60</FieldOfView></PerspectiveCamera></VisualizationInfo>`);
const below = (node) => nodes.slice(node, nodes[node].end).map(({ instance }) => instance).filter((one) => one !== null);
const seen = (await states()).flatMap((state, i) => (state === 0 ? [i] : []));
assert.deepEqual(seen, [...below(painted), ...below(found)].sort((p, q) => p - q), 'a viewpoint isolates others');
assert.deepEqual(await browser.ask('[...bvpackPage.scene.marks]'), below(found).map((one) => [one, [0x11, 0x22, 0x33]]));
assert.equal(await selected(), null);
const isolated = await browser.ask('bvpackPage.view()');
assert.equal(isolated.isolated.length, seen.length);
assert.deepEqual(isolated.colouring.map(([colour, of]) => [colour, of.length]), [[[0x11, 0x22, 0x33], below(found).length]]);
await browser.press('a');
if (await browser.ask('bvpackPage.section.plane')) await browser.press('s');
await browser.choose('#files', [topics]);
await browser.until(`document.querySelectorAll('#panel-topics .topic').length > 1`);
// in the order of the issues' severity, which is that of the report of rows
const titles = [...new Map(rows.map((row) => [row.issue, row.issue_title])).values()];
const texts = await browser.ask(`[...document.querySelectorAll('#panel-topics .topic')].map((one) => one.textContent)`);
assert.equal(texts.length, titles.length);
titles.forEach((title, i) => assert.ok(texts[i].startsWith(title), `topic ${i}: ${texts[i]}, not ${title}`));
assert.notDeepEqual(texts, [...texts].sort((a, b) => a.localeCompare(b)), 'a case in which sorting by title shows');
await browser.click('#panel-topics .topic');
await settled();
await shot('topic');
// a topic is an issue: all elements of its pairs, in the colours of their sides
const title = await browser.ask(`document.querySelector('#panel-topics .topic').textContent`);
const issue = rows.find((row) => title.includes(row.issue_title)).issue;
const members = new Set(rows.filter((row) => row.issue === issue).flatMap((row) => [row.instance_a, row.instance_b]));
assert.equal(await browser.ask('bvpackPage.scene.selected.size'), members.size, 'a topic selects what its issue has');
const sideColours = await browser.ask('[...new Set([...bvpackPage.scene.marks.values()].map(String))].sort()');
assert.deepEqual(sideColours, ['224,100,60', '63,127,196'], 'a topic colours its sides');
assert.equal(await browser.ask('bvpackPage.scene.marks.size'), members.size);
assert.ok((await pixels('(r, g, b) => r > 2 * b && r > 1.6 * g')) > 200, 'its colours are not seen');

// ---- dark; keys; the mouse turns
await browser.press('t');
await browser.press('a');
await browser.press('Escape');
await browser.press('1');
await settled();
await shot('dark');
assert.equal(await browser.ask(`document.documentElement.classList.contains('dark')`), true);
const stood = await browser.ask('bvpackPage.eye.camera.position.toArray()');
await browser.drag(600, 400, 700, 420);
await whole();
assert.notDeepEqual(await browser.ask('bvpackPage.eye.camera.position.toArray()'), stood);
assert.equal(await selected(), null, 'a drag is no click');
await browser.press('?');
await shot('help');
assert.equal(await browser.ask(`document.querySelector('#help').open`), true);
const wide = await browser.ask('document.documentElement.scrollWidth');
assert.ok(wide <= 1280, `the page is ${wide} pixels wide`);

// ---- a mesh of several colours: each triangle in its own, the cap in the first
await browser.goTo(`${url}/plant.html?file=models/two.bvp`);
await browser.until(`document.querySelector('#title').innerText === 'two.bvp'`);
await whole();
const isRed = '(r, g, b) => r > 3 * g && r > 3 * b';
const isGreen = '(r, g, b) => g > 3 * r && g > 3 * b';
const own = [await pixels(isRed), await pixels(isGreen)];
await shot('colours');
assert.ok(own.every((one) => one > 20000), `${own} pixels of the two colours`);
await browser.ask('bvpackPage.select(0)');
await whole();
assert.ok((await pixels(isRed)) < 300 && (await pixels(isGreen)) < 300, 'what is selected keeps colours of its own');
assert.ok((await pixels(isBlue)) > 40000);
await browser.ask('bvpackPage.select(null)');
await whole();
const later = [await pixels(isRed), await pixels(isGreen)];
assert.ok(own.every((one, i) => Math.abs(one - later[i]) < 0.02 * one), `${later} pixels in place of ${own}`);
await browser.press('s');
await whole();
await shot('colours-cut');
const [x, y] = await browser.ask(`bvpackPage.eye.pixelOf([0.5, 0.5, 0.5], 720, 760)`);
const capColour = await pixelAt(x + canvasLeft, y + canvasTop);
assert.ok(capColour[0] > 3 * capColour[1] && capColour[0] > 100, `the cap is ${capColour}`);

// ---- a page from a folder says that it cannot read, and takes what it is given
await browser.goTo(pathToFileURL(path).href);
await browser.until(`!document.querySelector('#welcome').hidden`);
assert.match(await textOf('#welcome'), /Choose cell 1.bvp yourself/);
await shot('welcome');
await browser.choose('#files', [file]);
await whole();
assert.ok((await pixels(any)) > 5000, 'a file that was chosen is not drawn');
assert.deepEqual(browser.said, [], 'the page complained');
console.log('the viewer: tree, search, pick, hide, section, measure, clashes, views: passed');
process.exit(0);
