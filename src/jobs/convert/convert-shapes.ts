// SPDX-License-Identifier: MIT
// Converts a face of morph targets to bones that are driven by the weights of its shapes. Methods do not import one another: here a decomposition finds the bones.

import { makeCompute } from '../../core/compute/make-compute.ts';
import type { Compute } from '../../core/kernels/compute.ts';
import type { Asset, AssetRig } from '../../core/model/asset.ts';
import type { Motion } from '../../core/model/clip/motion.ts';
import type { ShapeTrack } from '../../core/model/deformed/shape-drivers.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import { defaultsOf, fillDefaults } from '../../core/options/fill-defaults.ts';
import type { SolveMonitorOptions } from '../../core/progress/solve-monitor.ts';
import { listPoseTimes, sampleAnimation } from '../../deformers/playback/index.ts';
import { ssdr } from '../../methods/decompose/index.ts';
import {
  type DrivenFace,
  FACE_BONES,
  FACE_OPTIONS,
  type FaceOptions,
  type FaceShapes,
  type FindBones,
  facesMethod,
  joinShapes,
} from '../../methods/faces/index.ts';

/** Options of convertShapes. */
export interface ConvertShapesOptions extends Partial<FaceOptions>, Pick<SolveMonitorOptions, 'signal' | 'onProgress'> {
  /** Maximum vertex error at every shape, file units: without bones, the number of bones is found. */
  maxError?: number;
  /** Number of threads; 0: one per core. */
  threads?: number;
  /** Compute to use. Default: one that is made for this call. */
  compute?: Compute;
}

const { time: _time, ...DEFAULTS } = defaultsOf(FACE_OPTIONS);

/** Defaults of ConvertShapesOptions. */
export const CONVERT_SHAPES_DEFAULTS = {
  ...DEFAULTS,
  bones: FACE_BONES,
  transforms: 'affine',
  threads: 0,
} as const;

/** A face of driven bones. */
export interface ConvertShapesResult extends DrivenFace {
  /** Weights of the shapes in the animations of the asset. */
  tracks: ShapeTrack[];
  /** The shapes that were converted. */
  shapes: FaceShapes;
  /** Seconds of converting. */
  seconds: number;
}

/** Maximum frames of the animations. */
const MAX_FRAMES = 2000;

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
  const { maxError, threads = CONVERT_SHAPES_DEFAULTS.threads, signal, onProgress } = options;
  const own = fillDefaults(FACE_OPTIONS, options);
  facesMethod.check?.(own);
  if (maxError !== undefined && !(maxError > 0 && Number.isFinite(maxError)))
    throw new UsageError('convert', `maxError must be a length above zero, got ${maxError}`);
  const compute = options.compute ?? (await makeCompute({ threads }));
  const size = { vertexCount: shapes.mesh.positions.length / 3, frameCount: shapes.names.length };
  try {
    const { solve } = await facesMethod.load();
    const input = { shapes, tracks, maxError, findBones };
    const result = await solve({ compute, signal, onProgress }, input, own, facesMethod.plan(own, undefined, size));
    return { ...result, shapes, tracks, seconds: (performance.now() - begin) / 1000 };
  } finally {
    if (!options.compute) compute.dispose();
  }
}

const findBones: FindBones = (compute, clip, options) => ssdr(compute, clip, { ...options, keepRest: true });

/** The shapes of an asset, their weights in its animations, and the motions of its joints at the same times. */
export interface ListedShapes {
  shapes: FaceShapes;
  tracks: ShapeTrack[];
  joints: Motion[];
}

/**
 * Lists the shapes of an asset.
 * @param keyTimes by animation, the times to sample; default: its frames
 */
export function listShapes(asset: Asset, keyTimes?: readonly Float64Array[]): ListedShapes {
  if (!asset.morphs || asset.morphs.targets.length === 0)
    throw new InputError(asset.name, 'has no morph targets to convert');
  // nodes that move parts of the face, such as a head above it, are joints too
  const rig = asset.rig && (asset.rig.isJoint.includes(1) || areMoved(asset, asset.rig)) ? asset.rig : undefined;
  const sampled = listPoseTimes(asset, MAX_FRAMES).flatMap(({ animation, times: frames }, n) => {
    if (!animation) return [];
    const times = keyTimes?.[n] ?? frames;
    const { morphWeights: weights, motion } = sampleAnimation(asset, animation, times);
    return [{ animation, times, weights, motion }];
  });
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

/** Whether an animation moves the node of a bone, or one above it. */
function areMoved({ animations, nodes }: Asset, { nodeOfBone }: AssetRig): boolean {
  const moved = new Set(
    animations.flatMap(({ tracks }) => tracks.filter(({ path }) => path !== 'weights').map(({ node }) => node)),
  );
  return nodeOfBone.some((bone) => {
    for (let node = bone; node >= 0; node = nodes.parents[node]) if (moved.has(node)) return true;
    return false;
  });
}
