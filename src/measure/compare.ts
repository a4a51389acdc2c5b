// SPDX-License-Identifier: MIT

import { measureBounds } from '../core/mesh/geometry/bounds.ts';
import { matchVertices } from '../core/mesh/topology/match-vertices.ts';
import type { Asset } from '../core/model/asset.ts';
import { type Clip, frameOf } from '../core/model/clip/clip.ts';
import { reorderClip } from '../core/model/clip/reorder-clip.ts';
import { InputError } from '../core/model/errors.ts';
import { bakePairWith, type ClipPair, listClipPairs, type PairOptions } from '../deformers/playback/index.ts';
import type { ErrorReport } from './error/measure-error.ts';
import { LOCAL_MEASURE_HOST, type MeasureHost } from './error/measure-host.ts';
import { type JointReport, measureJoints } from './measure-joints.ts';

/** Maximum distance of matched vertices at rest, relative to the diagonal. */
const MATCHED = 0.05;
/** Minimum part of the triangles that a file in another order still has. */
const KEPT_TRIANGLES = 0.9;
/** Another order is used if it lowers the squared distances at rest to this part. */
const REORDERED = 0.1;

/** Root mean square distance of vertices of the same number, relative to the diagonal, above which files with other triangles have other vertices. A random order has 0.3 to 0.5. */
const OTHER_MESH = 0.15;

/** Options of compare. */
export interface CompareOptions extends PairOptions {
  /** Called before each motion, and for its frames, with the fraction done. */
  onProgress?(info: { phase: string; ratio: number }): void;
  /** Evaluates and measures frames, such as on several threads. Default: on this thread. */
  host?: MeasureHost;
  /** Stops the comparison between motions. */
  signal?: AbortSignal;
}

/** Share of a comparison that evaluates the frames; the rest measures them. */
const BAKING = 0.6;

/** One pair of motions that was compared, with its errors. */
export interface ComparedClip {
  pair: ClipPair;
  /** frameCount, seconds */
  times: Float64Array;
  error: ErrorReport;
}

/** Errors of all pairs of motions. */
export interface CompareResult {
  /** At least one. */
  clips: ComparedClip[];
  /** Index of the clip with the largest maximum error. */
  worst: number;
  /** False if the files have the same number of vertices but different triangles; positions are compared anyway. */
  hasSameTriangles: boolean;
  /** False if the vertices of the result are in another order and were matched by position. */
  hasSameOrder: boolean;
  /** If they are: by vertex of the result, the vertex of the reference. */
  order?: Uint32Array;
  /** Distances of joints, if both files have joints and some joint of the reference moves. */
  joints?: JointReport;
}

/**
 * Measures the distance of a result from a reference: any two clips, skinned, morphing or static assets with the same vertices.
 * Several animations are paired by name, and the result is evaluated at the frame times of the reference. A stopped comparison throws an AbortError.
 * @example
 * ```ts
 * import { compare, readAsset } from 'ossify';
 *
 * const { clips, worst } = await compare(asset, await readAsset([{ name: 'out.glb', bytes }]));
 * const { error } = clips[worst];
 * console.log(`maximum ${error.max}, E_RMS ${error.eRms}`);
 * ```
 */
export async function compare(reference: Asset, result: Asset, options: CompareOptions = {}): Promise<CompareResult> {
  const [a, b] = [reference.mesh, result.mesh];
  const hasSameTriangles = haveSameTriangles(a.triangles, b.triangles);
  let order: Uint32Array | undefined;
  const pairs = listClipPairs(reference, result, options);
  const clips: ComparedClip[] = [];
  for (const [n, pair] of pairs.entries()) {
    const phase = pairs.length > 1 ? `compare ${pair.name}` : 'compare';
    const tell = (ratio: number): void => options.onProgress?.({ phase, ratio: (n + ratio) / pairs.length });
    tell(0);
    // Lets timers and signals run between motions.
    await new Promise((resolve) => setTimeout(resolve));
    options.signal?.throwIfAborted();
    const host = options.host ?? LOCAL_MEASURE_HOST;
    const onProgress = (ratio: number): void => tell(BAKING * ratio);
    const baked = await bakePairWith(host.bake, reference, result, pair, { ...options, onProgress });
    const onFrame = (ratio: number): void => tell(BAKING + (1 - BAKING) * ratio);
    if (n === 0 && !hasSameTriangles) order = findOrder(baked.reference, baked.result);
    const ordered = order ? reorderClip(baked.reference, order) : baked.reference;
    const error = await host.measure(ordered, baked.result, { up: reference.up, onFrame });
    const perVertex = order ? spreadPerVertex(error, order, a.positions.length / 3) : error.perVertex;
    clips.push({ pair, times: baked.reference.times, error: { ...error, perVertex } });
  }
  let worst = 0;
  for (let n = 1; n < clips.length; n++) if (clips[n].error.max > clips[worst].error.max) worst = n;
  const joints = compareJoints(reference, result, clips);
  return {
    clips,
    worst,
    hasSameTriangles,
    hasSameOrder: order === undefined,
    ...(order && { order }),
    ...(joints && { joints }),
  };
}

