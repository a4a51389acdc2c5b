// SPDX-License-Identifier: MIT
// Converts a face of morph targets to bones that are driven by the weights of its shapes. Methods do not import one another: here a decomposition finds the bones.

import { makeCompute } from '../../core/compute/make-compute.ts';
import { TRANSFORM_KINDS, type TransformKind } from '../../core/kernels/bones/bone-sweep.ts';
import type { Compute } from '../../core/kernels/compute.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { Motion } from '../../core/model/clip/motion.ts';
import type { Morphs } from '../../core/model/deformed/morphs.ts';
import type { ShapeDrivenSkin, ShapeTrack } from '../../core/model/deformed/shape-drivers.ts';
import { dropUndefined } from '../../core/model/drop-undefined.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import { makeLooseSkeleton, type Skeleton } from '../../core/model/skin/skeleton.ts';
import type { ProgressInfo, SolveMonitorOptions } from '../../core/progress/solve-monitor.ts';
import { listPoseTimes, sampleAnimation } from '../../deformers/playback/index.ts';
import { makeShapeDriven } from '../../deformers/shape-drivers/index.ts';
import { ssdr } from '../../methods/decompose/index.ts';
import {
  addPairTerms,
  coupleSkins,
  type DrivenError,
  dropOutputs,
  EXAMPLE_KINDS,
  type ExampleKind,
  type FaceShapes,
  fitDrivers,
  joinShapes,
  makeLinearDrivers,
  makeShapeExamples,
  measureDriven,
  outputsOfBones,
  outputsOfEntries,
} from '../../methods/faces/index.ts';

/** Options of convertShapes. */
export interface ConvertShapesOptions extends SolveMonitorOptions {
  /** Number of bones. Default: 40, or with maxError the fewest of 5, 10, 20, 40 … 320 that meet it. */
  bones?: number;
  /** Maximum number of weights per vertex. */
  influences?: number;
  /** Transformations of bones. Drivers of 'affine' bones are exact for mixtures of shapes; those of 'rigid' and 'similarity' bones are linear in rotation vectors. */
  transforms?: TransformKind;
  /** Maximum number of non-zeros of the drivers; 0: no limit. */
  nonzeros?: number;
  /** Poses that the fit is for: every shape alone, the animations, or both. */
  examples?: ExampleKind;
  /** Maximum number of products of two weights as further terms, for 'rigid' and 'similarity': pairs that the animations use. */
  pairs?: number;
  /** Number of shapes that remain as morph targets: those with the largest errors. */
  keepShapes?: number;
  /** Shapes with a larger maximum error remain as morph targets, file units. */
  keepError?: number;
  /** Maximum vertex error at every shape, file units: without bones, the number of bones is found. */
  maxError?: number;
  /** Random seed. */
  seed?: number;
  /** Number of threads; 0: one per core. */
  threads?: number;
  /** Compute to use. Default: one that is made for this call. */
  compute?: Compute;
}

/** Defaults of ConvertShapesOptions. */
export const CONVERT_SHAPES_DEFAULTS = {
  bones: 40,
  influences: 8,
  transforms: 'affine',
  nonzeros: 0,
  examples: 'shapes',
  pairs: 0,
  keepShapes: 0,
  seed: 0,
  threads: 0,
} as const;

/** A face of driven bones. */
export interface ConvertShapesResult {
  model: ShapeDrivenSkin;
  /** Weights of the shapes in the animations of the asset. */
  tracks: ShapeTrack[];
  /** The shapes that were converted. */
  shapes: FaceShapes;
  /** Errors at every shape alone, weight one: of the drivers, and of free bones (any transform per shape). */
  driven: DrivenError;
  free: { rmse: number; max: number };
  /** Numbers of bones that were tried for maxError, and the maximum errors reached. */
  tried: { bones: number; max: number }[];
  status: 'converged' | 'stalled' | 'stopped';
  /** Seconds of converting. */
  seconds: number;
}

type Settings = Required<
  Omit<ConvertShapesOptions, 'onProgress' | 'signal' | 'time' | 'compute' | 'maxError' | 'keepError' | 'bones'>
> &
  ConvertShapesOptions;

/** Maximum frames of the animations. */
const MAX_FRAMES = 2000;
const MAX_TRIED_BONES = 320;

/**
 * Converts the morph targets of an asset to driven bones. Throws an InputError if there are no shapes or if numbers are not finite, and a UsageError if options are
 * invalid. A stopped conversion returns its best result so far.
 * @example Forty bones with 6000 numbers of drivers, as a GLB.
 * ```ts
 * import { convertShapes, writeDrivenShapes } from 'ossify';
 *
 * const { model, tracks } = await convertShapes(asset, { bones: 40, nonzeros: 6000 });
 * const glb = await writeDrivenShapes(asset, model, tracks);
 * ```
 */
