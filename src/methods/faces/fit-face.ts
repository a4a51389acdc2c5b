// SPDX-License-Identifier: MIT
// One fit of a face: shapes to free bones at mixtures of shapes, these to drivers, and both to a model whose shapes are in the order kept, driven.

import type { TransformKind } from '../../core/kernels/bones/bone-sweep.ts';
import type { Morphs } from '../../core/model/deformed/morphs.ts';
import type { ShapeDrivenSkin, ShapeTrack } from '../../core/model/deformed/shape-drivers.ts';
import { makeLooseSkeleton, type Skeleton } from '../../core/model/skin/skeleton.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import type { SolveRun } from '../../core/options/method.ts';
import type { ProgressInfo } from '../../core/progress/solve-monitor.ts';
import { makeShapeDriven } from '../../deformers/shape-drivers/index.ts';
import { coupleSkins } from './couple-skins.ts';
import { dropOutputs } from './drivers/drop-outputs.ts';
import { fitDrivers } from './drivers/fit-drivers.ts';
import { makeLinearDrivers, outputsOfBones, outputsOfEntries } from './drivers/make-drivers.ts';
import type { DrivenFace, FaceInput, FreeBones } from './face-input.ts';
import { addPairTerms } from './fit-pairs.ts';
import { type DrivenError, listSingles, measureDriven } from './measure-driven.ts';
import { type ExampleKind, type FaceShapes, makeShapeExamples, type ShapeExamples } from './shape-examples.ts';

/** What a fit is for, and its options. */
export interface FaceFit {
  run: SolveRun;
  input: Pick<FaceInput, 'shapes' | 'tracks' | 'findBones'>;
  settings: {
    examples: ExampleKind;
    nonzeros: number;
    pairs: number;
    influences: number;
    transforms: TransformKind;
    seed: number;
    time: number;
  };
}

/** A fit with a number of bones. */
export type FittedFace = Omit<DrivenFace, 'tried'>;

/** Bones with the outputs of their drivers, by shape. */
interface DrivenBones {
  skeleton: Skeleton;
  skin: Skin;
  /** shapeCount x boneCount x outputs */
  outputs: Float64Array;
}

/** Part of the progress that the search for free bones takes. */
const FREE_PART = 0.6;

/**
 * Fits a face.
 * @param kept shapes that remain as morph targets, ascending
 */
export async function fitFace(fit: FaceFit, bones: number, kept: readonly number[]): Promise<FittedFace> {
  const { run, input, settings } = fit;
  const { shapes: all, tracks } = input;
  const { influences, seed, time, transforms } = settings;
  const driven = Array.from(all.names.keys()).filter((s) => !kept.includes(s));
  const shapes = pickShapes(all, driven);
  const kind = transforms === 'affine' ? settings.examples : 'shapes';
  const examples = makeShapeExamples(shapes, kind, pickWeights(tracks, driven, all.names.length));
  const found = await input.findBones(run.compute, examples.clip, {
    ...{ bones, influences, seed, time, transforms, signal: run.signal },
    onProgress: partOf(run, 0, FREE_PART),
  });
  const outputs = await driveBones(fit, examples, found.model);
  // kept shapes come first, so that their weights are those of the remaining morph targets
  const order = [...kept, ...driven];
  const model = makeModel(fit, outputs, order, kept);
  const measured = measureDriven(pickShapes(all, order), makeShapeDriven(model), listSingles(order.length));
  return {
    model,
    driven: { ...measured, perPose: sortErrors(measured.perPose, order) },
    free: measureFree(shapes, found.model.motions[0].matrices, found.model.skin, examples.metric),
    status: found.status === 'stopped' ? 'stopped' : 'converged',
  };
}

const partOf =
  ({ onProgress }: SolveRun, from: number, to: number) =>
  (info: ProgressInfo): void =>
    onProgress?.({ ...info, fraction: from + (to - from) * info.fraction });

/** Drivers of free bones: a fit for affine bones, and their transforms at the shapes for others. */
async function driveBones(
  { run, settings }: FaceFit,
  examples: ShapeExamples,
  free: FreeBones['model'],
): Promise<DrivenBones> {
  const { influences, nonzeros, seed, transforms } = settings;
  const [{ matrices }] = free.motions;
  const { names } = free.skeleton;
  if (transforms === 'affine') {
    const fit = await fitDrivers(run.compute, examples, matrices, {
      ...{ influences, nonzeros, seed, signal: run.signal, skin: free.skin },
      onProgress: partOf(run, FREE_PART, 1),
    });
    const outputs = outputsOfEntries(fit.entries, names.length);
    return { skeleton: placeBones(names, fit.centers), skin: fit.skin, outputs };
  }
  const { skeleton, skin } = free;
  const outputs = outputsOfBones(matrices, skeleton.bindMatrices);
  if (nonzeros > 0) dropOutputs(outputs, nonzeros, examples.shapes.mesh.positions, skin, skeleton);
  return { skeleton, skin, outputs };
}

/** The model with its drivers, pair terms, remaining morph targets, and the joints of a skin. */
function makeModel(
  { input: { shapes: all, tracks }, settings }: FaceFit,
  { skeleton, skin, outputs }: DrivenBones,
  order: readonly number[],
  kept: readonly number[],
): ShapeDrivenSkin {
  const { transforms, pairs, influences } = settings;
  const isAffine = transforms === 'affine';
  const drivers = makeLinearDrivers(
    order.map((s) => all.names[s]),
    isAffine ? 'matrix' : 'rotation',
    padRows(outputs, kept.length, order.length - kept.length),
  );
  const base: ShapeDrivenSkin = {
    ...{ kind: 'shape-driven', mesh: all.mesh, skeleton, skin, drivers },
    ...(kept.length > 0 ? { kept: morphsOf(all, kept) } : {}),
  };
  const face =
    isAffine || pairs === 0
      ? base
      : addPairTerms(base, pickShapes(all, order), pickWeights(tracks, order, all.names.length), pairs);
  return all.rig ? coupleSkins(all.rig, face, listMoved(all), influences) : face;
}

/** Errors by shape in the order of the file. */
function sortErrors({ rms, max }: DrivenError['perPose'], order: readonly number[]): DrivenError['perPose'] {
  const sorted = { rms: [] as number[], max: [] as number[] };
  order.forEach((s, n) => {
    sorted.rms[s] = rms[n];
    sorted.max[s] = max[n];
  });
  return sorted;
}

/** Some shapes, in the given order. */
function pickShapes(all: FaceShapes, order: readonly number[]): FaceShapes {
  return { ...all, names: order.map((s) => all.names[s]), deltas: order.map((s) => all.deltas[s]) };
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
  skin: Skin,
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
