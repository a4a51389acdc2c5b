// SPDX-License-Identifier: MIT
import type { Asset } from '../../../core/model/asset.ts';
import { maxInfluencesOf } from '../../../core/model/skin/skin.ts';
import { describeRig, type RigDescription } from '../../../fit/anatomy/index.ts';
import { labelAsset } from './label-asset.ts';

/** Facts about the skeleton and the weights. */
export interface RigFacts {
  bones: number;
  /** Bones that are joints of a skin in the file. */
  joints: number;
  weightedJoints: number;
  maxInfluences: number;
  meanInfluences: number;
  /** What the rig is, as far as its names and its shape show. */
  body: BodyFacts;
}

/** What a rig is. */
export interface BodyFacts {
  /** humanoid, biped, quadruped, insect or none. */
  kind: string;
  hasFingers: boolean;
  /** The program whose names the joints have: Mixamo, VRM, Unreal, Rigify or Biped. */
  convention?: string;
  /** Arms of a humanoid at rest: T (horizontal), A (down at about 45°) or I (down). */
  pose?: string;
  /** Where it faces: a unit vector with y up. */
  front: readonly number[];
  /** As a sentence. */
  sentence: string;
}

/** Facts about the rig of an asset; undefined without one. */
export function inspectRig(asset: Asset): RigFacts | undefined {
  const { rig } = asset;
  const labelled = labelAsset(asset);
  if (!rig || !labelled) return undefined;
  const { skeleton, skin, isJoint } = rig;
  const hasWeight = new Uint8Array(skeleton.names.length);
  for (let e = 0; e < skin.weights.length; e++) if (skin.weights[e] > 0) hasWeight[skin.boneIndices[e]] = 1;
  let joints = 0;
  let weightedJoints = 0;
  for (let j = 0; j < isJoint.length; j++) {
    if (!isJoint[j]) continue;
    joints++;
    weightedJoints += hasWeight[j];
  }
  return {
    bones: skeleton.names.length,
    joints,
    weightedJoints,
    maxInfluences: maxInfluencesOf(skin),
    meanInfluences: skin.weights.length / Math.max(skin.rowStart.length - 1, 1),
    body: inspectBody(describeRig(labelled.shape, labelled.anatomy)),
  };
}

function inspectBody({ kind, hasFingers, convention, pose, front, sentence }: RigDescription): BodyFacts {
  const known = { ...(convention ? { convention } : {}), ...(pose ? { pose } : {}) };
  return { kind, hasFingers, ...known, front, sentence };
}
