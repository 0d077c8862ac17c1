// SPDX-License-Identifier: MIT
// page.mjs: one open file in the page: its scene, its tree, and what is selected, hidden, cut,
// measured; clashes and views are shown in it.

import { Vector3 } from 'three';
import { readBcf, writeBcf } from './bcf.mjs';
import { Eye } from './camera.mjs';
import { Clashes } from './clashes.mjs';
import { readRuns } from './colours.mjs';
import { Measure } from './measure.mjs';
import { NONE } from './model.mjs';
import { Overlay } from './overlay.mjs';
import { Painter } from './painter.mjs';
import { SIDE_A, SIDE_B } from './palette.mjs';
import { Properties } from './properties.mjs';
import { CLEAR, GHOST, HIDDEN, Scene, SHOWN } from './scene.mjs';
import { outlineOf, Section } from './section.mjs';
import { Stream } from './stream.mjs';
import { Tree } from './tree.mjs';

export const $ = (selector) => document.querySelector(selector);
const BOXES_FROM = 4000; // instances; fewer are here as soon as their boxes would be
const BOX_LEVEL = 4;
const COMPONENTS_MOST = 1000; // of a list of a viewpoint

export const canvas = $('#picture');

// ---- what is said ---------------------------------------------------------------------------------

export function say(text, isBad = false) {
  const status = $('#status');
  status.textContent = text;
  status.classList.toggle('is-bad', isBad);
}

export const complain = (error) => say(String(error?.message ?? error), true);

export function showTab(name) {
  for (const one of ['tree', 'clashes', 'topics']) {
    $(`#tab-${one}`).setAttribute('aria-selected', one === name);
    $(`#panel-${one}`).hidden = one !== name;
  }
}

// ---- one open file --------------------------------------------------------------------------------

export class Page {
  constructor(model, onSection) {
    this.model = model;
    this.onSection = onSection; // a view has one
    this.scene = new Scene(model);
    this.stream = new Stream(model, () => this.arrived());
    this.eye = new Eye(canvas, model, () => this.moved());
    this.painter = new Painter(canvas, this.scene, this.stream, this.eye.camera);
    this.overlay = new Overlay($('#over'), this.eye);
    this.properties = new Properties($('#properties'), model);
    this.section = new Section($('#section-panel'), model, {
      change: (plane) => this.cut(plane),
      pick: () => this.want('face'),
    });
    this.measure = new Measure($('#measure-panel'), model, this.eye, this.overlay, canvas);
    this.clashes = new Clashes($('#panel-clashes'), model, { show: (row) => this.showClash(row).catch(complain) });
    this.tree = new Tree($('#tree'), $('#search'), $('#panel-tree .search output'), model, {
      select: (node) => this.select(node),
      fly: (node) => this.fly(node),
      hide: (node) => this.toggle(node),
      stateOf: (node) => this.stateOf(node),
      isSelected: (node) => node === this.node,
    });
    this.node = null;
    this.nodes = []; // that are selected: more than one by a viewpoint
    this.wanted = null;
    this.painter.onPicture = () => this.pictured();
    new ResizeObserver(() => this.resized()).observe(canvas);
    this.resized();
    this.themed();
    const frame = () => {
      this.tick();
      this.frame = requestAnimationFrame(frame);
    };
    frame();
  }

  // The boxes of the tree first, then the instances, then the tree of products.
  async read() {
    const { model, painter, scene, stream } = this;
    const { instanceCount } = model.info;
    if (instanceCount > BOXES_FROM) painter.showBoxes(await model.file.boxes(BOX_LEVEL));
    await model.readParts();
    scene.takeParts();
    await model.readInstances((first, table) => {
      scene.takeInstances(first, table);
      stream.countInstances(table.part);
    });
    scene.upload();
    painter.showInstances();
    performance.mark('instances');
    await model.readNodes();
    this.tree.begin();
    performance.mark('tree');
    await this.readColours();
    this.isRead = true;
  }

  async readColours() {
    const { model, painter, scene, stream } = this;
    const several = [];
    let isColoured = false;
    await model.readColours((first, table) => {
      isColoured = scene.takeColours(first, table, several) || isColoured;
    });
    const runs = await readRuns(model, several);
    if (runs.size > 0) {
      scene.takeRuns(runs);
      stream.setRuns(runs);
      painter.showSwatches();
    }
    if (isColoured || runs.size > 0) this.change();
  }

  // ---- frames ---------------------------------------------------------------------------------

  resized() {
    const { clientWidth: width, clientHeight: height } = canvas;
    if (width > 0 && height > 0) this.painter.resize(width, height);
    this.overlay.draw();
  }

