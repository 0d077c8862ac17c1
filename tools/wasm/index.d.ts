// SPDX-License-Identifier: MIT
// index.d.ts: the types of the package bvpack. Answers are those of the library (bvpack.h), bit for
// bit; its comments say what they promise.

/** In arrays of instances and parts: there is none. */
export const NONE: 0xffffffff;

export type Status =
  | 'not ours'
  | 'newer'
  | 'corrupt'
  | 'limit'
  | 'no memory'
  | 'system'
  | 'argument';

export class BvpackError extends Error {
  readonly status: Status;
  /** The violated rule of the format, such as "HDR-4", or "". */
  readonly rule: string;
  /** The byte in the file, or -1. */
  readonly offset: number;
}

/** Bytes that a function reads. It may be asked again while it has not answered. */
export interface ByteSource {
  size: number;
  read(offset: number, size: number): Promise<Uint8Array>;
}

export interface OpenOptions {
  /** Answer in a worker (default: in a page) or in this thread (default elsewhere). */
  worker?: boolean;
  /** Bytes that are kept of a file that is read by ranges; default 64 MiB. */
  cacheBytes?: number;
  /** Whole files: check each part's hashes when it is first asked about; default true. Files read
   * by ranges are always checked. */
  verify?: boolean;
  /** For URLs: headers, credentials and so on, as of fetch(). */
  fetch?: RequestInit;
}

/** Before the first open(), for pages in one file: the module, compiled or as bytes, and a function
 * that makes a worker of worker.mjs. */
export function bring(given: {
  module?: WebAssembly.Module | BufferSource;
  worker?: () => Worker;
}): void;

/** A URL whose server answers requests for ranges is read by ranges; so are Blobs and sources. */
export function open(
  from: string | URL | ArrayBuffer | ArrayBufferView | Blob | ByteSource,
  options?: OpenOptions,
): Promise<BvpackFile>;

/** Which triangles: of one part, or of all instances or a group of them. */
export interface BodyOptions {
  /** A part's number; without it, the assembly. */
  part?: number;
  /** 12 numbers, the rows of a 3 x 4 matrix. */
  placement?: ArrayLike<number>;
  /** Only these instances, or all but these. */
  only?: ArrayLike<number>;
  without?: ArrayLike<number>;
}
/** Without `file`: of the file that is asked. */
export interface Body extends BodyOptions {
  file?: BvpackFile;
}

export interface FileInfo {
  format: string;
  fileSize: number;
  triangleCount: number;
  uniqueTriangleCount: number;
  partCount: number;
  instanceCount: number;
  nodeCount: number;
  instanceHierarchyCount: number;
  /** 0: unknown. */
  unitInMetres: number;
  up: 'unknown' | 'x' | 'y' | 'z';
  tessellationTolerance: number;
  hierarchySize: number;
  geometrySize: number;
  idSize: number;
  otherSize: number;
  hasDigests: boolean;
  isThin: boolean;
  lo: Float64Array;
  hi: Float64Array;
  rootHash: string;
  sourceHash: string;
}

export interface PartInfo {
  name: string;
  sourceId: string;
  triangleCount: number;
  vertexCount: number;
  clusterCount: number;
  hierarchyCount: number;
  roundingError: number;
  degenerateCount: number;
  duplicateCount: number;
  openEdgeCount: number;
  nonmanifoldEdgeCount: number;
  hierarchySize: number;
  geometrySize: number;
  idSize: number;
  hasIds: boolean;
  /** Part coordinates are relative to this point of the source's. */
  origin: Float64Array;
  lo: Float64Array;
  hi: Float64Array;
  contentHash: string;
  address: string;
}

export interface NodeInfo {
  name: string;
  sourceId: string;
  parent: number | null;
  /** The first node that is not below this one. */
  end: number;
  part: number | null;
  instance: number | null;
  propertyCount: number;
  placement: Float64Array;
}

export interface InstanceInfo {
  part: number;
  node: number | null;
  placement: Float64Array;
}

