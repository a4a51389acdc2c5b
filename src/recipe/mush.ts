// SPDX-License-Identifier: MIT
// The verb: a skinned asset becomes a Direct Delta Mush model, with the plain skin that goes beside it.

import { DDM_DEFAULTS, type DdmOptions, type VertexMap, valueAt } from '../ddm/ddm-options.ts';
import { makeDdmPrecompute } from '../ddm/make-ddm-precompute.ts';
import { skinOfMultiWeights } from '../ddm/skin-of-multi-weights.ts';
import { checkRigidBones } from '../deform/ddm-deformer.ts';
import { countFrames, listFrameTimes } from '../deform/list-frame-times.ts';
import { sampleAnimation } from '../deform/sample-animation.ts';
import { makeCompute } from '../kernels/make-compute.ts';
import { measureBounds } from '../mesh/bounds.ts';
import type { Animation } from '../model/animation.ts';
import type { Asset } from '../model/asset.ts';
import type { DirectDeltaMush } from '../model/direct-delta-mush.ts';
import { InputError } from '../model/errors.ts';
import { poseOf } from '../model/motion.ts';
import type { Skin } from '../model/skin.ts';
import { skinOfLayers } from '../weights/skin-of-layers.ts';

export interface MushOptions extends DdmOptions {
  /** Weights per vertex of the plain skin. */
  influences?: number;
  /** Threads to use; 0: as many as there are cores. */
  threads?: number;
}

/** Defaults of MushOptions. */
export const MUSH_DEFAULTS = { ...DDM_DEFAULTS, influences: 4, threads: 0 } as const;

/** A Direct Delta Mush model, and the plain skin stored beside it. */
export interface MushResult {
  model: DirectDeltaMush;
  /** The same with all entries, to measure the effect of dropping small ones. */
  full: DirectDeltaMush;
  /** Variant 5 with few weights: a plain skin for viewers without the extension. */
  skin: Skin;
  /** Welded points. */
  points: number;
  /** Bones with an effect on the mesh. */
  bones: number;
}

/** An animation and times to look at it. */
export interface PoseTimes {
  /** Absent for the pose that the file stands in. */
  animation?: Animation;
  /** Seconds, rising */
  times: Float64Array;
}

const NAME = 'direct delta mush';

/**
 * Precomputes Direct Delta Mush for a skinned asset. Parts on a node without a skin stay rigid. If the asset has two layers, they are used instead of the
 * plain skin beside them. Throws an InputError if the asset has no bones, or bones with scale that the variant does not support, and a UsageError if
 * options are invalid.
 */
export async function mush(asset: Asset, options: MushOptions = {}): Promise<MushResult> {
  const { mesh, rig, linearTwoLayer } = asset;
  if (asset.ddm) throw new InputError(NAME, `the file has it already; start from the rig that it was made of`);
  if (asset.twoLayer) throw new InputError(NAME, `the file is compressed; start from the rig that it was made of`);
  if (!rig?.isJoint.includes(1)) throw new InputError(NAME, `the file has no skin; bind its mesh to bones first`);
  const { threads = MUSH_DEFAULTS.threads, influences = MUSH_DEFAULTS.influences, ...own } = options;
  const method = own.method ?? MUSH_DEFAULTS.method;
  const lambda = own.lambda ?? (method === 'explicit' ? 1 : MUSH_DEFAULTS.lambda);
  checkPoses(asset, own.variant ?? MUSH_DEFAULTS.variant);
  const skin = linearTwoLayer ? skinOfLayers(linearTwoLayer) : rig.skin;
  const axis = { x: 0, y: 1, z: 2 }[asset.up];
  const { min, max } = measureBounds(mesh.positions);
  const compute = own.compute ?? (await makeCompute({ threads }));
  try {
    const precompute = await makeDdmPrecompute(mesh, rig.skeleton, skin, {
      height: max[axis] - min[axis],
      ...own,
      method,
      lambda: holdRigid(asset, lambda),
      compute,
    });
    const model = await precompute.model();
    const full = await precompute.model({ threshold: 0 });
    return {
      model,
      full,
      skin: skinOfMultiWeights(model.multiWeights, influences),
      points: precompute.pointCount,
      bones: new Set(model.multiWeights.boneIndices).size,
    };
  } finally {
    if (!own.compute) compute.dispose();
  }
}

/** Vertices that follow a node and no joint are not smoothed: lambda is 0 there. */
function holdRigid({ rig, mesh }: Asset, lambda: VertexMap): VertexMap {
  const { skin, isJoint } = rig!;
  const isHeld = (i: number): boolean => !isJoint[skin.boneIndices[skin.rowStart[i]]];
  const vertexCount = mesh.positions.length / 3;
  let held = false;
  for (let i = 0; i < vertexCount && !held; i++) held = isHeld(i);
  return held ? Float32Array.from({ length: vertexCount }, (_, i) => (isHeld(i) ? 0 : valueAt(lambda, i))) : lambda;
}

/** Frames of all animations of an asset, evenly fewer where there are more than asked for; the pose it stands in where it has none. */
export function listPoseTimes(asset: Asset, most: number): PoseTimes[] {
  if (asset.animations.length === 0) return [{ times: Float64Array.of(0) }];
  const total = asset.animations.reduce((sum, animation) => sum + countFrames(animation), 0);
  const every = Math.max(1, Math.ceil(total / most));
  return asset.animations.map((animation) => ({ animation, times: listFrameTimes(animation, { every }) }));
}

/** Poses looked at for scaled bones. */
const CHECKED_POSES = 256;

function checkPoses(asset: Asset, variant: number): void {
  if (variant !== 2 && variant !== 4) return;
  const { skeleton, skin } = asset.rig!;
  const isUsed = new Uint8Array(skeleton.names.length);
  for (const bone of skin.boneIndices) isUsed[bone] = 1;
  for (const { animation, times } of listPoseTimes(asset, CHECKED_POSES)) {
    const { motion } = sampleAnimation(asset, animation, times);
    for (let k = 0; k < times.length; k++) {
      const where = animation ? `"${animation.name}" at ${times[k].toFixed(2)} s` : 'the pose of the file';
      checkRigidBones(
        `${NAME} v${variant}, ${where}`,
        poseOf(motion, k),
        isUsed,
        'use variant 0, 1, 3 or 5 for bones that are not rigid',
      );
    }
  }
}