  themed() {
    this.painter.background(getComputedStyle($('#stage')).backgroundColor);
  }

  moved() {
    this.begun();
    this.painter?.move();
    this.overlay?.draw();
  }

  // Triangles have come: drawn from time to time, and when all have.
  arrived() {
    this.hasMore = true;
  }

  tick() {
    const { painter, stream } = this;
    const now = performance.now();
    if (this.hasMore && !painter.isMoving && (now - (this.refinedAt ?? 0) > 700 || !stream.isBusy)) {
      this.hasMore = false;
      this.refinedAt = now;
      this.change();
    }
    const isBusy = painter.frame();
    const isWhole = !isBusy && !stream.isBusy && this.isRead && !this.hasMore;
    if (isWhole !== this.isWhole) {
      this.isWhole = isWhole;
      if (isWhole && !performance.getEntriesByName('whole').length) performance.mark('whole');
      document.body.dataset.state = isWhole ? 'whole' : 'drawing';
    }
    if (stream.failure) complain(stream.failure);
    else if (!this.note || now > this.noteUntil) this.tell();
  }

  tell() {
    const { painter, stream } = this;
    const text = `${Math.round(painter.drawn).toLocaleString('en')} triangles`;
    const full = stream.isFull ? ', not all parts have room: come nearer' : '';
    const more = this.isWhole ? '' : ' …';
    const said = this.isRead ? text + full + more : 'reading …';
    if ($('#status').textContent !== said) say(said);
  }

  // Said for a while.
  remark(text) {
    this.note = text;
    this.noteUntil = performance.now() + 4000;
    say(text);
  }

  pictured() {
    if (!this.hasPicture && this.painter.drawn > 0) {
      this.hasPicture = true;
      performance.mark('picture');
    }
  }

  begun() {
    this.isWhole = false;
    document.body.dataset.state = 'drawing';
  }

  change() {
    this.begun();
    this.painter.hold($('#still'));
    this.painter.change();
  }

  // ---- what is selected, shown, hidden ----------------------------------------------------------

  select(node) {
    const { model, scene } = this;
    const hadClash = scene.sides.size > 0;
    const instances = node === null ? [] : model.instancesOf(node);
    this.node = node;
    this.nodes = node === null ? [] : [node];
    if (hadClash) this.endClash();
    const changed = scene.select(instances);
    if (node === null) {
      this.properties.none();
      this.tree.current = null;
      this.tree.draw();
    } else {
      this.properties.show(node, instances.length).catch(complain);
      this.tree.reveal(node);
    }
    if (hadClash || !this.painter.repaint(changed)) this.change();
  }

  get instances() {
    return this.node === null ? [] : this.model.instancesOf(this.node);
  }

  stateOf(node) {
    const instances = this.model.nodeEnd[node] - node < 2000 ? this.model.instancesOf(node) : [];
    const [first] = instances;
    if (first === undefined) return SHOWN;
    const state = this.scene.state[first];
    return instances.every((one) => this.scene.state[one] === state) ? state : SHOWN;
  }

  toggle(node) {
    const state = this.stateOf(node) === HIDDEN ? SHOWN : HIDDEN;
    this.scene.set(this.model.instancesOf(node), state);
    this.shown();
  }

  shown() {
    this.tree.draw();
    this.change();
  }

  async fly(node) {
    if (node !== this.node) this.select(node);
    await this.flyTo(this.model.instancesOf(node));
  }

  async flyTo(instances, margin = 1.25) {
    const { centres, radii } = this.scene;
    if (instances.length === 0) return;
    const [lo, hi] = [new Vector3().setScalar(Infinity), new Vector3().setScalar(-Infinity)];
    for (const one of instances) {
      const centre = new Vector3().fromArray(centres, 3 * one);
      const half = new Vector3().setScalar(radii[one] / Math.sqrt(3));
      lo.min(centre.clone().sub(half));
      hi.max(centre.add(half));
    }
    this.eye.fit(lo, hi, { margin });
  }

  act(name) {
    const { instances, scene } = this;
    if (['hide', 'isolate', 'ghost'].includes(name) && instances.length === 0)
      return this.remark('Select something first: click it in the picture or in the tree.');
    if (name === 'hide') scene.set(instances, HIDDEN);
    if (name === 'isolate') scene.only(instances, HIDDEN);
    if (name === 'ghost') scene.only(instances, GHOST);
    if (name === 'all') {
      scene.state.fill(SHOWN);
      scene.setMarks([]);
      this.endClash();
    }
    return this.shown();
  }

