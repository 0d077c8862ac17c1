// SPDX-License-Identifier: MIT
// section.mjs: a plane that cuts the model open: along an axis, or on a picked face.

const AXES = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

// The polygon in which n . x + d = 0 meets a box: its corners in turn.
export function outlineOf([x, y, z, d], lo, hi) {
  const n = [x, y, z];
  const corners = Array.from({ length: 8 }, (_, i) => [0, 1, 2].map((k) => ((i >> k) & 1 ? hi : lo)[k]));
  const points = [];
  for (let i = 0; i < 8; i++)
    for (let k = 0; k < 3; k++) {
      const j = i | (1 << k);
      if (j === i) continue;
      const [a, b] = [dot(n, corners[i]) + d, dot(n, corners[j]) + d];
      if (a === b || a * b > 0) continue;
      points.push(corners[i].map((one, axis) => one + ((corners[j][axis] - one) * a) / (a - b)));
    }
  if (points.length < 3) return [];
  const middle = [0, 1, 2].map((k) => points.reduce((sum, p) => sum + p[k], 0) / points.length);
  const least = [0, 1, 2].reduce((best, k) => (Math.abs(n[k]) < Math.abs(n[best]) ? k : best), 0);
  const u = [0, 1, 2].map((k) => (k === least ? 1 : 0) - n[least] * n[k]);
  const v = [n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]];
  const angle = (p) => {
    const q = p.map((one, k) => one - middle[k]);
    return Math.atan2(dot(q, v), dot(q, u));
  };
  return points.sort((p, q) => angle(p) - angle(q));
}

export class Section {
  // panel: holds buttons [data-axis], [data-flip], [data-off], a range; on: {change(plane), pick()}
  constructor(panel, model, on) {
    this.panel = panel;
    this.model = model;
    this.on = on;
    this.slider = panel.querySelector('input[type=range]');
    this.said = panel.querySelector('output');
    this.normal = null;
    this.isFlipped = false;
    panel.addEventListener('click', ({ target }) => {
      if (target.dataset.axis) this.along(AXES[target.dataset.axis]);
      if (target.dataset.flip !== undefined) this.flip();
      if (target.dataset.off !== undefined) this.off();
      if (target.dataset.face !== undefined) on.pick();
    });
    this.slider.addEventListener('input', () => this.#apply());
  }

  // How far the model reaches along the normal.
  get #range() {
    const { lo, hi } = this.model.info;
    const ends = Array.from({ length: 8 }, (_, i) =>
      dot(this.normal, [0, 1, 2].map((k) => ((i >> k) & 1 ? hi : lo)[k])),
    );
    return [Math.min(...ends), Math.max(...ends)];
  }

  // at: a point on the plane; without it, through the middle.
  along(normal, at) {
    const length = Math.hypot(...normal);
    if (!(length > 0)) return;
    this.normal = normal.map((one) => one / length);
    this.isFlipped = false;
    const [from, to] = this.#range;
    const where = at ? dot(this.normal, at) : 0.5 * (from + to);
    this.slider.value = to > from ? ((where - from) / (to - from)) * 1000 : 500;
    this.exact = at ? where : null;
    this.#apply(true);
  }

  flip() {
    this.isFlipped = !this.isFlipped;
    if (this.normal) this.#apply(true);
  }

  off() {
    this.normal = null;
    this.#apply();
  }

  get plane() {
    if (!this.normal) return null;
    const [from, to] = this.#range;
    const where = this.exact ?? from + ((to - from) * this.slider.value) / 1000;
    const sign = this.isFlipped ? 1 : -1; // what lies before the plane goes
    return [...this.normal.map((one) => sign * one), -sign * where];
  }

  set plane(numbers) {
    if (numbers === null) return void this.off();
    this.along(numbers.slice(0, 3).map((one) => -one), numbers.slice(0, 3).map((one) => -one * numbers[3]));
  }

  #apply(keepsExact = false) {
    if (!keepsExact) this.exact = null;
    const { plane } = this;
    this.panel.classList.toggle('is-on', plane !== null);
    for (const button of this.panel.querySelectorAll('[data-axis]'))
      button.setAttribute('aria-pressed', Boolean(this.normal && dot(this.normal, AXES[button.dataset.axis]) === 1));
    const where = plane ? -plane[3] * (this.isFlipped ? 1 : -1) : 0;
    this.said.textContent = plane ? this.model.length(where) : 'off';
    this.on.change(plane);
  }

  // t of the ray where it is on the side that stays: [least, largest], or null.
  clip(ray) {
    const { plane } = this;
    if (!plane) return [0, Infinity];
    const [o, d] = [dot(plane, ray) + plane[3], dot(plane, ray.slice(3, 6))];
    if (d === 0) return o >= 0 ? [0, Infinity] : null;
    const t = -o / d;
    if (d > 0) return [Math.max(t, 0), Infinity];
    return t > 0 ? [0, t] : null;
  }
}