export async function convertShapes(asset: Asset, options: ConvertShapesOptions = {}): Promise<ConvertShapesResult> {
  return driveShapes(listShapes(asset), options);
}

/** Converts given shapes: those of an asset, or the motion space of a cage. */
export async function driveShapes(
  { shapes, tracks }: { shapes: FaceShapes; tracks: ShapeTrack[] },
  options: ConvertShapesOptions = {},
): Promise<ConvertShapesResult> {
  const begin = performance.now();
  const o: Settings = { ...CONVERT_SHAPES_DEFAULTS, ...dropUndefined(options), bones: options.bones };
  if (shapes.rig) {
    // affine bones are two nodes below the root: they would not follow the joints
    o.transforms = options.transforms ?? 'similarity';
    if (o.transforms === 'affine')
      throw new UsageError('--transforms', 'bones under the joints of a skin must be rigid or similarity, not affine');
  }
  checkOptions(o);
  const compute = o.compute ?? (await makeCompute({ threads: o.threads }));
  try {
    const result = await (o.maxError !== undefined && o.bones === undefined
      ? searchBones(compute, shapes, tracks, o, o.maxError)
      : convertAll(compute, shapes, tracks, o, o.bones ?? CONVERT_SHAPES_DEFAULTS.bones).then((one) => ({
          ...one,
          tried: [],
        })));
    return { ...result, shapes, tracks, seconds: (performance.now() - begin) / 1000 };
  } finally {
    if (!o.compute) compute.dispose();
  }
}

/** The shapes of an asset, their weights in its animations, and the motions of its joints at the same times. */
export function listShapes(asset: Asset): { shapes: FaceShapes; tracks: ShapeTrack[]; joints: Motion[] } {
  if (!asset.morphs || asset.morphs.targets.length === 0)
    throw new InputError(asset.name, 'has no morph targets to convert');
  const rig = asset.rig?.isJoint.includes(1) ? asset.rig : undefined;
  const sampled = listPoseTimes(asset, MAX_FRAMES).flatMap(({ animation, times }) => {
    if (!animation) return [];
    const { morphWeights: weights, motion } = sampleAnimation(asset, animation, times);
    return [{ animation, times, weights, motion }];
  });
  const isMoved =
    !rig &&
    asset.animations.some(({ tracks }) =>
      tracks.some(({ path, node }) => path !== 'weights' && asset.rig?.nodeOfBone.includes(node)),
    );
  if (isMoved)
    throw new InputError(asset.name, 'has nodes that move besides its shapes; bake it to a clip first (ossify bake)');
  const { targets } = asset.morphs;
  const count = targets.length;
  /** Whether targets of one name have different weights somewhere. */
  const differ = (shapes: FaceShapes): boolean =>
    sampled.some(({ weights }) =>
      weights.some((weight, e) => {
        const first = shapes.shapeOfTarget.indexOf(shapes.shapeOfTarget[e % count]);
        return weight !== weights[e - (e % count) + first];
      }),
    );
  const joined = joinShapes(asset.mesh, asset.morphs);
  const own = differ(joined) ? joinShapes(asset.mesh, asset.morphs, true) : joined;
  const shapes = rig ? { ...own, rig: { skeleton: rig.skeleton, skin: rig.skin } } : own;
  const first = shapes.names.map((_, s) => shapes.shapeOfTarget.indexOf(s));
  const tracks = sampled.map(({ animation, times, weights }) => ({
    name: animation.name,
    times,
    weights: Float32Array.from({ length: times.length * first.length }, (_, e) => {
      const [k, s] = [Math.floor(e / first.length), e % first.length];
      return weights[k * count + first[s]];
    }),
  }));
  return { shapes, tracks, joints: rig ? sampled.map(({ motion }) => motion) : [] };
}

type Solved = Omit<ConvertShapesResult, 'shapes' | 'tracks' | 'seconds' | 'tried'>;

/** The first count of a doubling series that meets the error. */
async function searchBones(
  compute: Compute,
  shapes: FaceShapes,
  tracks: ShapeTrack[],
  o: Settings,
  maxError: number,
): Promise<Solved & Pick<ConvertShapesResult, 'tried'>> {
  const tried: ConvertShapesResult['tried'] = [];
  let best: Solved | undefined;
  for (let bones = 5; bones <= MAX_TRIED_BONES; bones *= 2) {
    const solved = await convertAll(compute, shapes, tracks, o, bones);
    tried.push({ bones: solved.model.skeleton.names.length, max: solved.driven.max });
    if (!best || solved.driven.max < best.driven.max) best = solved;
    if (solved.driven.max <= maxError) return { ...solved, tried };
    if (solved.status === 'stopped' || solved.model.skeleton.names.length < bones) break;
  }
  return { ...best!, status: best!.status === 'stopped' ? 'stopped' : 'stalled', tried };
}