  // colour: "#rrggbb", of what is selected.
  paint(colour) {
    const instances = [...this.scene.selected];
    if (instances.length === 0) return this.remark('Select something first: click it in the picture or in the tree.');
    this.scene.mark([[instances, [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16))]]);
    return this.change();
  }

  // ---- picks ------------------------------------------------------------------------------------

  want(what) {
    this.wanted = what;
    canvas.classList.toggle('is-picking', what !== null || this.measure.isOn);
    if (what === 'face') this.remark('Click a face.');
  }

  // {point, normal, instance, part, triangle}, or null
  async pick(clientX, clientY) {
    const ray = this.eye.rayAt(clientX, clientY, canvas);
    const range = this.section.clip(ray);
    const body = this.scene.body();
    if (range === null || body === null) return null;
    const hits = await this.model.file.rayFirst([...ray.slice(0, 6), ...range], body);
    if (!hits.found[0]) return null;
    return {
      point: [0, 1, 2].map((k) => ray[k] + hits.t[0] * ray[3 + k]),
      normal: [...hits.normal],
      instance: hits.instance[0],
      part: hits.part[0],
      triangle: hits.triangle[0],
    };
  }

  async click(event) {
    const hit = await this.pick(event.clientX, event.clientY);
    if (this.wanted === 'face') {
      this.want(null);
      if (!hit) return this.remark('There is no face.');
      const facing = hit.normal.reduce((sum, n, k) => sum + n * (hit.point[k] - this.eye.camera.position.toArray()[k] - this.model.origin[k]), 0);
      return this.section.along(facing > 0 ? hit.normal.map((n) => -n) : hit.normal, hit.point);
    }
    if (this.measure.isOn) return hit ? this.measure.take(hit) : undefined;
    if (!hit) return this.select(null);
    const node = this.model.instanceNode[hit.instance];
    return this.select(node === NONE ? null : node);
  }

  async goTo(event) {
    const hit = await this.pick(event.clientX, event.clientY);
    if (hit) await this.flyTo([hit.instance], 1.6);
  }

  // ---- the section --------------------------------------------------------------------------------

  cut(plane) {
    this.begun();
    this.painter.section(plane);
    const { lo, hi } = this.model.info;
    const outline = plane ? outlineOf(plane, [...lo], [...hi]) : [];
    this.overlay.show('section', outline.length > 0 ? [{ outline, style: 'section' }] : []);
  }

  // ---- clashes ------------------------------------------------------------------------------------

  endClash() {
    if (this.scene.sides.size > 0) this.scene.setSides([]);
    this.overlay.hide('clash');
  }

  async showClash(row) {
    const { scene, eye, model } = this;
    const [a, b] = await this.clashes.instancesOf(row);
    const there = [a, b].filter((one) => one !== null);
    if (there.length === 0) return this.remark('The pair is not in this file.');
    this.node = null;
    this.nodes = [];
    scene.select([]);
    scene.setSides([[[a], SIDE_A], [[b], SIDE_B]].filter(([[one]]) => one !== null));
    scene.only(there, GHOST);
    // the smaller one shines through the larger one, as in the pictures of reports
    if (there.length === 2) scene.state[scene.radii[a] > scene.radii[b] ? a : b] = CLEAR;
    this.overlay.show('clash', [
      { line: [row.point_a, row.point_b], style: 'witness', text: this.clashes.measureOf(row) || row.verdict },
      { point: row.point_a, style: 'witness' },
      { point: row.point_b, style: 'witness' },
    ].filter(({ line, point }) => (line ? line[0] && line[1] : point)));
    const relative = (p) => new Vector3(...p.map((x, k) => x - model.origin[k]));
    const sizes = there.map((one) => scene.radii[one]).sort((p, q) => p - q);
    const grow = Math.max(0.6 * sizes[0], 1e-4 * model.size);
    const [lo, hi] = [relative(row.box_lo ?? row.point_a), relative(row.box_hi ?? row.point_b)];
    eye.fit(lo.subScalar(grow), hi.addScalar(grow), { margin: 1.3 });
    this.showPairProperties(row);
    return this.shown();
  }

  showPairProperties(row) {
    const list = document.createElement('dl');
    const add = (key, value) => {
      if (value === undefined || value === null || value === '') return;
      const [term, text] = [document.createElement('dt'), document.createElement('dd')];
      [term.textContent, text.textContent] = [key, value];
      list.append(term, text);
    };
    const { model } = this;
    add('verdict', row.verdict);
    add('A (orange)', row.a);
    add('part', row.part_a);
    add('B (blue)', row.b);
    add('part', row.part_b);
    add('distance', model.length(row.distance ?? 0));
    add('depth, at least', row.depth > 0 ? model.length(row.depth) : '');
    add('rule', row.rule);
    add('state', row.state);
    add('place', row.place);
    add('id', row.id);
    const title = document.createElement('h2');
    title.textContent = 'Clash';
    this.properties.asked = null;
    $('#properties').replaceChildren(title, list);
  }

  // ---- viewpoints ---------------------------------------------------------------------------------

  get unit() {
    return this.model.info.unitInMetres > 0 ? this.model.info.unitInMetres : 1;
  }

  componentsOf(nodes) {
    const known = nodes.slice(0, COMPONENTS_MOST).filter((node) => node !== NONE);
    return Promise.all(known.map(async (node) => ({ path: await this.model.file.nodePath(node) })));
  }

  partsOf(instances) {
    return this.componentsOf(instances.map((one) => this.model.instanceNode[one]));
  }

  async view() {
    const { camera } = this.eye;
    const [shown, others] = [[], []];
    this.scene.state.forEach((state, i) => (state === HIDDEN ? others : shown).push(i));
    const isolates = shown.length < others.length;
    const way = new Vector3();
    camera.getWorldDirection(way);
    return {
      eye: camera.position.toArray().map((x, k) => x + this.model.origin[k]),
      way: way.toArray(),
      up: new Vector3(0, 1, 0).applyQuaternion(camera.quaternion).toArray(),
      fov: camera.fov,
      aspect: camera.aspect,
      plane: this.section.plane,
      selected: await this.componentsOf(this.nodes),
      hidden: isolates ? [] : await this.partsOf(others),
      isolated: isolates ? await this.partsOf(shown) : null,
      colouring: await Promise.all(
        this.scene.colouring().map(async ([colour, instances]) => [colour, await this.partsOf(instances)]),
      ),
    };
  }

  async save() {
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
    const snapshot = new Uint8Array(await blob.arrayBuffer());
    const options = { title: `View of ${this.model.name}`, fileName: this.model.name, unit: this.unit, snapshot };
    const link = document.createElement('a');
    link.href = URL.createObjectURL(writeBcf(await this.view(), options));
    link.download = `${this.model.name.replace(/\.bvp$/, '')}-view.bcf`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    this.remark(`Saved ${link.download}.`);
  }

  // The node of a path, or else the one whose id in the source is the component's.
  async nodeOf({ path, guid }) {
    const { file } = this.model;
    const found = path ? await file.nodeAt(path) : null;
    if (found !== null || !guid) return found;
    for (const node of await file.findNodes(guid)) {
      const [{ sourceId }] = await file.nodes(node, 1);
      if (sourceId === guid) return node;
    }
    return null;
  }

  async nodesOf(components) {
    const found = await Promise.all(components.map((one) => this.nodeOf(one)));
    return found.filter((node) => node !== null);
  }

  async apply(view) {
    const { scene, model, eye } = this;
    const below = (nodes) => nodes.flatMap((node) => model.instancesOf(node));
    const [isolated, hidden, selected, ...coloured] = await Promise.all(
      [view.isolated ?? [], view.hidden, view.selected, ...view.colouring.map(([, of]) => of)].map((of) => this.nodesOf(of)),
    );
    // all at once from here on
    scene.state.fill(SHOWN);
    this.endClash();
    if (view.isolated) scene.only(below(isolated), HIDDEN);
    scene.set(below(hidden), HIDDEN);
    this.select(selected[0] ?? null);
    this.nodes = selected;
    if (selected.length > 1) scene.select(below(selected));
    scene.setMarks(view.colouring.map(([colour], i) => [below(coloured[i]), colour]));
    this.section.plane = view.plane;
    if (view.plane) this.onSection();
    const position = new Vector3(...view.eye.map((x, k) => x - model.origin[k]));
    const way = new Vector3(...view.way).normalize();
    const chosen = below(selected).map((one) => new Vector3().fromArray(scene.centres, 3 * one));
    const ahead = chosen.length > 0 ? chosen[0].sub(position).dot(way) : position.length();
    eye.camera.fov = Math.min(Math.max(view.fov, 5), 120);
    eye.go(position, position.clone().addScaledVector(way, Math.max(ahead, 1e-3 * model.size)), false);
    this.shown();
  }

  async loadBcf(bytes, name) {
    const topics = await readBcf(bytes, this.unit);
    const list = $('#panel-topics .list');
    list.replaceChildren(
      ...topics.map(({ title, view }) => {
        const row = document.createElement('button');
        row.className = 'topic';
        row.textContent = title;
        row.addEventListener('click', () => view().then((one) => this.apply(one)).catch(complain));
        return row;
      }),
    );
    $('#panel-topics .hint').textContent = `${topics.length} of ${name}`;
    showTab('topics');
    if (topics.length === 1) await this.apply(await topics[0].view());
  }
}

