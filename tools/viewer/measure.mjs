// SPDX-License-Identifier: MIT
// measure.mjs: the distance between two picks: of the picked points, in doubles, or of the picked
// bodies, which the library answers exactly, with the points where they are nearest.

const SNAP_PIXELS = 9;

export class Measure {
  constructor(panel, model, eye, overlay, canvas) {
    Object.assign(this, { panel, model, eye, overlay, canvas });
    this.said = panel.querySelector('output');
    this.isOn = false;
    this.picks = [];
    for (const radio of panel.querySelectorAll('input[name=measure]'))
      radio.addEventListener('change', () => this.#show());
    panel.querySelector('[data-clear]').addEventListener('click', () => this.clear());
  }

  get wantsBodies() {
    return this.panel.querySelector('input[name=measure]:checked').value === 'bodies';
  }

  turn(isOn) {
    this.isOn = isOn;
    this.panel.hidden = !isOn;
    if (isOn) this.#show();
    else this.clear();
  }

  clear() {
    this.picks = [];
    this.#show();
  }

  // hit: {point, instance, part, triangle}
  async take(hit) {
    if (this.picks.length === 2) this.picks = [];
    this.picks.push({ ...hit, ...(await this.#snapped(hit)) });
    await this.#show();
  }

  // To a corner of the triangle, exactly, when one is near on the screen.
  async #snapped({ point, instance, part, triangle }) {
    const { file } = this.model;
    const [{ positions }, [{ placement: m }]] = await Promise.all([
      file.triangles(part, triangle, 1),
      file.instances(instance, 1),
    ]);
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const here = this.eye.pixelOf(point, width, height);
    let [best, nearest] = [null, SNAP_PIXELS];
    for (let i = 0; i < 9; i += 3) {
      const p = positions.subarray(i, i + 3);
      const corner = [0, 1, 2].map((r) => m[4 * r] * p[0] + m[4 * r + 1] * p[1] + m[4 * r + 2] * p[2] + m[4 * r + 3]);
      const at = this.eye.pixelOf(corner, width, height);
      const away = at && here ? Math.hypot(at[0] - here[0], at[1] - here[1]) : Infinity;
      if (away < nearest) [best, nearest] = [corner, away];
    }
    return best ? { point: best, isCorner: true } : { isCorner: false };
  }

  async #show() {
    const { picks } = this;
    const marks = picks.map(({ point, isCorner }) => ({ point, style: isCorner ? 'pick corner' : 'pick' }));
    this.overlay.show('measure', marks);
    this.result = null;
    if (picks.length < 2) {
      this.said.textContent = picks.length === 0 ? 'Click the first point.' : 'Click the second point.';
      return;
    }
    if (this.wantsBodies) await this.#bodies(marks);
    else this.#points(marks);
  }

  #points(marks) {
    const [{ point: p }, { point: q }] = this.picks;
    const way = q.map((one, k) => one - p[k]);
    const distance = Math.hypot(...way);
    this.result = { distance, pointA: p, pointB: q };
    const text = this.model.length(distance);
    this.overlay.show('measure', [...marks, { line: [p, q], style: 'measure', text }]);
    const along = this.model.lengths(way);
    const parts = ['x', 'y', 'z'].map((name, k) => `${name} ${along[k]}`).join('   ');
    this.said.textContent = `${text} between the points\n${parts}`;
  }

  async #bodies(marks) {
    const [a, b] = this.picks;
    if (a.instance === b.instance) {
      this.said.textContent = 'Both picks are on one body.';
      return;
    }
    this.said.textContent = 'measuring…';
    const found = await this.model.file.distance({ only: [b.instance] }, { a: { only: [a.instance] } });
    if (this.picks[0] !== a || this.picks[1] !== b) return;
    const { distance, pointA, pointB } = found;
    this.result = { distance, pointA: [...pointA], pointB: [...pointB] };
    const text = distance === 0 ? 'they touch' : this.model.length(distance);
    this.overlay.show('measure', [...marks, { line: [[...pointA], [...pointB]], style: 'measure', text }]);
    const at = (p) => [...p].map((one) => Number(one.toPrecision(7))).join(', ');
    this.said.textContent =
      `${text}${distance === 0 ? '' : ' between the bodies, at their nearest'}\nfrom ${at(pointA)}\nto ${at(pointB)}`;
  }
}
