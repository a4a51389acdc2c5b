// SPDX-License-Identifier: MIT
// The first registration of a template to all frames of a sequence, outward from the template, forward and backward in time. Each frame starts from the result before it, with and without its motion, whichever fits better.
import type { Compute } from '../../../core/kernels/compute.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import type { SearchDevice } from '../../../core/model/clip/triangle-search.ts';
import { InputError } from '../../../core/model/errors.ts';
import { findLimbs } from '../limbs/find-limbs.ts';
import { makeSurfacePaths } from '../limbs/surface-paths.ts';
import { measureCoverage } from '../measure-coverage.ts';
import { deformByGraphInto } from '../solve/make-deformation-graph.ts';
import { poseGraph } from '../solve/pose-graph.ts';
import { listSamples, makeTemplateModel, placeSurface } from '../template/make-template-model.ts';
import { KeptFrames } from './kept-frames.ts';
import { makeScanSurface, rescaleSurface, type ScanSurface, type SolverUnits } from './make-scan-surface.ts';
import { measureFit, registerFrame, type TemplateModel } from './register-frame.ts';
import type { ScanFrame } from './scan-frame.ts';

/** Level whose nodes predict the next frame. */
const PREDICT_LEVEL = 3;
/** Minimum covered surface of a frame that belongs to the sequence. */
const MIN_COVERAGE = 0.3;
/** Shift of the center, relative to the box diagonal, from which on a start is moved by it. */
const MIN_SHIFT = 0.02;
/** Part of the time of this registration. */
export const FIRST_PART = 0.6;

/** What does not depend on the template. */
export interface Sequence {
  compute: Compute;
  frames: readonly ScanFrame[];
  /** The surfaces of the frames, in other units than those of the template. */
  rough: readonly ScanSurface[];
  roughUnits: SolverUnits;
  names: readonly string[];
  /** A template that is no frame. */
  reference: ScanFrame;
  seed: number;
  signal?: AbortSignal;
  searchDevice?: SearchDevice;
  /** Called after each frame. */
  onFraction: (fraction: number) => void;
}

/** A template in all frames. */
export interface RegisteredSequence {
  /** Index of the frame that is the template; undefined: another mesh. */
  template?: number;
  mesh: ScanFrame;
  units: SolverUnits;
  surface: ScanSurface;
  /** The frames in the units of the template. */
  surfaces: ScanSurface[];
  model: TemplateModel;
  targets: KeptFrames;
  /** For each frame pointCount x 3. */
  found: Float64Array[];
  /** frameCount, 0 to 1 */
  coverage: number[];
}

/** Registers a template to all frames. Throws an InputError if a frame does not belong to the sequence. */
export async function registerSequence(sequence: Sequence, template: number | undefined): Promise<RegisteredSequence> {
  const { compute, frames, rough, roughUnits, names, seed, signal, searchDevice } = sequence;
  const mesh = template === undefined ? sequence.reference : frames[template];
  const units = measureUnits(mesh);
  const surfaces = rough.map((surface) => rescaleSurface(surface, roughUnits, units));
  const surface = template === undefined ? makeScanSurface(mesh, units) : surfaces[template];
  const model = makeTemplateModel(compute, surface, seed, searchDevice);
  const targets = new KeptFrames((k) => ({
    placed: placeSurface(compute, surfaces[k], surfaces[k].positions, searchDevice),
    samples: listSamples(surfaces[k], seed),
  }));
  const found: Float64Array[] = new Array(frames.length);
  const coverage: number[] = new Array(frames.length).fill(1);
  let done = 0;
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
    sequence.onFraction((FIRST_PART * ++done) / frames.length);
  };
  const registered = { template, mesh, units, surface, surfaces, model, targets, found, coverage };
  try {
    let start = template ?? 0;
    if (template === undefined) {
      start = await findNearestFrame(model, frames.length, targets);
      await track(start, surface.positions);
    } else found[template] = surface.positions;
    for (const direction of [1, -1])
      for (let k = start + direction; k >= 0 && k < frames.length; k += direction)
        await track(k, found[k - direction], found[k - 2 * direction]);
  } catch (error) {
    disposeSequence(registered);
    throw error;
  }
  return registered;
}

export function disposeSequence({ model, targets }: RegisteredSequence): void {
  model.placed.search.dispose();
  for (const { solver } of model.levels) solver.dispose();
  model.detail.dispose();
  targets.dispose();
}

export function measureUnits({ positions }: ScanFrame): SolverUnits {
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
