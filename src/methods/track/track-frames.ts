// SPDX-License-Identifier: MIT
// Registers one mesh, the template, to a sequence of meshes with other vertices and triangles: frames without correspondence become a clip.
//
// H. Li, B. Adams, L. J. Guibas, M. Pauly, "Robust single-view geometry and motion reconstruction", ACM TOG 28(5), 2009 (SIGGRAPH Asia), has the same outline: a deformation graph that gets
// finer, robust matches, and per-point detail. Differences: nodes are rigid (graph-solver.ts), matches go both ways (find-matches.ts), detail is as rigid as possible with the template as its rest
// shape, so that it does not drift (detail-solver.ts). Tracking goes outward from the template, forward and backward in time; each frame starts from the result before it, with and without
// its motion, whichever fits better. A skin that all frames share then corrects sliding along the surface (refine-by-skin.ts), and every point moves once more.
import type { Compute } from '../../core/kernels/compute.ts';
import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import { InputError } from '../../core/model/errors.ts';
import { checkFrames } from './check-frames.ts';
import { refineBySkin } from './limbs/refine-by-skin.ts';
import { measureCoverage } from './measure-coverage.ts';
import { makeScanSurface, type ScanSurface, type SolverUnits } from './register/make-scan-surface.ts';
import { registerPoints, type TemplateModel } from './register/register-frame.ts';
import {
  disposeSequence,
  FIRST_PART,
  measureUnits,
  type RegisteredSequence,
  registerSequence,
  type Sequence,
} from './register/register-sequence.ts';
import type { ScanFrame } from './register/scan-frame.ts';
import { deformByGraphInto } from './solve/make-deformation-graph.ts';
import { poseGraph } from './solve/pose-graph.ts';
import { chooseTemplate } from './template/choose-template.ts';
import { findLeastStretched } from './template/find-least-stretched.ts';
import type { TrackInput, TrackResult } from './track-input.ts';

/** Minimum part of the points of a surface that are not on a rim: fewer are accidents in a cloud of triangles. */
const MIN_INSIDE = 0.01;

/** Bending from which on sliding is corrected by a skin: the largest root mean square distance of a frame from the rigidly moved template. Errors along the surface are a part of it. */
const MIN_BENDING = 0.01;
/** Coverage that a corrected frame may lose. */
const MAX_LOSS = 0.01;

/** The options of a call, and what is known about its frames. */
export interface TrackFramesOptions extends Partial<Omit<TrackInput, 'frames' | 'template'>> {
  /** The mesh that is registered: a frame by its index, or another mesh. Default: the frame nearest to all others. */
  template?: number | ScanFrame;
  /** Called after each frame. */
  onProgress?: (info: { phase: string; fraction: number }) => void;
  /** Ends tracking with an AbortError. */
  signal?: AbortSignal;
}

/** Registers a template to all frames. Throws an InputError if a frame is empty, or does not belong to the sequence. */
export async function trackFrames(
  compute: Compute,
  frames: readonly ScanFrame[],
  options: TrackFramesOptions = {},
): Promise<TrackResult> {
  const { names = frames.map((_, k) => `frame ${k}`), seed = 0, onProgress, signal, searchDevice } = options;
  if (frames.length < 2)
    throw new InputError('track', `needs at least two frames, got ${frames.length}; a single mesh does not move`);
  checkFrames(frames, names, typeof options.template === 'object' ? options.template : undefined, options.templateName);
  const given = typeof options.template === 'number' ? frames[options.template] : options.template;
  const reference = given ?? frames[findMedian(frames)];
  const roughUnits = measureUnits(reference);
  const rough = frames.map((frame) => makeScanSurface(frame, roughUnits));
  for (const [k, { isRim }] of rough.entries()) checkInside(isRim, names[k]);
  const template = typeof options.template === 'object' ? undefined : (options.template ?? chooseTemplate(rough));
  let furthest = 0;
  const sequence: Sequence = {
    ...{ compute, frames, rough, roughUnits, names, reference, seed, signal, searchDevice },
    // registered again, frames count once
    onFraction: (fraction) => {
      if (fraction <= furthest) return;
      furthest = fraction;
      onProgress?.({ phase: 'track', fraction });
    },
  };
  let best = await registerCorrected(sequence, template);
  try {
    if (best.shapes && options.template === undefined) best = await improveTemplate(sequence, best);
    const { found, coverage, shapes } = best;
    for (let k = 0; k < frames.length; k++) {
      if (k === best.template) continue;
      signal?.throwIfAborted();
      await finishFrame(best, k, shapes ? [shapes[k], found[k]] : [found[k]]);
      sequence.onFraction(FIRST_PART + ((1 - FIRST_PART) * (k + 1)) / frames.length);
    }
    const { mesh, units } = best;
    return { template: best.template, mesh, positions: listPositions(mesh, best.surface, units, found), coverage };
  } finally {
    disposeSequence(best);
  }
}

/** A registered sequence that is corrected by a skin. */
interface CorrectedSequence extends RegisteredSequence {
  /** For each frame pointCount x 3; undefined: the sequence hardly bends, and needs no correction. */
  shapes?: Float64Array[];
}

async function registerCorrected(sequence: Sequence, template: number | undefined): Promise<CorrectedSequence> {
  const registered = await registerSequence(sequence, template);
  const { model, found, targets } = registered;
  if (measureBending(model, found) <= MIN_BENDING) return registered;
  const shapes = found.map((positions) => positions.slice());
  try {
    await refineBySkin(sequence.compute, model, shapes, targets, { template, signal: sequence.signal });
  } catch (error) {
    disposeSequence(registered);
    throw error;
  }
  return { ...registered, shapes };
}

/** The sequence registered from a better template, if there is one; the given one is then disposed. */
async function improveTemplate(sequence: Sequence, first: CorrectedSequence): Promise<CorrectedSequence> {
  const { surface, found, shapes = found, surfaces, template = 0 } = first;
  const better = findLeastStretched(surface, shapes, surfaces, template);
  if (better === undefined) return first;
  let second: CorrectedSequence;
  try {
    second = await registerCorrected(sequence, better);
  } catch (error) {
    // a frame that cannot be reached from there
    if (error instanceof InputError) return first;
    throw error;
  }
  const isWorse = Math.min(...second.coverage) < Math.min(...first.coverage) - MAX_LOSS;
  disposeSequence(isWorse ? second : first);
  return isWorse ? first : second;
}

/** Moves all points of a frame from corrected positions, or from those of the first registration if these fit better. */
async function finishFrame(
  { model, targets, coverage, found }: RegisteredSequence,
  k: number,
  starts: readonly Float64Array[],
): Promise<void> {
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