/** Many records as arrays, one element each: of instances, and of nodes. NONE: there is none. */
export interface InstanceTable {
  part: Uint32Array;
  node: Uint32Array;
  /** 12 for each instance. */
  placement: Float64Array;
}
/** Of instances; where runCount is 0, or the colour four zeros, the source names none. */
export interface ColourTable {
  /** 4 for each instance: of the first run. */
  rgba: Uint8Array;
  runCount: Uint32Array;
}
export interface PartTable {
  triangleCount: Float64Array;
  openEdgeCount: Float64Array;
  /** 6 for each part: lo, hi. */
  box: Float64Array;
}
export interface NodeTable {
  parent: Uint32Array;
  /** The first node that is not below this one. */
  end: Uint32Array;
  part: Uint32Array;
  instance: Uint32Array;
}

/** Vertices and triangles as renderers take them. */
export interface Geometry {
  /** 3 for each vertex, in part coordinates. */
  positions: Float32Array;
  /** 3 for each triangle, in storage order. */
  indices: Uint32Array;
  /** Of each vertex, which of the runs that were asked for; null: of none. */
  runs: Uint32Array | null;
}

/** Boxes of a hierarchy, one element each. */
export interface BoxList {
  count: number;
  /** 3 for each box. */
  lo: Float64Array;
  hi: Float64Array;
  level: Uint32Array;
  /** Triangles (of the assembly: instances) of a leaf; 0 for an inner box. */
  leafCount: Uint32Array;
  /** A leaf's first one. */
  first: Float64Array;
}

/** One element for each question. Where `found` is 0, numbers are 0, and t or distance infinite. */
export interface Hits {
  found: Uint8Array;
  instance: Uint32Array;
  part: Uint32Array;
  triangle: Float64Array;
  id: Float64Array;
}
export interface RayHits extends Hits {
  t: Float64Array;
  /** 2 for each ray. */
  uv: Float64Array;
  /** 3 for each ray. */
  normal: Float64Array;
}
export interface ClosestHits extends Hits {
  distance: Float64Array;
  /** 3 for each point. */
  point: Float64Array;
}

export interface TriangleList {
  count: number;
  instance: Uint32Array;
  part: Uint32Array;
  triangle: Float64Array;
  id: Float64Array;
}
export interface RayHitList extends TriangleList {
  t: Float64Array;
  uv: Float64Array;
  normal: Float64Array;
}
export interface PairList {
  count: number;
  instanceA: Uint32Array;
  partA: Uint32Array;
  triangleA: Float64Array;
  idA: Float64Array;
  instanceB: Uint32Array;
  partB: Uint32Array;
  triangleB: Float64Array;
  idB: Float64Array;
  /** 1: they cross; 0: they touch. */
  proper: Uint8Array;
}

export interface TriangleOf {
  instance: number | null;
  part: number | null;
  triangle: number;
  id: number;
}
export interface Distance {
  distance: number;
  lower: number;
  pointA: Float64Array;
  pointB: Float64Array;
  a: TriangleOf;
  /** Null for a convex body. */
  b: TriangleOf | null;
}
export interface Distances {
  found: Uint8Array;
  distance: Float64Array;
  lower: Float64Array;
  pointA: Float64Array;
  pointB: Float64Array;
  instanceA: Uint32Array;
  partA: Uint32Array;
  triangleA: Float64Array;
  idA: Float64Array;
  instanceB: Uint32Array;
  partB: Uint32Array;
  triangleB: Float64Array;
  idB: Float64Array;
}

export type Region =
  /** The lower corner, then the upper one. */
  | { box: ArrayLike<number> }
  /** Centre and radius. */
  | { ball: ArrayLike<number> }
  /** Where n . x + d >= 0 for all planes: 4 numbers each. */
  | { planes: ArrayLike<number> };

export interface ConvexBody {
  kind: 'box' | 'sphere' | 'capsule' | 'cylinder' | 'hull';
  /** Box: along its axes. */
  size?: ArrayLike<number>;
  radius?: number;
  length?: number;
  /** Hull: 3 numbers each. */
  points?: ArrayLike<number>;
  placement?: ArrayLike<number>;
}

