// SPDX-License-Identifier: MIT
// caps.mjs: closes what the section cut open: the plane, in the colour of the body that each of its
// points is in. Bodies are summed in a picture of floats (shaders.mjs, "caps"), in any order and over
// any number of frames, and then shown at once, at the plane's depth.

import {
  AddEquation,
  AlwaysDepth,
  BufferAttribute,
  BufferGeometry,
  Color,
  CustomBlending,
  DoubleSide,
  FloatType,
  GLSL3,
  HalfFloatType,
  Matrix4,
  Mesh,
  NearestFilter,
  OneFactor,
  RawShaderMaterial,
  Scene as Graph,
  Vector4,
  WebGLRenderTarget,
} from 'three';
import { CAP_FRAGMENT, CAP_SUM_FRAGMENT, CAP_VERTEX } from './shaders.mjs';

export class Caps {
  constructor(renderer) {
    this.renderer = renderer;
    const has = (name) => renderer.getContext().getExtension(name) !== null;
    const hasFloats = has('EXT_color_buffer_float');
    this.isPossible = hasFloats || has('EXT_color_buffer_half_float');
    const type = hasFloats && has('EXT_float_blend') ? FloatType : HalfFloatType;
    this.options = { type, minFilter: NearestFilter, magFilter: NearestFilter, depthBuffer: false };
    this.target = null; // as long as there is a section
    this.plane = new Vector4();
    this.material = new RawShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: CAP_VERTEX,
      fragmentShader: CAP_FRAGMENT,
      uniforms: { sums: { value: null }, plane: { value: this.plane } },
      depthFunc: AlwaysDepth,
    });
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(9), 3));
    const mesh = new Mesh(geometry, this.material);
    mesh.frustumCulled = false;
    this.graph = new Graph();
    this.graph.add(mesh);
  }

  // Of pieces, boxes and points that add to the sums: with the uniforms of those that are drawn.
  materials(drawn) {
    const adding = ({ vertexShader, uniforms }) =>
      new RawShaderMaterial({
        glslVersion: GLSL3,
        vertexShader,
        fragmentShader: CAP_SUM_FRAGMENT,
        uniforms: { ...uniforms, hasSwatches: { value: 0 } }, // one colour a body
        side: DoubleSide,
        transparent: true,
        depthTest: false,
        depthWrite: false,
        blending: CustomBlending,
        blendEquation: AddEquation,
        blendSrc: OneFactor,
        blendDst: OneFactor,
      });
    return { piece: adding(drawn.piece), box: adding(drawn.box), point: drawn.point };
  }

  resize(width, height) {
    this.target?.setSize(width, height);
  }

  // What was kept for a section.
  end() {
    this.target?.dispose();
    this.target = null;
  }

  #inTarget(what) {
    const { renderer } = this;
    const colour = renderer.getClearColor(new Color());
    const alpha = renderer.getClearAlpha();
    renderer.setRenderTarget(this.target);
    renderer.setClearColor(0, 0);
    what();
    renderer.setRenderTarget(null);
    renderer.setClearColor(colour, alpha);
  }

  begin() {
    const { width, height } = this.renderer.domElement;
    this.target ??= new WebGLRenderTarget(width, height, this.options);
    this.material.uniforms.sums.value = this.target.texture;
    this.#inTarget(() => this.renderer.clear(true, false, false));
  }

  add(graph, camera) {
    this.#inTarget(() => this.renderer.render(graph, camera));
  }

  // plane: of the world, as graphs have it.
  show(plane, camera) {
    const view = new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    this.plane.copy(plane).applyMatrix4(view.invert().transpose());
    this.renderer.render(this.graph, camera);
  }
}
