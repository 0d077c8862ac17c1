// SPDX-License-Identifier: MIT
// clashes.mjs: the rows of a clash report (.jsonl): a list to filter, and a flight to each.

import { Rows } from './rows.mjs';

const ROW = 46;
const VERDICTS = ['enclosed', 'duplicate', 'penetrating', 'unknown', 'within', 'touching', 'clear'];
const ROWS_MOST = 500000;

// text: lines of JSON. Rows that are none are counted.
export function readReport(text) {
  const rows = [];
  let bad = 0;
  for (const line of text.split('\n')) {
    if (!line.trim()) continue;
    try {
      const row = JSON.parse(line);
      if (!VERDICTS.includes(row.verdict) || typeof row.a !== 'string' || typeof row.b !== 'string') bad++;
      else if (rows.length < ROWS_MOST) rows.push(row);
    } catch {
      bad++;
    }
  }
  return { rows, bad };
}

export class Clashes {
  // on: {show(row)}
  constructor(panel, model, on) {
    Object.assign(this, { panel, model, on });
    this.box = panel.querySelector('.list');
    this.said = panel.querySelector('output');
    this.filter = panel.querySelector('input[type=search]');
    this.chips = panel.querySelector('.chips');
    this.all = [];
    this.shown = [];
    this.off = new Set();
    this.at = -1;
    this.rows = new Rows(this.box, ROW, (i) => this.#row(i));
    this.filter.addEventListener('input', () => this.#list());
    this.box.addEventListener('click', (event) => {
      const row = event.target.closest('[data-at]');
      if (row) this.go(Number(row.dataset.at));
    });
    this.box.addEventListener('keydown', (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      this.go(this.at + step);
    });
    this.chips.addEventListener('click', ({ target }) => {
      const { verdict } = target.closest('[data-verdict]')?.dataset ?? {};
      if (!verdict) return;
      if (!this.off.delete(verdict)) this.off.add(verdict);
      this.#list();
    });
  }

  load(text, name) {
    const { rows, bad } = readReport(text);
    this.all = rows; // in the report's order: by issue, the most severe first
    this.off = new Set(rows.some(({ verdict }) => verdict !== 'touching') ? ['touching'] : []);
    this.name = bad > 0 ? `${name}: ${bad} lines are no rows of a clash report` : name;
    this.at = -1;
    this.panel.classList.add('is-loaded');
    this.#list();
  }

  #list() {
    const words = this.filter.value.trim().toLowerCase();
    this.shown = this.all.filter(
      ({ verdict, a, b }) => !this.off.has(verdict) && (!words || `${a}\n${b}`.toLowerCase().includes(words)),
    );
    const counts = new Map();
    for (const { verdict } of this.all) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
    this.chips.replaceChildren(
      ...[...counts].map(([verdict, count]) => {
        const chip = document.createElement('button');
        chip.className = `chip ${verdict}`;
        chip.dataset.verdict = verdict;
        chip.setAttribute('aria-pressed', !this.off.has(verdict));
        chip.textContent = `${verdict} ${count.toLocaleString('en')}`;
        return chip;
      }),
    );
    const of = `${this.shown.length.toLocaleString('en')} of ${this.all.length.toLocaleString('en')}`;
    this.said.textContent = `${of} pairs, ${this.name}`;
    this.at = -1;
    this.rows.set(this.shown.length);
  }

  measureOf({ verdict, distance, depth }) {
    if (verdict === 'within') return this.model.length(distance, 4);
    if (verdict === 'penetrating') return `${this.model.length(depth, 4)} deep`;
    return '';
  }

  #row(index) {
    const row = this.shown[index];
    const made = document.createElement('div');
    made.className = 'row clash';
    made.dataset.at = index;
    made.setAttribute('role', 'option');
    made.setAttribute('aria-selected', index === this.at);
    const line = (className, text) => {
      const one = document.createElement('span');
      one.className = className;
      one.textContent = text;
      one.title = text;
      return one;
    };
    const head = line('head', '');
    head.append(line(`dot ${row.verdict}`, ''), line('verdict', row.verdict), line('how', this.measureOf(row)));
    made.append(head, line('sides', `${row.a}  ·  ${row.b}`));
    return made;
  }

  go(index) {
    if (this.shown.length === 0) return;
    this.at = Math.min(Math.max(index, 0), this.shown.length - 1);
    this.rows.reveal(this.at);
    this.on.show(this.shown[this.at]);
  }

  // The instances of a row's sides, by path: a report may be of another export of the model, in
  // which instances have other numbers. null: there is none.
  async instancesOf(row) {
    const { model } = this;
    const of = async (path, instance) => {
      const node = Number.isInteger(instance) ? model.instanceNode[instance] : undefined;
      if (node !== undefined && (await model.file.nodePath(node)) === path) return instance;
      const found = await model.file.nodeAt(path);
      return found === null ? null : (model.instancesOf(found)[0] ?? null);
    };
    return Promise.all([of(row.a, row.instance_a), of(row.b, row.instance_b)]);
  }
}
