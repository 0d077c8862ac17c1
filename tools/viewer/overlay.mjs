// SPDX-License-Identifier: MIT
// overlay.mjs: lines, points and labels over the picture, of points in the world.

const SVG = 'http://www.w3.org/2000/svg';

function element(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

export class Overlay {
  constructor(svg, eye) {
    this.svg = svg;
    this.eye = eye;
    this.layers = new Map(); // name to a list of {kind, points, text, style}
  }

  // marks: [{line: [p, q], style, text}, {point: p, style}, {outline: [p, ...], style}]
  show(layer, marks) {
    this.layers.set(layer, marks);
    this.draw();
  }

  hide(layer) {
    if (this.layers.delete(layer)) this.draw();
  }

  #mark({ line, point, outline, style, text }, at, made) {
    if (point) {
      const p = at(point);
      if (p) made.push(element('circle', { cx: p[0], cy: p[1], r: 4.5, class: style }));
      return;
    }
    const points = (line ?? outline).map(at);
    if (points.some((p) => p === null)) return;
    if (outline) {
      made.push(element('polygon', { points: points.map((p) => p.join()).join(' '), class: style }));
      return;
    }
    const [[x1, y1], [x2, y2]] = points;
    made.push(element('line', { x1, y1, x2, y2, class: `${style} under` }));
    made.push(element('line', { x1, y1, x2, y2, class: style }));
    if (!text) return;
    const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2 - 12];
    const width = 8.2 * text.length + 14;
    made.push(element('rect', { x: x - width / 2, y: y - 11, width, height: 22, rx: 5, class: `${style} tag` }));
    made.push(element('text', { x, y: y + 4.5, 'text-anchor': 'middle', class: style }, text));
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.svg;
    const at = (point) => this.eye.pixelOf(point, width, height);
    const made = [];
    for (const marks of this.layers.values()) for (const mark of marks) this.#mark(mark, at, made);
    this.svg.replaceChildren(...made);
  }
}