/** Converts; shapes that remain are chosen by the errors of a first fit, and the others are fitted again. */
async function convertAll(
  compute: Compute,
  shapes: FaceShapes,
  tracks: ShapeTrack[],
  o: Settings,
  bones: number,
): Promise<Solved> {
  const first = await convertOnce(compute, shapes, tracks, o, bones, []);
  const errors = first.driven.perPose;
  const order = Array.from(shapes.names.keys()).sort((a, b) => errors.rms[b] - errors.rms[a] || a - b);
  const kept = order.filter((s, n) => n < o.keepShapes || (o.keepError !== undefined && errors.max[s] > o.keepError));
  if (kept.length === 0) return first;
  if (kept.length === shapes.names.length)
    throw new UsageError('--keep-shapes', `all ${kept.length} shapes would remain; nothing is left to convert`);
  if (!shapes.deltas.some((delta, s) => !kept.includes(s) && delta.some((x) => x !== 0)))
    throw new UsageError('--keep-shapes', `the other shapes move no vertex; nothing is left to convert`);
  return convertOnce(
    compute,
    shapes,
    tracks,
    o,
    bones,
    kept.sort((a, b) => a - b),
  );
}

async function convertOnce(
  compute: Compute,
  all: FaceShapes,
  tracks: ShapeTrack[],
  o: Settings,
  bones: number,
  kept: readonly number[],
): Promise<Solved> {
  const driven = Array.from(all.names.keys()).filter((s) => !kept.includes(s));
  const shapes = { ...all, names: driven.map((s) => all.names[s]), deltas: driven.map((s) => all.deltas[s]) };
  const poses = pickWeights(tracks, driven, all.names.length);
  const isAffine = o.transforms === 'affine';
  const examples = makeShapeExamples(shapes, isAffine ? o.examples : 'shapes', poses);
  const progress = (from: number, to: number) => (info: ProgressInfo) =>
    o.onProgress?.({ ...info, fraction: from + (to - from) * info.fraction });
  const { signal, time, seed, influences, nonzeros } = o;
  const { model: free, status } = await ssdr(compute, examples.clip, {
    ...{ bones, influences, seed, signal, time, transforms: o.transforms, keepRest: true },
    onProgress: progress(0, 0.6),
  });
  const [{ matrices }] = free.motions;
  let skin = free.skin;
  let skeleton: Skeleton = free.skeleton;
  let outputs: Float64Array;
  if (isAffine) {
    const fit = await fitDrivers(compute, examples, matrices, {
      ...{ influences, nonzeros, seed, signal, skin: free.skin },
      onProgress: progress(0.6, 1),
    });
    skin = fit.skin;
    skeleton = placeBones(free.skeleton.names, fit.centers);
    outputs = outputsOfEntries(fit.entries, free.skeleton.names.length);
  } else {
    outputs = outputsOfBones(matrices, skeleton.bindMatrices);
    if (nonzeros > 0) dropOutputs(outputs, nonzeros, all.mesh.positions, skin, skeleton);
  }
  // kept shapes come first, so that their weights are those of the remaining morph targets
  const order = [...kept, ...driven];
  const linear = makeLinearDrivers(
    order.map((s) => all.names[s]),
    isAffine ? 'matrix' : 'rotation',
    padRows(outputs, kept.length, driven.length),
  );
  const ordered = { ...all, names: order.map((s) => all.names[s]), deltas: order.map((s) => all.deltas[s]) };
  const base: ShapeDrivenSkin = {
    ...{ kind: 'shape-driven', mesh: all.mesh, skeleton, skin, drivers: linear },
    ...(kept.length > 0 ? { kept: morphsOf(all, kept) } : {}),
  };
  const face =
    isAffine || o.pairs === 0
      ? base
      : addPairTerms(base, ordered, pickWeights(tracks, order, all.names.length), o.pairs);
  const model = all.rig ? coupleSkins(all.rig, face, listMoved(all), influences) : face;
  const single = Float32Array.from({ length: order.length ** 2 }, (_, e) => (e % (order.length + 1) === 0 ? 1 : 0));
  const measured = measureDriven(ordered, makeShapeDriven(model), single);
  // by shape in the order of the file
  const perPose = { rms: [] as number[], max: [] as number[] };
  order.forEach((s, n) => {
    perPose.rms[s] = measured.perPose.rms[n];
    perPose.max[s] = measured.perPose.max[n];
  });
  const freeError = measureFree(shapes, matrices, free.skin, examples.metric);
  return {
    model,
    driven: { ...measured, perPose },
    free: freeError,
    status: status === 'stopped' ? 'stopped' : 'converged',
  };
}

