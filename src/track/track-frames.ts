// SPDX-License-Identifier: MIT
// Registers one mesh, the template, to a sequence of meshes with other vertices and triangles: frames without correspondence become a clip.
//
// H. Li, B. Adams, L. J. Guibas, M. Pauly, "Robust single-view geometry and motion reconstruction", ACM TOG 28(5), 2009 (SIGGRAPH Asia), has the same outline: a deformation graph that gets
// finer, robust matches, and per-point detail. Differences: nodes are rigid (graph-solver.ts), matches go both ways (find-matches.ts), detail is as rigid as possible with the template as its rest
// shape, so that it does not drift (detail-solver.ts). Tracking goes outward from the template, forward and backward in time; each frame starts from the result before it, with and without
// its motion, whichever fits better. A skin that all frames share then corrects sliding along the surface (refine-by-skin.ts), and every point moves once more.
import type { Compute } from '../kernels/compute.ts';
import { measureBounds } from '../mesh/bounds.ts';
import { InputError } from '../model/errors.ts';
import type { SearchDevice } from '../model/triangle-search.ts';
import { checkFrames } from './check-frames.ts';
import { chooseTemplate } from './choose-template.ts';
import { findLimbs } from './find-limbs.ts';
import { KeptFrames } from './kept-frames.ts';
import { deformByGraphInto } from './make-deformation-graph.ts';
import { makeScanSurface, rescaleSurface, type ScanSurface, type SolverUnits } from './make-scan-surface.ts';
import { listSamples, makeTemplateModel, placeSurface } from './make-template-model.ts';
import { measureCoverage } from './measure-coverage.ts';
import { poseGraph } from './pose-graph.ts';
import { refineBySkin } from './refine-by-skin.ts';
import { measureFit, registerFrame, registerPoints, type TemplateModel } from './register-frame.ts';
import type { ScanFrame } from './scan-frame.ts';
import { makeSurfacePaths } from './surface-paths.ts';

/** Level whose nodes predict the next frame. */
const PREDICT_LEVEL = 3;
/** Minimum part of the points of a surface that are not on a rim: fewer are accidents in a cloud of triangles. */
const MIN_INSIDE = 0.01;
/** Minimum covered surface of a frame that belongs to the sequence. */
const MIN_COVERAGE = 0.3;
/** Shift of the center, relative to the box diagonal, from which on a start is moved by it. */
const MIN_SHIFT = 0.02;

/** Bending from which on sliding is corrected by a skin: the largest root mean square distance of a frame from the rigidly moved template. Errors along the surface are a part of it. */
const MIN_BENDING = 0.01;
/** Part of the time of the first registration of all frames. */
const FIRST_PART = 0.6;
/** Coverage that a corrected frame may lose. */
const MAX_LOSS = 0.01;

export interface TrackOptions {
  /** The mesh that is registered: a frame by its index, or another mesh. Default: the frame nearest to all others. */
  template?: number | ScanFrame;
  /** Names of the frames in errors. Default: their index. */
  names?: readonly string[];
  /** Random seed of the points that are matched. */
  seed?: number;
  /** Called after each frame. */
  onProgress?: (info: { phase: string; fraction: number }) => void;
  /** Ends tracking with an AbortError. */
  signal?: AbortSignal;
  /** Where nearest points are searched, such as on a GPU (createGpuSearch). Default: on the threads of the compute. */
  searchDevice?: SearchDevice;
}

export interface TrackResult {
  /** Index of the frame that is the template; undefined if another mesh was given. */
  template?: number;
  /** The template, whose vertices and triangles all frames have. */
  mesh: ScanFrame;
  /** frameCount x vertexCount x 3, file units */
  positions: Float32Array;
  /** frameCount, 0 to 1: part of the area of frame and result that is within 0.5 % of the box diagonal of the other */
  coverage: number[];
}