export type Verdict =
  | 'clear'
  | 'within'
  | 'touching'
  | 'penetrating'
  | 'enclosed'
  | 'duplicate'
  | 'unknown';

/** Of pairs of an instance of `a` and one of `b`, either way round; left out: all. In a run against
 * another file `b` are its instances, in one with zones their numbers. */
export interface ClashRule {
  a?: ArrayLike<number>;
  b?: ArrayLike<number>;
  /** The pair is not examined. */
  exclude?: boolean;
  /** Instead of the run's. */
  clearance?: number;
  touchGap?: number;
  overlap?: number;
}
export interface ClashOptions {
  clearance?: number;
  touchGap?: number;
  overlap?: number;
  detail?: 'distance' | 'verdicts' | 'contacts' | 'fast contacts';
  /** Another file, against whose instances those of this one are held; and where it stands. */
  other?: BvpackFile | null;
  placement?: ArrayLike<number>;
  /** The first one that matches decides. */
  rules?: ClashRule[];
  /** Solids against which the instances are held, and not against one another. */
  zones?: ConvexBody[];
}
export interface ClashPair {
  a: number;
  /** With zones: the zone's number. */
  b: number;
  verdict: Verdict;
  limits: { clearance: number; touchGap: number; overlap: number };
  distance: number;
  lower: number;
  depth: number;
  depthUpper: number;
  pointA: Float64Array;
  pointB: Float64Array;
  hitA: { part: number | null; triangle: number; id: number };
  hitB: { part: number | null; triangle: number; id: number };
  trianglePairs: number;
  lo: Float64Array;
  hi: Float64Array;
  /** Which of the rules decided. */
  rule: number | null;
}
export interface ClashCoverage {
  boxPairs: number;
  excluded: number;
  verdicts: Record<Verdict, number>;
}

export interface ColourRun {
  first: number;
  /** Red, green, blue in sRGB, alpha: 0 to 255. null: the source names no colour. */
  rgba: [number, number, number, number] | null;
}

/** A body of another file or of this one; a file as a whole; null: the instances of one body
 * against one another. */
export type Other = BvpackFile | Body | null;

/** Positions and indices of one primitive: what a renderer has, for instance the arrays of a
 * three.js BufferGeometry. They are copied. */
export interface Buffers {
  positions: Float32Array | Int8Array | Uint8Array | Int16Array | Uint16Array;
  /** Elements from a vertex to the next one; default 3. */
  stride?: number;
  /** Elements before x of vertex 0; default 0. */
  offset?: number;
  normalized?: boolean;
  /** Without: every three vertices are a triangle. */
  indices?: Uint8Array | Uint16Array | Uint32Array | null;
}

export class BvpackFile {
  private constructor();
  close(): Promise<void>;

  info(): Promise<FileInfo>;
  parts(first?: number, count?: number): Promise<PartInfo[]>;
  nodes(first?: number, count?: number): Promise<NodeInfo[]>;
  properties(node: number): Promise<Record<string, string>>;
  /** The base colours that the source gives a node's triangles: each from the number `first` on, as
   * of `id` in hits, up to the next run's. Empty: none are known. */
  colours(node: number): Promise<ColourRun[]>;
  /** Of a file over buffers (bvpack pack --share): gives a part the buffers that it was packed over,
   * one for each primitive. Others are refused by their hash. A GLB made by attach --share binds its
   * own when it is opened. */
  bind(part: number, buffers: Buffers[]): Promise<void>;
  /** What the packer recorded: sources, options, warnings. */
  provenance(): Promise<unknown>;
  instances(first?: number, count?: number): Promise<InstanceInfo[]>;
  instanceTable(first?: number, count?: number): Promise<InstanceTable>;
  colourTable(first?: number, count?: number): Promise<ColourTable>;
  nodeTable(first?: number, count?: number): Promise<NodeTable>;
  partTable(first?: number, count?: number): Promise<PartTable>;
  /** The path of a node, as reports have it: labels below the root, "[2]" behind the second of
   * siblings of one name; and the node of a path, null if there is none. */
  nodePath(node: number): Promise<string>;
  nodeAt(path: string): Promise<number | null>;
  /** Nodes whose name or source id holds the text, in order; capital letters of ASCII are as small
   * ones. Among nodes first .. first + count - 1; limit: default 1000. */
  findNodes(
    text: string,
    options?: { first?: number; count?: number; limit?: number },
  ): Promise<Uint32Array>;
  /** The boxes of a level of the assembly's hierarchy or a part's, and of leaves above it; limit:
   * default a million. */
  boxes(level: number, options?: { part?: number; limit?: number }): Promise<BoxList>;
  /** Triangles first .. first + count - 1 with shared vertices. firsts: triangles' numbers, as of `id`
   * in hits, ascending, at which runs begin (of colours()): no vertex is in two runs. */
  geometry(
    part: number,
    first?: number,
    count?: number,
    options?: { firsts?: ArrayLike<number> | null },
  ): Promise<Geometry>;
  /** positions: 9 for each triangle, in part coordinates. */
  triangles(
    part: number,
    first?: number,
    count?: number,
    options?: { ids?: boolean },
  ): Promise<{ positions: Float32Array; ids: Float64Array | null }>;

