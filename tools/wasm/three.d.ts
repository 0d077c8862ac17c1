// SPDX-License-Identifier: MIT
// three.d.ts: the types of bvpack/three: packed files in a scene of three.js.

import type {
  BufferGeometry,
  Group,
  InstancedMesh,
  Intersection,
  Material,
  Mesh,
  Raycaster,
} from 'three';
import type { BvpackFile, PartInfo } from './index.mjs';

/** Where in the file a ray met something. */
export interface BvpackHit {
  instance: number | null;
  part: number;
  triangle: number;
  /** The triangle's number in the source; null: three.js answered, which does not know it. */
  id: number | null;
}
export type BvpackIntersection = Intersection & { bvpack: BvpackHit };

/** A raycaster with `firstHitOnly` gets the nearest hit only, and much faster. */
export type BvpackRaycaster = Raycaster & { firstHitOnly?: boolean };

/** Triangles in storage order, with shared vertices: face t is the file's triangle first + t.
 * normals: smooth ones, default true. */
export function toBufferGeometry(
  file: BvpackFile,
  part: number,
  options?: { first?: number; count?: number; normals?: boolean },
): Promise<BufferGeometry>;

/** One part. raycast() asks the hierarchy if the file was opened with `worker: false` and its bytes
 * are here; otherwise three.js goes through the triangles. */
export class BvpackMesh extends Mesh {
  constructor(file: BvpackFile, part: number, geometry: BufferGeometry, material?: Material);
  static load(file: BvpackFile, part: number, material?: Material): Promise<BvpackMesh>;
  readonly file: BvpackFile;
  readonly part: number;
  /** As raycast(), nearest first; waits for the worker and for bytes. */
  pick(raycaster: BvpackRaycaster): Promise<BvpackIntersection[]>;
}

/** An InstancedMesh of one part; `instances` has the number in the file of each of its elements. */
export type BvpackInstances = InstancedMesh & { part: number; instances: Uint32Array };

/** All instances, each part's as one InstancedMesh. The file's hierarchy knows them where the file
 * has them: to move the assembly, move it as a whole. */
export class BvpackAssembly extends Group {
  static load(
    file: BvpackFile,
    material?: Material | ((part: number, info: PartInfo) => Material),
  ): Promise<BvpackAssembly>;
  readonly file: BvpackFile;
  readonly meshOf: Map<number, BvpackInstances>;
  /** Numbers of instances; they are not seen, and no ray meets them. */
  readonly hidden: Set<number>;
  hide(instances: Iterable<number>, isHidden?: boolean): Promise<void>;
  pick(raycaster: BvpackRaycaster): Promise<BvpackIntersection[]>;
  /** Frees the geometries; materials are the caller's. */
  dispose(): void;
}