/** Registers a template to all frames. Throws an InputError if a frame is empty, or does not belong to the sequence. */
export async function trackFrames(
  compute: Compute,
  frames: readonly ScanFrame[],
  options: TrackOptions = {},
): Promise<TrackResult> {
  const { names = frames.map((_, k) => `frame ${k}`), seed = 0, onProgress, signal, searchDevice } = options;
  if (frames.length < 2)
    throw new InputError('track', `needs at least two frames, got ${frames.length}; a single mesh does not move`);
  checkFrames(frames, names, typeof options.template === 'object' ? options.template : undefined);
  const given = typeof options.template === 'number' ? frames[options.template] : options.template;
  const reference = given ?? frames[findMedian(frames)];
  const roughUnits = measureUnits(reference);
  const rough = frames.map((frame) => makeScanSurface(frame, roughUnits));
  for (const [k, { isRim }] of rough.entries()) checkInside(isRim, names[k]);
  const template = typeof options.template === 'object' ? undefined : (options.template ?? chooseTemplate(rough));
  const mesh = template === undefined ? reference : frames[template];
  const units = measureUnits(mesh);
  const surfaces = rough.map((surface) => rescaleSurface(surface, roughUnits, units));
  const surface = template === undefined ? makeScanSurface(mesh, units) : surfaces[template];
  const model = makeTemplateModel(compute, surface, seed, searchDevice);
  const found: (Float64Array | undefined)[] = new Array(frames.length).fill(undefined);
  const coverage: number[] = new Array(frames.length).fill(1);
  const targets = new KeptFrames((k) => ({
    placed: placeSurface(compute, surfaces[k], surfaces[k].positions, searchDevice),
    samples: listSamples(surfaces[k], seed),
  }));
  const track = async (k: number, last: Float64Array, before?: Float64Array): Promise<void> => {
    signal?.throwIfAborted();
    const limbs = model.limbs.length > 0 ? findLimbs(makeSurfacePaths(surfaces[k])) : [];
    await targets.use(k, async (frame) => {
      await registerFrame(model, { ...frame, limbs }, listStarts(model, surfaces[k], last, before));
      coverage[k] = await measureCoverage(model.placed, frame.placed);
    });
    if (coverage[k] < MIN_COVERAGE)
      throw new InputError(
        names[k],
        `only ${Math.round(100 * coverage[k])} % of its surface could be matched with the frames beside it; leave it out, or give frames closer in time`,
      );
    found[k] = model.placed.positions.slice();
    onProgress?.({ phase: 'track', fraction: (FIRST_PART * found.filter(Boolean).length) / frames.length });
  };
  /** Moves all points from corrected positions, or from those of the first registration if these fit better. */
  const finish = async (k: number, starts: readonly Float64Array[]): Promise<void> => {
    signal?.throwIfAborted();
    await targets.use(k, async (frame) => {
      for (const start of starts) {
        model.placed.positions.set(start);
        // the first of several starts is corrected
        await registerPoints(model, frame, { held: starts.length > 1 && start === starts[0] ? start : undefined });
        const covered = await measureCoverage(model.placed, frame.placed);
        if (start !== starts[0] && covered < coverage[k]) break;
        const isLost = covered < coverage[k] - MAX_LOSS;
        coverage[k] = covered;
        found[k] = model.placed.positions.slice();
        if (!isLost) break;
      }
    });
    onProgress?.({ phase: 'track', fraction: FIRST_PART + ((1 - FIRST_PART) * (k + 1)) / frames.length });
  };
  try {
    let start = template ?? 0;
    if (template === undefined) {
      start = await findNearestFrame(model, frames.length, targets);
      await track(start, surface.positions);
    } else found[template] = surface.positions;
    for (const direction of [1, -1])
      for (let k = start + direction; k >= 0 && k < frames.length; k += direction)
        await track(k, found[k - direction]!, found[k - 2 * direction]);
    const shapes = (found as Float64Array[]).map((positions) => positions.slice());
    const isBent = measureBending(model, shapes) > MIN_BENDING;
    if (isBent) await refineBySkin(compute, model, shapes, targets, { template, signal });
    for (let k = 0; k < frames.length; k++)
      if (k !== template) await finish(k, isBent ? [shapes[k], found[k]!] : [shapes[k]]);
  } finally {
    model.placed.search.dispose();
    for (const { solver } of model.levels) solver.dispose();
    model.detail.dispose();
    targets.dispose();
  }
  return { template, mesh, positions: listPositions(mesh, surface, units, found as Float64Array[]), coverage };
}

/** Matches on a rim are not used, so that a strip of triangles, or triangles that share no edges, have none. */
function checkInside(isRim: Uint8Array, name: string): void {
  const inside = isRim.reduce((count, rim) => count + 1 - rim, 0);
  if (inside === 0 || inside < MIN_INSIDE * isRim.length)
    throw new InputError(
      name,
      'has hardly any vertex inside its border, so that it cannot be matched; connect its triangles, or subdivide them',
    );
}