  /** rays: 8 numbers each: origin, direction, least and largest t. */
  rayFirst(rays: ArrayLike<number>, body?: BodyOptions): Promise<RayHits>;
  rayAny(rays: ArrayLike<number>, body?: BodyOptions): Promise<Uint8Array>;
  /** All hits of one ray, in no order. */
  rayAll(ray: ArrayLike<number>, options?: BodyOptions & { limit?: number }): Promise<RayHitList>;
  /** Answers without waiting, for a file that was opened with `worker: false`; null: not possible,
   * because bytes are missing or the file is in a worker. */
  rayFirstNow(ray: ArrayLike<number>, body?: BodyOptions): RayHits | null;
  rayAllNow(ray: ArrayLike<number>, body?: BodyOptions): RayHitList | null;
  /** points: 3 numbers each. */
  closest(
    points: ArrayLike<number>,
    options?: BodyOptions & { maxDistance?: number },
  ): Promise<ClosestHits>;
  overlap(region: Region, options?: BodyOptions & { limit?: number }): Promise<TriangleList>;
  /** Instances whose boxes meet a box (lower corner, upper corner); byTriangles: of which a triangle
   * touches it. In no order. */
  instancesIn(
    box: ArrayLike<number>,
    options?: BodyOptions & { byTriangles?: boolean },
  ): Promise<Uint32Array>;
  /** The nearest instances to a point, at most `count`; the nearest first. */
  nearestInstances(
    point: ArrayLike<number>,
    count: number,
    options?: BodyOptions & { maxDistance?: number },
  ): Promise<ClosestHits>;
  convexCollide(shape: ConvexBody, body?: BodyOptions): Promise<boolean>;
  convexDistance(
    shape: ConvexBody,
    options?: BodyOptions & { limit?: number },
  ): Promise<Distance | null>;

  collide(b: Other, options?: { a?: BodyOptions }): Promise<boolean>;
  /** b at many placements, 12 numbers each. */
  collide(
    b: BvpackFile | Body,
    options: { a?: BodyOptions; placements: ArrayLike<number> },
  ): Promise<Uint8Array>;
  /** Null: farther apart than the limit. tolerance: how far the distance may be off; default exact. */
  distance(
    b: Other,
    options?: { a?: BodyOptions; limit?: number; tolerance?: number },
  ): Promise<Distance | null>;
  distance(
    b: BvpackFile | Body,
    options: { a?: BodyOptions; limit?: number; placements: ArrayLike<number> },
  ): Promise<Distances>;
  /** A witness, or null: farther apart than delta. */
  within(b: Other, delta: number, options?: { a?: BodyOptions }): Promise<Distance | null>;
  /** Pairs of triangles that touch. */
  pairs(b: Other, options?: { a?: BodyOptions; limit?: number }): Promise<PairList>;
  /** Each pair of instances that is not clear, in order. Without a worker, `true` from onPair ends
   * the run. */
  clash(
    options?: ClashOptions,
    onPair?: (pair: ClashPair) => boolean | void,
  ): Promise<ClashCoverage>;
}
