// SPDX-License-Identifier: MIT
// tree.mjs: the product tree: opens and closes, is searched, and says what is selected.

import { Rows } from './rows.mjs';
import { HIDDEN, GHOST } from './scene.mjs';

const ROW = 24;
const FOUND_MOST = 5000;
const SEARCH_AFTER = 180;

export class Tree {
  // on: {select(node, {add}), fly(node), hide(node), stateOf(node)}
  constructor(box, search, said, model, on) {
    Object.assign(this, { box, search, said, model, on });
    this.open = new Set();
    this.lines = []; // [node, depth]
    this.found = null;
    this.current = null;
    this.rows = new Rows(box, ROW, (i) => this.#row(i));
    box.addEventListener('keydown', (event) => this.#key(event));
    box.addEventListener('click', (event) => this.#click(event));
    box.addEventListener('dblclick', (event) => {
      const row = event.target.closest('[data-node]');
      if (row) on.fly(Number(row.dataset.node));
    });
    search.addEventListener('input', () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.find(search.value.trim()), SEARCH_AFTER);
    });
    search.addEventListener('keydown', (event) => {
      if (event.key === 'ArrowDown') box.focus();
      if (event.key === 'Escape') {
        event.stopPropagation();
        search.value = '';
        this.find('');
        search.blur();
      }
    });
  }

  // The nodes have been read.
  begin() {
    const roots = this.model.roots();
    if (roots.length === 1) this.open.add(roots[0]);
    this.#list();
  }

  #below(node, depth, lines) {
    for (const child of this.model.children(node)) {
      lines.push([child, depth]);
      if (this.open.has(child)) this.#below(child, depth + 1, lines);
    }
  }

  #list() {
    this.lines = [];
    if (this.found) for (const node of this.found) this.lines.push([node, 0]);
    else
      for (const root of this.model.roots()) {
        this.lines.push([root, 0]);
        if (this.open.has(root)) this.#below(root, 1, this.lines);
      }
    this.rows.set(this.lines.length);
  }

  async find(text) {
    this.asked = text;
    if (!text) {
      this.found = null;
      this.said.textContent = '';
      this.#list();
      if (this.current !== null) this.reveal(this.current);
      return;
    }
    this.said.textContent = 'searching…';
    const found = await this.model.file.findNodes(text, { limit: FOUND_MOST });
    if (this.asked !== text) return;
    this.found = [...found];
    const count = found.length.toLocaleString('en');
    this.said.textContent = found.length === FOUND_MOST ? `the first ${count} found` : `${count} found`;
    this.#list();
    this.box.scrollTop = 0;
    this.rows.draw();
  }

  #hasChildren(node) {
    return this.model.nodeEnd[node] > node + 1;
  }

  #row(index) {
    const [node, depth] = this.lines[index];
    const row = document.createElement('div');
    row.className = 'row';
    row.dataset.node = node;
    row.setAttribute('role', 'treeitem');
    row.setAttribute('aria-level', depth + 1);
    row.setAttribute('aria-selected', this.on.isSelected(node));
    row.style.paddingLeft = `${6 + 14 * depth}px`;
    const state = this.on.stateOf(node);
    row.classList.toggle('is-hidden', state === HIDDEN);
    row.classList.toggle('is-ghost', state === GHOST);
    row.classList.toggle('is-current', node === this.current);
    const twist = document.createElement('span');
    twist.className = 'twist';
    if (!this.found && this.#hasChildren(node)) {
      twist.textContent = this.open.has(node) ? '▾' : '▸';
      row.setAttribute('aria-expanded', this.open.has(node));
    }
    const name = document.createElement('span');
    name.className = 'name';
    const eye = document.createElement('button');
    eye.className = 'eye';
    eye.tabIndex = -1;
    eye.title = state === HIDDEN ? 'show' : 'hide';
    eye.setAttribute('aria-label', eye.title);
    eye.textContent = state === HIDDEN ? '○' : '●';
    row.append(twist, name, eye);
    this.model.record(node).then(
      ({ label }) => {
        name.textContent = label;
        name.title = label;
        if (this.found) this.#above(node, name);
      },
      (error) => (name.textContent = String(error.message ?? error)),
    );
    return row;
  }

  // Where a found node is.
  async #above(node, name) {
    const parent = this.model.nodeParent[node];
    if (parent === 0xffffffff) return;
    const where = document.createElement('span');
    where.className = 'where';
    where.textContent = (await this.model.record(parent)).label;
    name.append(where);
  }

  #click(event) {
    const row = event.target.closest('[data-node]');
    if (!row) return;
    const node = Number(row.dataset.node);
    if (event.target.closest('.eye')) return this.on.hide(node);
    if (event.target.closest('.twist') && this.#hasChildren(node)) return this.#toggle(node);
    this.on.select(node, { add: event.ctrlKey || event.metaKey });
  }

  #toggle(node, opens = !this.open.has(node)) {
    if (opens) this.open.add(node);
    else this.open.delete(node);
    this.#list();
  }

  #key(event) {
    const at = this.lines.findIndex(([node]) => node === this.current);
    const node = this.lines[at]?.[0];
    const keys = {
      ArrowDown: () => this.#step(at + 1),
      ArrowUp: () => this.#step(at - 1),
      Home: () => this.#step(0),
      End: () => this.#step(this.lines.length - 1),
      ArrowRight: () => node !== undefined && (this.open.has(node) ? this.#step(at + 1) : this.#toggle(node, true)),
      ArrowLeft: () => {
        if (node === undefined) return;
        if (this.open.has(node)) this.#toggle(node, false);
        else if (this.model.nodeParent[node] !== 0xffffffff) this.on.select(this.model.nodeParent[node], {});
      },
      Enter: () => node !== undefined && this.on.fly(node),
      ' ': () => node !== undefined && this.on.hide(node),
    };
    if (!keys[event.key]) return;
    keys[event.key]();
    event.preventDefault();
    event.stopPropagation();
  }

  #step(index) {
    const line = this.lines[Math.min(Math.max(index, 0), this.lines.length - 1)];
    if (line) this.on.select(line[0], {});
  }

  // Opens what is above a node and scrolls to it.
  reveal(node) {
    this.current = node;
    if (!this.model.hasNodes) return;
    if (!this.found) {
      let opened = false;
      for (const up of this.model.ancestors(node))
        if (!this.open.has(up)) opened = Boolean(this.open.add(up));
      if (opened) this.#list();
    }
    const at = this.lines.findIndex(([one]) => one === node);
    if (at >= 0) this.rows.reveal(at);
    else this.rows.draw();
  }

  draw() {
    this.rows.draw();
  }
}
