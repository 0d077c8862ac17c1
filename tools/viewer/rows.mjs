// SPDX-License-Identifier: MIT
// rows.mjs: a list of any length of which only the rows in sight are elements. The tree and the list
// of clashes are such.

const MOST_PIXELS = 8e6; // browsers end a taller element somewhere; then a pixel is several rows' share

export class Rows {
  // make(index): an element; it may be filled in later.
  constructor(box, rowHeight, make) {
    this.box = box;
    this.rowHeight = rowHeight;
    this.make = make;
    this.count = 0;
    this.space = document.createElement('div');
    this.space.className = 'space';
    this.space.setAttribute('role', 'presentation');
    box.replaceChildren(this.space);
    box.addEventListener('scroll', () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(box);
  }

  set(count) {
    this.count = count;
    this.space.style.height = `${Math.min(count * this.rowHeight, MOST_PIXELS)}px`;
    this.draw();
  }

  get #height() {
    return Math.min(this.count * this.rowHeight, MOST_PIXELS);
  }

  // The row at the top, with its fraction.
  get #top() {
    const room = this.#height - this.box.clientHeight;
    const rows = this.count - this.box.clientHeight / this.rowHeight;
    return room > 0 ? (this.box.scrollTop / room) * rows : 0;
  }

  draw() {
    const top = this.#top;
    const first = Math.max(0, Math.floor(top));
    const seen = Math.ceil(this.box.clientHeight / this.rowHeight) + 2;
    const made = [];
    for (let i = first; i < Math.min(first + seen, this.count); i++) {
      const row = this.make(i);
      row.style.top = `${this.box.scrollTop + (i - top) * this.rowHeight}px`;
      row.style.height = `${this.rowHeight}px`;
      made.push(row);
    }
    this.space.replaceChildren(...made);
  }

  reveal(index) {
    const top = this.#top;
    const seen = this.box.clientHeight / this.rowHeight;
    if (index >= top && index + 1 <= top + seen) return this.draw();
    const room = this.#height - this.box.clientHeight;
    const rows = this.count - seen;
    const wanted = Math.min(Math.max(index - seen / 3, 0), Math.max(rows, 0));
    this.box.scrollTop = rows > 0 ? (wanted / rows) * room : 0;
    return this.draw();
  }
}