/**
 * By vertex of the result: the vertex of the reference, if the file stores the same surface in another order, as compressed files do. The rest poses of two files may differ, as those of a tracked skin and of its frames do, so
 * that the first frame is tried after them. Throws an InputError if the files have different vertices that do not match.
 */
function findOrder(reference: Clip, result: Clip): Uint32Array | undefined {
  const [vertices, others] = [reference, result].map(({ mesh }) => mesh.positions.length / 3);
  const poses = [
    [reference, result],
    [atFrame(reference), atFrame(result)],
  ];
  for (const [own, other] of poses) {
    const order = matchAtRest(own, other);
    const [a, b] = [own.mesh.positions, other.mesh.positions];
    if (order && (vertices !== others || sumBetween(a, b, order) < REORDERED * sumBetween(a, b))) return order;
  }
  if (vertices !== others)
    throw new InputError(
      'compare',
      `the first file has ${vertices} vertices and the second ${others}; only files with the same vertices can be compared`,
    );
  const [a, b] = poses[1].map(({ mesh }) => mesh.positions);
  const apart = Math.sqrt(sumBetween(a, b) / Math.max(1, vertices)) / (measureBounds(a).diagonal || 1);
  if (apart > OTHER_MESH)
    throw new InputError(
      'compare',
      `both files have ${vertices} vertices, but other triangles, and vertices of the same number are ${Math.round(100 * apart)} % of the size apart; only files with the same vertices can be compared`,
    );
  return undefined;
}

/** The order of vertices that are near each other in the meshes of two clips; undefined if some are not. */
function matchAtRest(reference: Clip, result: Clip): Uint32Array | undefined {
  const [a, b] = [reference.mesh.positions, result.mesh.positions];
  const { diagonal } = measureBounds(a);
  // compression drops triangles without area
  const kept = result.mesh.triangles.length / reference.mesh.triangles.length;
  const order = kept >= KEPT_TRIANGLES && kept <= 1 ? matchVertices(reference, result) : undefined;
  const isClose = order?.every(
    (v, i) => Math.hypot(...[0, 1, 2].map((r) => a[3 * v + r] - b[3 * i + r])) <= MATCHED * diagonal,
  );
  return isClose ? order : undefined;
}

/** The clip with its first frame as rest pose. */
function atFrame(clip: Clip): Clip {
  return { ...clip, mesh: { ...clip.mesh, positions: frameOf(clip, 0) } };
}

/** Errors per vertex of the result as errors per vertex of the reference: the largest where several are one vertex. */
function spreadPerVertex(
  { perVertex }: ErrorReport,
  order: Uint32Array,
  vertexCount: number,
): ErrorReport['perVertex'] {
  const spread = (values: Float32Array): Float32Array => {
    const out = new Float32Array(vertexCount);
    order.forEach((v, i) => {
      out[v] = Math.max(out[v], values[i]);
    });
    return out;
  };
  return { rms: spread(perVertex.rms), max: spread(perVertex.max) };
}

/** Sum of squared distances of rest positions. */
function sumBetween(a: Float32Array, b: Float32Array, order?: Uint32Array): number {
  let sum = 0;
  for (let c = 0; c < b.length; c++) sum += (a[order ? 3 * order[Math.floor(c / 3)] + (c % 3) : c] - b[c]) ** 2;
  return sum;
}

/** Distances of joints in the animations that were compared. */
function compareJoints(reference: Asset, result: Asset, clips: readonly ComparedClip[]): JointReport | undefined {
  if (reference.clips.length > 0 || result.clips.length > 0) return undefined;
  const animations = clips.flatMap(({ pair, times }) => {
    const animation = reference.animations[pair.reference];
    return animation ? [{ reference: animation, result: result.animations[pair.result], times }] : [];
  });
  return measureJoints(reference, result, animations);
}

/** Whether two lists have the same triangles, in the same order and orientation. Each may start at any corner: meshopt rotates them. */
function haveSameTriangles(a: Uint32Array, b: Uint32Array): boolean {
  if (a.length !== b.length) return false;
  for (let c = 0; c + 2 < a.length; c += 3) {
    const first = b[c] === a[c] && b[c + 1] === a[c + 1] ? 0 : b[c + 1] === a[c] && b[c + 2] === a[c + 1] ? 1 : 2;
    for (let corner = 0; corner < 3; corner++) if (a[c + corner] !== b[c + ((first + corner) % 3)]) return false;
  }
  return true;
}
