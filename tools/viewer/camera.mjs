// SPDX-License-Identifier: MIT
// camera.mjs: where the eye is: turning about a point, views along the axes, flights to a box.
// Points are relative to the model's origin.

import { PerspectiveCamera, Vector3 } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

const FLIGHT_MS = 450;
const UP = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1], unknown: [0, 0, 1] };
// Towards the eye, as [right, back, up] of a model whose up is z.
const VIEWS = {
  iso: [0.62, -0.62, 0.48],
  front: [0, -1, 0],
  back: [0, 1, 0],
  left: [-1, 0, 0],
  right: [1, 0, 0],
  top: [0, -1e-3, 1],
  bottom: [0, -1e-3, -1],
};

export class Eye {
  constructor(canvas, model, onMove) {
    this.model = model;
    this.onMove = onMove;
    this.camera = new PerspectiveCamera(40, 1, 0.1, 1000);
    this.up = new Vector3(...UP[model.info.up]);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.zoomToCursor = true;
    this.controls.rotateSpeed = 0.8;
    this.controls.addEventListener('change', () => onMove());
    this.view('iso', false);
  }

  // right, back and up of a model whose up is z, in this one
  #turned([right, back, up]) {
    if (this.model.info.up === 'y') return new Vector3(right, up, -back);
    if (this.model.info.up === 'x') return new Vector3(up, back, -right);
    return new Vector3(right, back, up);
  }

  boxOfAll() {
    const { lo, hi } = this.model.info;
    return [lo, hi].map((p) => new Vector3(...[0, 1, 2].map((k) => p[k] - this.model.origin[k])));
  }

  view(name, flies = true) {
    const [lo, hi] = this.boxOfAll();
    this.fit(lo, hi, { from: this.#turned(VIEWS[name]), flies });
  }

  // from: towards the eye; without it, as now.
  fit(lo, hi, { from, flies = true, margin = 1.05 } = {}) {
    const middle = lo.clone().add(hi).multiplyScalar(0.5);
    const way = (from ?? this.camera.position.clone().sub(this.controls.target)).clone().normalize();
    const right = new Vector3().crossVectors(this.up, way).normalize();
    const top = new Vector3().crossVectors(way, right);
    const high = Math.tan((this.camera.fov * Math.PI) / 360) / margin;
    const wide = high * this.camera.aspect;
    // each corner must be in the picture
    let away = 1e-6 * this.model.size;
    for (let i = 0; i < 8; i++) {
      const corner = new Vector3(...['x', 'y', 'z'].map((axis, k) => ((i >> k) & 1 ? hi : lo)[axis])).sub(middle);
      const across = Math.max(Math.abs(corner.dot(right)) / wide, Math.abs(corner.dot(top)) / high);
      away = Math.max(away, corner.dot(way) + across);
    }
    this.go(middle.clone().addScaledVector(way, away), middle, flies);
  }

  go(position, target, flies = true) {
    cancelAnimationFrame(this.flight);
    const [from, seen] = [this.camera.position.clone(), this.controls.target.clone()];
    const begun = performance.now();
    const step = () => {
      const t = flies ? Math.min((performance.now() - begun) / FLIGHT_MS, 1) : 1;
      const eased = t * t * (3 - 2 * t);
      this.camera.position.lerpVectors(from, position, eased);
      this.controls.target.lerpVectors(seen, target, eased);
      this.controls.update();
      this.onMove();
      this.flight = t < 1 ? requestAnimationFrame(step) : null;
    };
    step();
  }

  // Turned about the target, in degrees.
  turn(right, up) {
    const offset = this.camera.position.clone().sub(this.controls.target);
    const side = new Vector3().crossVectors(this.up, offset).normalize();
    offset.applyAxisAngle(this.up, (right * Math.PI) / 180);
    const polar = offset.angleTo(this.up) + (up * Math.PI) / 180;
    if (polar > 0.02 && polar < 3.12) offset.applyAxisAngle(side, (up * Math.PI) / 180);
    this.go(this.controls.target.clone().add(offset), this.controls.target.clone(), false);
  }

  zoom(factor) {
    const offset = this.camera.position.clone().sub(this.controls.target).multiplyScalar(factor);
    this.go(this.controls.target.clone().add(offset), this.controls.target.clone(), false);
  }

  // The ray under a pixel, as files take it: in the world, in doubles.
  rayAt(clientX, clientY, element) {
    const { left, top, width, height } = element.getBoundingClientRect();
    const at = new Vector3((2 * (clientX - left)) / width - 1, 1 - (2 * (clientY - top)) / height, 0.5);
    const way = at.unproject(this.camera).sub(this.camera.position).normalize();
    const eye = this.camera.position.toArray().map((x, k) => x + this.model.origin[k]);
    return [...eye, ...way.toArray(), 0, Infinity];
  }

  // A point of the world in pixels of the element; null: behind the eye.
  pixelOf(point, width, height) {
    const [x, y, z] = point.map((one, k) => one - this.model.origin[k]);
    const seen = new Vector3(x, y, z).applyMatrix4(this.camera.matrixWorldInverse);
    if (seen.z > -this.camera.near) return null;
    seen.applyMatrix4(this.camera.projectionMatrix);
    return [((seen.x + 1) * width) / 2, ((1 - seen.y) * height) / 2];
  }
}
