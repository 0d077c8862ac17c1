// SPDX-License-Identifier: MIT
// view.js: the 3D view of a clash report: two meshes near the origin, the contact, a camera on it.
import {
  AmbientLight, Box3, Box3Helper, BufferAttribute, BufferGeometry, Color, DirectionalLight, DoubleSide,
  EdgesGeometry, Group, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshLambertMaterial,
  PerspectiveCamera, Scene, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

const ink = 0x14181f;

// With colours, every triangle has corners of its own; the side's colour where the source has none.
function geometryOf(mesh, sideColour) {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(mesh.positions, 3));
  geometry.setIndex(new BufferAttribute(mesh.indices, 1));
  if (!mesh.colours) return geometry;
  const single = geometry.toNonIndexed(), numbers = new Float32Array(9 * mesh.colours.length);
  mesh.colours.forEach((colour, i) => {
    const { r, g, b } = new Color(colour ?? sideColour);
    numbers.set([r, g, b, r, g, b, r, g, b], 9 * i);
  });
  single.setAttribute("color", new BufferAttribute(numbers, 3));
  return single;
}

// A part with its outlines, placed.
function partOf(mesh, colour) {
  const geometry = geometryOf(mesh, colour), group = new Group(), m = mesh.matrix;
  const surface = new MeshLambertMaterial({
    color: colour, side: DoubleSide, flatShading: true, polygonOffset: true,
    polygonOffsetFactor: 1, polygonOffsetUnits: 1,
  });
  const line = new LineBasicMaterial({ color: ink, transparent: true, opacity: 0.45 });
  group.add(new Mesh(geometry, surface), new LineSegments(new EdgesGeometry(geometry, 25), line));
  group.matrixAutoUpdate = false;
  group.matrix = new Matrix4(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10],
    m[11], 0, 0, 0, 1);
  return group;
}

// The contact's box and a line between the witness points, seen through everything.
function contactOf(view) {
  const grow = 0.01 * view.radius, group = new Group();
  const box = new Box3(new Vector3(...view.lo), new Vector3(...view.hi)).expandByScalar(grow);
  const points = new BufferGeometry().setFromPoints(view.points.map((p) => new Vector3(...p)));
  const through = { color: ink, depthTest: false, transparent: true };
  const outline = new Box3Helper(box, ink);
  outline.material = new LineBasicMaterial(through);
  group.add(outline, new LineSegments(points, new LineBasicMaterial(through)));
  group.renderOrder = 2;
  return group;
}

function release(object) {
  object.traverse((o) => {
    if (o.geometry) o.geometry.dispose();
    if (o.material) o.material.dispose();
  });
}

globalThis.bvpackView = (stage, colours) => {
  const renderer = new WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
  const scene = new Scene(), camera = new PerspectiveCamera();
  const controls = new OrbitControls(camera, renderer.domElement);
  const sun = new DirectionalLight(0xffffff, 2.2);
  let shown = null, parts = [], contact = null;
  stage.append(renderer.domElement);
  renderer.setPixelRatio(devicePixelRatio);
  scene.add(new AmbientLight(0xffffff, 1.2), camera);
  sun.position.set(-0.58, 0.74, 0.33);
  camera.add(sun, sun.target);

  function draw() {
    const width = stage.clientWidth, height = stage.clientHeight;
    if (!shown || width === 0 || height === 0) return;
    renderer.setSize(width, height, false);
    camera.aspect = width / height;
    camera.updateProjectionMatrix();
    renderer.render(scene, camera);
  }

  function home() {
    const away = Math.hypot(...shown.eye);
    camera.fov = shown.angle;
    camera.near = away / 200;
    camera.far = away * 200;
    camera.up.set(...shown.world_up);
    camera.position.set(...shown.eye);
    controls.target.set(0, 0, 0);
    controls.update();
    draw();
  }

  function show(view, meshes) {
    for (const old of [...parts, contact]) if (old) { scene.remove(old); release(old); }
    shown = view;
    parts = meshes.map((mesh, i) => partOf(mesh, colours[i]));
    contact = contactOf(view);
    scene.add(...parts, contact);
    home();
  }

  // how: "solid", "clear" or "hidden"
  function setSide(i, how) {
    const surface = parts[i].children[0].material;
    parts[i].visible = how !== "hidden";
    surface.transparent = how === "clear";
    surface.depthWrite = how !== "clear";
    surface.opacity = how === "clear" ? 0.3 : 1;
    surface.needsUpdate = true;
    draw();
  }

  const hasSourceColours = () => parts.some((part) => part.children[0].geometry.attributes.color);

  function setSourceColours(on) {
    parts.forEach((part, i) => {
      const { geometry, material } = part.children[0];
      material.vertexColors = on && Boolean(geometry.attributes.color);
      material.color.set(material.vertexColors ? 0xffffff : colours[i]);
      material.needsUpdate = true;
    });
    draw();
  }

  controls.addEventListener("change", draw);
  new ResizeObserver(draw).observe(stage);
  return {
    canvas: renderer.domElement, show, home, setSide, hasSourceColours, setSourceColours,
  };
};