/** The frame of median size. */
function findMedian(frames: readonly ScanFrame[]): number {
  const sizes = frames.map(({ positions }) => measureBounds(positions).diagonal);
  const order = sizes.map((_, k) => k).sort((a, b) => sizes[a] - sizes[b] || a - b);
  return order[Math.floor(order.length / 2)];
}

function measureUnits({ positions }: ScanFrame): SolverUnits {
  const { min, max, diagonal } = measureBounds(positions);
  return { scale: diagonal, center: [0, 1, 2].map((a) => (min[a] + max[a]) / 2) };
}

/** Where registration may start: the last result, the same with its motion, and moved to the center of the frame if that is far. */
function listStarts(
  model: TemplateModel,
  frame: ScanSurface,
  last: Float64Array,
  before?: Float64Array,
): Float64Array[] {
  const starts = before ? [last, predict(model, before, last)] : [last];
  const own = centerOf(last, model.placed.surface.areas);
  const shift = centerOf(frame.positions, frame.areas).map((x, a) => x - own[a]);
  if (Math.hypot(...shift) > MIN_SHIFT) starts.push(last.map((x, c) => x + shift[c % 3]));
  return starts;
}

/** The positions after the last ones if every part goes on moving. */
function predict({ levels }: TemplateModel, before: Float64Array, last: Float64Array): Float64Array {
  const { graph } = levels[PREDICT_LEVEL];
  const pose = poseGraph(graph, before, last);
  for (let j = 0; j < graph.nodeCount; j++)
    for (let a = 0; a < 3; a++) {
      const i = 3 * graph.points[j] + a;
      pose.centers[3 * j + a] = 2 * last[i] - before[i];
    }
  const positions = new Float64Array(last.length);
  deformByGraphInto(graph, last, pose, positions);
  return positions;
}

/** The largest root mean square distance of a frame from the template, moved rigidly. */
function measureBending({ levels, rest }: TemplateModel, shapes: readonly Float64Array[]): number {
  const { graph } = levels[0];
  const moved = new Float64Array(rest.length);
  let largest = 0;
  for (const shape of shapes) {
    deformByGraphInto(graph, rest, poseGraph(graph, rest, shape), moved);
    const sum = moved.reduce((total, x, c) => total + (x - shape[c]) ** 2, 0);
    largest = Math.max(largest, Math.sqrt((3 * sum) / rest.length));
  }
  return largest;
}

/** The center of area. */
function centerOf(positions: Float64Array, areas: Float64Array): number[] {
  const sums = [0, 0, 0, 0];
  for (let i = 0; i < areas.length; i++) {
    for (let a = 0; a < 3; a++) sums[a] += areas[i] * positions[3 * i + a];
    sums[3] += areas[i];
  }
  return [0, 1, 2].map((a) => sums[a] / (sums[3] || 1));
}

/** The frame that a template that is no frame fits best, after a shift to its center. */
async function findNearestFrame(model: TemplateModel, count: number, targets: KeptFrames): Promise<number> {
  let best = { fit: -1, k: 0 };
  for (let k = 0; k < count; k++) {
    const fit = await targets.use(k, (frame) => {
      const [from, to] = [
        centerOf(model.rest, model.placed.surface.areas),
        centerOf(frame.placed.positions, frame.placed.surface.areas),
      ];
      model.placed.positions.set(model.rest.map((x, c) => x + to[c % 3] - from[c % 3]));
      return measureFit(model, frame);
    });
    if (fit > best.fit) best = { fit, k };
  }
  return best.k;
}

/** Positions of the template's vertices in file units. Vertices without a triangle stay. */
function listPositions(
  mesh: ScanFrame,
  { pointOfVertex }: ScanSurface,
  { scale, center }: SolverUnits,
  found: Float64Array[],
): Float32Array {
  const stride = mesh.positions.length;
  const positions = new Float32Array(stride * found.length);
  for (const [k, shape] of found.entries())
    for (let c = 0; c < stride; c++) {
      const point = pointOfVertex[Math.floor(c / 3)];
      positions[k * stride + c] = point < 0 ? mesh.positions[c] : shape[3 * point + (c % 3)] * scale + center[c % 3];
    }
  return positions;
}
