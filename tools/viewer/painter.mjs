// SPDX-License-Identifier: MIT
// painter.mjs: draws the scene a little at a time, what is largest first, so that the page answers
// whatever there is to draw. A picture begins anew when the camera or what is shown changes, and
// then grows by a wave of instances a frame; while the camera moves there is one wave.
//
// How much a wave may hold follows from how long the last one took, which a fence tells.

import {
  BufferAttribute,
  DoubleSide,
  DynamicDrawUsage,
  Frustum,
  GLSL3,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  Matrix4,
  Mesh,
  Points,
  RawShaderMaterial,
  Scene as Graph,
  Vector3,
  Vector4,
  WebGLRenderer,
} from 'three';
import { Caps } from './caps.mjs';
import { CLEAR, GHOST, HIDDEN, SHOWN } from './scene.mjs';
import { BOX_VERTEX, FRAGMENT, PIECE_VERTEX, PLAIN_VERTEX, POINT_VERTEX } from './shaders.mjs';

// Pixels across: what is smaller is left out, is a point, is a box.
const SMALLEST = 0.8;
const POINT_BELOW = 4;
const BOX_BELOW = 6;
const BOX_MOST = 24; // what is larger is never a box when its triangles are here
const WHOLE_MS = 8000; // how long a whole picture may take; what it has no time for is a box or a point
const BUCKETS = 80;
const LAYERS = [SHOWN, CLEAR, GHOST]; // drawn in turn
const BOX_TRIANGLES = 12;
const PER_OCTAVE = 4; // buckets of sizes
const STILL_MS = 60; // a wave's time
const MOVING_MS = 35;
const PLANE_IN = 2e-6; // how far into what stays the plane is drawn, of the model's size: a face in it is cut away
const PLAN_EVERY = 140; // while the camera moves
const HOLD_MS = 900;

const CORNERS = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1]);
const FACES = [0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5];

function cube() {
  const geometry = new InstancedBufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(CORNERS, 3));
  geometry.setIndex(FACES);
  return geometry;
}

function fixed(mesh) {
  mesh.frustumCulled = mesh.matrixAutoUpdate = mesh.matrixWorldAutoUpdate = false;
  return mesh;
}