/** By vertex, whether any shape moves it. */
function listMoved({ mesh, deltas }: FaceShapes): Uint8Array {
  const isMoved = new Uint8Array(mesh.positions.length / 3);
  for (const delta of deltas) for (let c = 0; c < delta.length; c++) if (delta[c] !== 0) isMoved[Math.floor(c / 3)] = 1;
  return isMoved;
}

/** Errors of free bones at every shape; only where the examples are single shapes. */
function measureFree(
  { mesh, names, deltas }: FaceShapes,
  matrices: Float64Array,
  skin: ShapeDrivenSkin['skin'],
  metric: Float64Array,
): { rmse: number; max: number } {
  const count = names.length;
  if (metric.some((value, e) => value !== (e % (count + 1) === 0 ? 1 : 0)))
    return { rmse: Number.NaN, max: Number.NaN };
  const boneCount = matrices.length / (16 * count);
  const rest = mesh.positions;
  let [sum, max] = [0, 0];
  for (let s = 0; s < count; s++)
    for (let i = 0; i < rest.length; i += 3) {
      let square = 0;
      for (let r = 0; r < 3; r++) {
        let moved = -rest[i + r] - deltas[s][i + r];
        for (let e = skin.rowStart[i / 3]; e < skin.rowStart[i / 3 + 1]; e++) {
          const m = 16 * (s * boneCount + skin.boneIndices[e]) + r;
          const at =
            matrices[m] * rest[i] + matrices[m + 4] * rest[i + 1] + matrices[m + 8] * rest[i + 2] + matrices[m + 12];
          moved += skin.weights[e] * at;
        }
        square += moved * moved;
      }
      sum += square;
      if (square > max) max = square;
    }
  return { rmse: Math.sqrt(sum / ((count * rest.length) / 3)), max: Math.sqrt(max) };
}

/** Rows of zeros for the shapes that remain as morph targets, then the given rows. */
function padRows(outputs: Float64Array, kept: number, driven: number): Float64Array {
  const width = outputs.length / driven;
  const padded = new Float64Array((kept + driven) * width);
  padded.set(outputs, kept * width);
  return padded;
}

/** Weights of some shapes in all frames. */
function pickWeights(tracks: readonly ShapeTrack[], shapes: readonly number[], count: number): Float32Array {
  return Float32Array.from(
    tracks.flatMap(({ times, weights }) =>
      Array.from(times.keys()).flatMap((k) => shapes.map((s) => weights[k * count + s])),
    ),
  );
}

function morphsOf({ mesh, names, deltas }: FaceShapes, kept: readonly number[]): Morphs {
  const targets = kept.map((s, n) => ({
    ...{ name: names[s], node: 0, weight: n, vertexStart: 0 },
    ...{ vertexCount: mesh.positions.length / 3, positions: deltas[s] },
  }));
  return { targets, restWeights: [{ node: 0, weights: new Float32Array(kept.length) }] };
}

function placeBones(names: string[], centers: Float64Array): Skeleton {
  const skeleton = makeLooseSkeleton(names.length, names);
  for (let j = 0; j < names.length; j++) skeleton.bindMatrices.set(centers.subarray(3 * j, 3 * j + 3), 16 * j + 12);
  return skeleton;
}

function checkOptions(o: Settings): void {
  const whole = (name: 'bones' | 'influences' | 'nonzeros' | 'pairs' | 'keepShapes', min: number): void => {
    const value = o[name];
    if (value !== undefined && !(Number.isInteger(value) && value >= min))
      throw new UsageError('convert', `${name} must be a whole number, at least ${min}, got ${value}`);
  };
  whole('bones', 1);
  whole('influences', 1);
  whole('nonzeros', 0);
  whole('pairs', 0);
  whole('keepShapes', 0);
  if (!TRANSFORM_KINDS.includes(o.transforms))
    throw new UsageError('convert', `transforms must be ${TRANSFORM_KINDS.join(', ')}, got ${o.transforms}`);
  if (!EXAMPLE_KINDS.includes(o.examples))
    throw new UsageError('convert', `examples must be ${EXAMPLE_KINDS.join(', ')}, got ${o.examples}`);
  for (const name of ['maxError', 'keepError'] as const)
    if (o[name] !== undefined && !(o[name] > 0 && Number.isFinite(o[name])))
      throw new UsageError('convert', `${name} must be a length above zero, got ${o[name]}`);
}
