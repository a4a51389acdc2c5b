// SPDX-License-Identifier: MIT
// OSSIFY_skin_blend, version 1: how the bones of a primitive are blended, and weights for it, as stored in accessors. docs/formats/extensions/OSSIFY_skin_blend.md is the specification.
import { maxInfluencesOf, type Skin, sliceSkin } from '../../core/model/skin/skin.ts';
import { roundToSteps } from '../linear-blend/index.ts';

export const BLEND_EXTENSION = 'OSSIFY_skin_blend';
export const BLEND_EXTENSION_VERSION = 1;
/** Fields that are indices of accessors. */
export const BLEND_FIELDS = ['joints', 'weights', 'normalJoints', 'normalWeights'];

/** The short number for one. */
const STEPS = 65535;

/** Weights of the same number of joints for every vertex. */
export interface PackedBlend {
  influences: number;
  /** vertexCount x influences */
  joints: Uint16Array<ArrayBuffer>;
  /** vertexCount x influences, normalized; those of a vertex sum to one */
  weights: Uint16Array<ArrayBuffer>;
}

/** Packs the weights of some vertices. */
export function packSkinBlend(
  skin: Skin,
  vertexStart: number,
  vertexCount: number,
  jointOf: (bone: number) => number,
): PackedBlend {
  const own = sliceSkin(skin, vertexStart, vertexCount);
  const influences = Math.max(1, maxInfluencesOf(own));
  const joints = new Uint16Array(vertexCount * influences);
  const weights = new Uint16Array(vertexCount * influences);
  const steps = new Float64Array(influences);
  for (let i = 0; i < vertexCount; i++) {
    const [from, to] = [own.rowStart[i], own.rowStart[i + 1]];
    steps.fill(0);
    for (let e = from; e < to; e++) steps[e - from] = own.weights[e];
    roundToSteps(steps, STEPS);
    for (let e = from; e < to; e++) {
      if (steps[e - from] === 0) continue;
      joints[i * influences + e - from] = jointOf(own.boneIndices[e]);
      weights[i * influences + e - from] = steps[e - from];
    }
  }
  return { influences, joints, weights };
}