// Whether the GPU is a program: then edges are not smoothed, which takes three times as long.
function isSoftware() {
  const gl = document.createElement('canvas').getContext('webgl2');
  if (!gl) return false;
  const known = gl.getExtension('WEBGL_debug_renderer_info');
  const name = known ? gl.getParameter(known.UNMASKED_RENDERER_WEBGL) : '';
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

export class Painter {
  constructor(canvas, scene, stream, camera) {
    this.canvas = canvas;
    this.scene = scene;
    this.stream = stream;
    this.camera = camera;
    this.renderer = new WebGLRenderer({ canvas, antialias: !isSoftware(), preserveDrawingBuffer: true });
    this.renderer.autoClear = false;
    this.renderer.sortObjects = false;
    this.renderer.info.autoReset = false;
    this.gl = this.renderer.getContext();
    this.graph = new Graph();
    this.graph.matrixWorldAutoUpdate = false;
    this.rate = 1500; // triangles a millisecond
    this.plane = new Vector4(0, 0, 0, 1);
    this.hasPlane = false;
    this.caps = new Caps(this.renderer);
    this.capCursor = this.capPiece = 0; // of the instances that the plane meets, and of one's pieces
    this.capOrder = [];
    this.capRate = 750;
    this.isStale = true;
    this.isMoving = false;
    this.plannedAt = -Infinity;
    this.waveCount = 0;
    this.drawn = 0; // triangles of the picture
    this.lists = new Map();
    this.px = new Float32Array(scene.count);
    this.order = new Uint32Array(scene.count);
    this.bucketOf = new Uint8Array(scene.count);
    this.weights = new Float32Array(scene.model.info.partCount);
    this.materials = [1, 0.38, 0.1].map((opacity) => this.#materials(opacity)); // of the layers
    this.capMaterials = this.caps.materials(this.materials[0]);
    this.boxes = fixed(new Mesh(cube(), this.materials[0].box));
    this.whichBox = new InstancedBufferAttribute(new Uint32Array(scene.count), 1);
    this.whichBox.setUsage(DynamicDrawUsage);
    this.boxes.geometry.setAttribute('which', this.whichBox);
    this.points = fixed(new Points(new InstancedBufferGeometry(), this.materials[0].point));
    this.points.geometry.setAttribute('position', new BufferAttribute(new Float32Array(3), 3));
    this.whichPoint = new InstancedBufferAttribute(new Uint32Array(scene.count), 1);
    this.whichPoint.setUsage(DynamicDrawUsage);
    this.points.geometry.setAttribute('which', this.whichPoint);
    this.standIn = null;
    this.onPicture = () => {};
  }

  #materials(opacity) {
    const { placements, paints, partNumbers, partBoxes, swatchFirsts, swatches } = this.scene;
    const uniforms = (hasFaces) => ({
      hasFaces: { value: hasFaces },
      focal: { value: 1 },
      placements: { value: placements },
      paints: { value: paints },
      partNumbers: { value: partNumbers },
      partBoxes: { value: partBoxes },
      hasSwatches: { value: 0 },
      swatchFirsts: { value: swatchFirsts },
      swatches: { value: swatches },
      plane: { value: this.plane },
      hasCaps: { value: 0 },
      opacity: { value: opacity },
      flatColour: { value: new Vector3(0.72, 0.76, 0.8) },
      lo: { value: new Vector3() },
      size: { value: new Vector3(1, 1, 1) },
    });
    const make = (vertexShader, hasFaces = 1) =>
      new RawShaderMaterial({
        glslVersion: GLSL3,
        vertexShader,
        fragmentShader: FRAGMENT,
        uniforms: uniforms(hasFaces),
        side: DoubleSide,
        transparent: opacity < 1,
        depthWrite: opacity === 1,
      });
    return {
      piece: make(PIECE_VERTEX),
      box: make(BOX_VERTEX),
      point: make(POINT_VERTEX, 0),
      plain: make(PLAIN_VERTEX),
    };
  }

  // Boxes to look at until the instances are here: 3 numbers each, of the world.
  showBoxes({ count, lo, hi }) {
    const geometry = cube();
    const { origin } = this.scene.model;
    const relative = (corners) =>
      new InstancedBufferAttribute(Float32Array.from(corners, (x, i) => x - origin[i % 3]), 3);
    geometry.setAttribute('lo', relative(lo));
    geometry.setAttribute('hi', relative(hi));
    geometry.instanceCount = count;
    this.standIn = fixed(new Mesh(geometry, this.materials[0].plain));
    this.change();
  }

  showInstances() {
    this.standIn?.geometry.dispose();
    this.standIn = null;
    this.hasInstances = true;
    this.change();
  }

  // The scene has colours of triangles.
  showSwatches() {
    for (const { piece } of this.materials) {
      piece.uniforms.hasSwatches.value = 1;
      piece.uniforms.swatchFirsts.value = this.scene.swatchFirsts;
      piece.uniforms.swatches.value = this.scene.swatches;
    }
    this.change();
  }

  // numbers: n and d of n . x + d >= 0 in the world, which stays; null: no section.
  section(numbers) {
    const { origin } = this.scene.model;
    this.hasPlane = numbers !== null;
    if (numbers) {
      const [x, y, z, d] = numbers;
      const inwards = PLANE_IN * this.scene.model.size;
      this.plane.set(x, y, z, d + x * origin[0] + y * origin[1] + z * origin[2] - inwards);
    } else {
      this.plane.set(0, 0, 0, 1);
      this.caps.end();
    }
    for (const set of this.materials)
      for (const material of Object.values(set)) material.uniforms.hasCaps.value = numbers ? 1 : 0;
    this.change();
  }

  background(colour) {
    this.renderer.setClearColor(colour, 1);
    this.change();
  }

  resize(width, height) {
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.caps.resize(this.canvas.width, this.canvas.height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.change();
  }

  // The camera is elsewhere.
  move() {
    this.isMoving = true;
    this.isStale = true;
    this.movedAt = performance.now();
    this.release?.();
  }

  // What is shown has changed: the old picture stays until the new one is about as fine.
  change() {
    this.isStale = true;
    this.mustPlan = true;
  }

  // ---- what to draw -------------------------------------------------------------------------

  #plan() {
    const { scene, camera, px, bucketOf, weights } = this;
    const { centres, radii, state, selected, sides, count } = scene;
    camera.updateMatrixWorld();
    const view = new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    const planes = new Frustum().setFromProjectionMatrix(view).planes.flatMap(({ normal: n, constant }) => [n.x, n.y, n.z, constant]);
    if (this.hasPlane) planes.push(...this.plane.toArray());
    const planeCount = planes.length / 4;
    const { x, y, z } = camera.position;
    const focal = this.renderer.domElement.height / Math.tan((camera.fov * Math.PI) / 360);
    const counts = new Uint32Array(LAYERS.length * BUCKETS + 1);
    const costs = new Float64Array(BUCKETS); // triangles, by size
    const { triangleCount } = scene.model.parts;
    for (const { point } of this.materials) point.uniforms.focal.value = focal / 2;
    const numbers = scene.partNumbers.image.data;
    weights.fill(0);
    let nearest = Infinity;
    for (let i = 0; i < count; i++) {
      bucketOf[i] = 255;
      if (state[i] === HIDDEN) continue;
      const [cx, cy, cz, r] = [centres[3 * i], centres[3 * i + 1], centres[3 * i + 2], radii[i]];
      const away = Math.sqrt((cx - x) ** 2 + (cy - y) ** 2 + (cz - z) ** 2);
      const across = away > r ? (r * focal) / away : 4096;
      if (across < SMALLEST) continue;
      let k = 0;
      for (; k < planeCount; k++)
        if (planes[4 * k] * cx + planes[4 * k + 1] * cy + planes[4 * k + 2] * cz + planes[4 * k + 3] < -r) break;
      if (k < planeCount) continue;
      if (away - r < nearest) nearest = away - r;
      px[i] = across;
      let bucket = bucketAt(across);
      costs[bucket] += triangleCount[numbers[i]];
      if (selected.has(i) || sides.has(i)) bucket = 0;
      bucket += BUCKETS * LAYERS.indexOf(state[i]);
      bucketOf[i] = bucket;
      counts[bucket + 1]++;
      if (across >= BOX_BELOW && across > weights[numbers[i]]) weights[numbers[i]] = across;
    }
    this.#begin(nearest);
    for (let b = 0; b < LAYERS.length * BUCKETS; b++) counts[b + 1] += counts[b];
    this.orderCount = counts[LAYERS.length * BUCKETS];
    this.layerEnds = LAYERS.map((_, layer) => counts[(layer + 1) * BUCKETS]);
    for (let i = 0; i < count; i++) if (bucketOf[i] !== 255) this.order[counts[bucketOf[i]]++] = i;
    // as many as there is time for are drawn as they are, then as boxes
    const most = Math.max(this.rate * WHOLE_MS, 3e5);
    let [bucket, sum] = [0, 0];
    while (bucket < BUCKETS - 1 && sum + costs[bucket] <= most) sum += costs[bucket++];
    this.boxBelow = Math.min(Math.max(BOX_BELOW, acrossAt(bucket)), BOX_MOST);
    const boxes = Math.floor(most / 2 / BOX_TRIANGLES);
    const [from, to] = [counts[bucket], this.layerEnds[0]];
    const last = this.order[Math.min(from + boxes, to - 1)];
    this.pointBelow = to > from + boxes ? Math.max(POINT_BELOW, this.px[last]) : POINT_BELOW;
    this.cursor = this.pieceCursor = this.capCursor = this.capPiece = 0;
    this.capOrder = this.#opened();
    this.plannedAt = performance.now();
    this.mustPlan = false;
    this.stream.want(weights);
  }

  // Instances whose caps are seen, large first: the plane meets them, and the eye is on its other side.
  #opened() {
    const { plane, scene, stream, px, order } = this;
    const { centres, radii, isClosed } = scene;
    const { triangleCount } = scene.model.parts;
    const { x, y, z } = this.camera.position;
    if (!this.hasPlane || !this.caps.isPossible || plane.x * x + plane.y * y + plane.z * z + plane.w >= 0) return [];
    const numbers = scene.partNumbers.image.data;
    return order.subarray(0, this.layerEnds[1]).filter((i) => {
      const away = plane.x * centres[3 * i] + plane.y * centres[3 * i + 1] + plane.z * centres[3 * i + 2] + plane.w;
      if (Math.abs(away) > radii[i] || !isClosed[numbers[i]] || px[i] < this.pointBelow) return false;
      const part = stream.part(numbers[i]);
      return !part || part.triangles === triangleCount[numbers[i]]; // what is not all here is open
    });
  }

  // Does it with other instances in place of the picture's; their cursor is what it returns.
  #withOrder(order, cursor, pieceCursor, what) {
    const kept = ['order', 'orderCount', 'layerEnds', 'cursor', 'pieceCursor'].map((name) => [name, this[name]]);
    Object.assign(this, { order, orderCount: order.length, layerEnds: [order.length], cursor, pieceCursor });
    what();
    const ended = [this.cursor, this.pieceCursor];
    Object.assign(this, Object.fromEntries(kept));
    return ended;
  }

  // The next instances, for so many triangles, as children of the graph.
  #fill(triangles, sets = this.materials) {
    const { scene, stream, px, lists } = this;
    const numbers = scene.partNumbers.image.data;
    const layer = this.layerEnds.findIndex((one) => this.cursor < one);
    const [end, set] = [this.layerEnds[layer], sets[layer]];
    const boxes = this.whichBox.array;
    const points = this.whichPoint.array;
    let [boxCount, pointCount, filled] = [0, 0, 0];
    const large = new Map();
    lists.clear();
    for (; this.cursor < end && filled < triangles; this.cursor++) {
      const instance = this.order[this.cursor];
      const number = numbers[instance];
      const across = px[instance];
      if (across < this.pointBelow) {
        points[pointCount++] = instance;
        filled++;
        continue;
      }
      const part = across < this.boxBelow ? null : stream.part(number);
      if (part?.isLarge) {
        if (large.has(number)) break; // each instance of a large part has a wave of its own
        filled += this.#fillLarge(part, instance, triangles - filled, large, set);
        if (this.pieceCursor > 0) break;
        continue;
      }
      filled += part ? part.triangles : BOX_TRIANGLES;
      if (!part) boxes[boxCount++] = instance;
      else if (lists.has(number)) lists.get(number).push(instance);
      else lists.set(number, [instance]);
    }
    const meshes = [...large.values()].flat();
    for (const [number, list] of lists) {
      const { which, pieces } = stream.part(number);
      which.array.set(list);
      upload(which, list.length);
      for (const mesh of pieces) {
        mesh.material = set.piece;
        mesh.geometry.instanceCount = list.length;
        meshes.push(mesh);
      }
    }
    if (boxCount > 0) {
      upload(this.whichBox, boxCount);
      this.boxes.geometry.instanceCount = boxCount;
      this.boxes.material = set.box;
      meshes.push(this.boxes);
    }
    if (pointCount > 0) {
      upload(this.whichPoint, pointCount);
      this.points.geometry.instanceCount = pointCount;
      this.points.material = set.point;
      meshes.push(this.points);
    }
    this.graph.children = meshes;
    this.filled = filled;
  }

  // Some of the pieces of one instance; the next wave goes on at pieceCursor, 0: there are no more.
  // Its boxes instead while the camera moves, or as long as little of it is here.
  #fillLarge(part, instance, triangles, large, set) {
    const isCoarse = !part.isMostlyHere || (this.isMoving && part.triangles > triangles);
    const meshes = isCoarse && this.pieceCursor === 0 ? [part.coarse] : [];
    let filled = 0;
    if (isCoarse) filled = part.coarse.triangles;
    else
      while (this.pieceCursor < part.pieces.length && (filled < triangles || meshes.length === 0)) {
        const mesh = part.pieces[this.pieceCursor++];
        meshes.push(mesh);
        filled += mesh.triangles;
      }
    if (isCoarse || this.pieceCursor === part.pieces.length) this.pieceCursor = 0;
    part.which.array[0] = instance;
    upload(part.which, 1);
    for (const mesh of meshes) {
      mesh.material = set.piece;
      mesh.geometry.instanceCount = 1;
    }
    large.set(part.number, meshes);
    return filled;
  }

  // Draws instances again in the picture as it is, in other colours: at equal depth the later wins.
  // False: that would take too long, or they shine through.
  repaint(instances) {
    const { scene, bucketOf } = this;
    if (!this.hasInstances || this.isStale || this.isMoving) return false;
    const drawn = instances.filter((one) => bucketOf[one] !== 255);
    if (drawn.some((one) => scene.state[one] !== SHOWN) || drawn.length > 20000) return false;
    const { filled } = this;
    this.#withOrder(drawn, 0, 0, () => {
      while (this.cursor < drawn.length) {
        this.#fill(this.rate * STILL_MS);
        this.renderer.render(this.graph, this.camera);
      }
    });
    this.filled = filled;
    this.graph.children = [];
    this.capCursor = this.capPiece = 0;
    if (this.waveCount === 1) this.waveCount = 2; // what is in the graph is no first wave
    return true;
  }

  // ---- frames -------------------------------------------------------------------------------

  #clip() {
    const { camera, scene } = this;
    const radius = 0.5 * scene.model.size;
    const away = camera.position.length();
    camera.far = away + radius * 1.05;
    this.#begin(away - radius * 1.05);
    camera.updateMatrixWorld();
  }

  // Depth begins where something is: the farther, the less do thin walls show through.
  #begin(nearest) {
    const { camera } = this;
    camera.near = Math.min(Math.max(0.95 * nearest, camera.far * 2e-5), camera.far / 2);
    camera.updateProjectionMatrix();
  }

  #render(clears) {
    if (clears) {
      this.renderer.clear();
      this.drawn = 0;
    }
    this.renderer.render(this.graph, this.camera);
    this.drawn += this.filled;
    this.#await(false);
  }

  // The next of the caps; with the last of them they are seen.
  #renderCaps() {
    const { capOrder, caps } = this;
    if (this.capCursor === 0 && this.capPiece === 0) caps.begin();
    [this.capCursor, this.capPiece] = this.#withOrder(capOrder, this.capCursor, this.capPiece, () =>
      this.#fill(this.capRate * STILL_MS, [this.capMaterials]),
    );
    caps.add(this.graph, this.camera);
    if (this.capCursor >= capOrder.length) caps.show(this.plane, this.camera);
    this.#await(true);
  }

  #await(isOfCaps) {
    this.isOfCaps = isOfCaps;
    this.fence = this.gl.fenceSync(this.gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    this.gl.flush();
    this.begun = performance.now();
  }

  // Whether the GPU is still at the last wave.
  #waits() {
    if (!this.fence) return false;
    if (this.gl.getSyncParameter(this.fence, this.gl.SYNC_STATUS) !== this.gl.SIGNALED) return true;
    this.gl.deleteSync(this.fence);
    this.fence = null;
    const took = Math.max(performance.now() - this.begun, 4);
    const rate = this.isOfCaps ? 'capRate' : 'rate';
    if (this.filled > 2000) this[rate] += 0.3 * (Math.max(this.filled / took, 50) - this[rate]);
    this.onPicture();
    return false;
  }

  // Called once a frame; true: there is more to do.
  frame() {
    if (this.#waits()) return true;
    const now = performance.now();
    if (this.isMoving && now - this.movedAt > 150) {
      this.isMoving = false;
      this.mustPlan = this.isStale = true;
    }
    if (this.isStale) {
      this.isStale = false;
      this.#clip();
      if (!this.hasInstances) {
        this.graph.children = this.standIn ? [this.standIn] : [];
        this.filled = this.standIn ? BOX_TRIANGLES * this.standIn.geometry.instanceCount : 0;
        this.orderCount = this.cursor = 0;
        this.capOrder = [];
      } else if (this.mustPlan || this.waveCount !== 1 || now - this.plannedAt > PLAN_EVERY) {
        this.#plan();
        this.#fill(this.rate * (this.isMoving ? MOVING_MS : STILL_MS));
        this.waveCount = 1;
      }
      this.#render(true);
      return true;
    }
    if (this.isMoving) return true;
    if (this.cursor < this.orderCount) {
      this.#fill(this.rate * STILL_MS);
      this.waveCount++;
      this.#render(false);
      return true;
    }
    if (this.capCursor < this.capOrder.length) {
      this.#renderCaps();
      return true;
    }
    this.release?.();
    return this.fence !== null;
  }

  // Shows the picture as it is on `canvas` until the next one is whole, or is waited for too long.
  hold(canvas) {
    if (this.release) return; // a finer one is shown
    if (this.waveCount < 2) return;
    canvas.width = this.canvas.width;
    canvas.height = this.canvas.height;
    canvas.getContext('2d').drawImage(this.canvas, 0, 0);
    canvas.hidden = false;
    const timer = setTimeout(() => this.release?.(), HOLD_MS);
    this.release = () => {
      clearTimeout(timer);
      canvas.hidden = true;
      this.release = null;
    };
  }
}

// Large first.
function bucketAt(across) {
  const octave = Math.floor(PER_OCTAVE * Math.log2(across)) + 2;
  return BUCKETS - 1 - Math.min(BUCKETS - 2, Math.max(0, octave));
}

const acrossAt = (bucket) => 2 ** ((BUCKETS - 1 - bucket - 2) / PER_OCTAVE);

function upload(attribute, count) {
  attribute.clearUpdateRanges();
  attribute.addUpdateRange(0, count);
  attribute.needsUpdate = true;
}
