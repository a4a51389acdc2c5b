// SPDX-License-Identifier: MIT
import type { Animation } from '../model/animation.ts';
import type { Asset } from '../model/asset.ts';
import type { Clip } from '../model/clip.ts';
import type { Deformer, Pose } from '../model/deformer.ts';
import type { DirectDeltaMush } from '../model/direct-delta-mush.ts';
import type { Mesh } from '../model/mesh.ts';
import { poseOf } from '../model/motion.ts';
import { makeDdm } from './ddm.ts';
import { makeLinearBlend } from './linear-blend.ts';
import { listFrameTimes } from './list-frame-times.ts';
import { makeMorphBlend } from './morph-blend.ts';
import { sampleAnimation } from './sample-animation.ts';

export interface BakeOptions {
  /** Which of the asset's animations, or of its clips where it has any; 0 unless said. */
  animation?: number;
  /** Frames per second; unless said, the rate of the keys when they are steady, else 30. */
  fps?: number;
  /** Frames at the keys' own times (all tracks together) instead of a steady rate. */
  keys?: boolean;
  /** Seconds, inclusive; 0 unless said. */
  start?: number;
  /** Seconds, inclusive; the animation's duration unless said. */
  end?: number;
}

/** Frames larger than this are refused before any memory is taken. */
export const MAX_CLIP_BYTES = 8e9;

/** Frames whose bones are held at once: bounds memory for rigs with many bones and few vertices. */
const BATCH = 64;

/**
 * Turns what a file says (keys, skins, morph targets) into frames of positions: morphs, then the skin. An asset with nothing
 * that moves gives one frame; an asset that already has clips gives the clip as it is.
 */
export function bakeClip(asset: Asset, options: BakeOptions = {}): Clip {
  const index = options.animation ?? 0;
  const available = asset.clips.length > 0 ? asset.clips.length : asset.animations.length;
  if (options.animation !== undefined && !(Number.isInteger(index) && index >= 0 && index < available)) {
    throw new Error(`bake: animation ${options.animation} was asked for, and "${asset.name}" has ${available}`);
  }
  if (asset.clips.length > 0) return asset.clips[index];

  const animation: Animation | undefined = asset.animations[index];
  const stride = asset.mesh.positions.length;
  const limit = Math.max(1, Math.floor(MAX_CLIP_BYTES / Math.max(4, stride * 4)));
  const times = animation ? listFrameTimes(animation, options, limit) : Float64Array.of(0);
  const frameCount = times.length;

  const deformer = makeAssetDeformer(asset);
  const positions = new Float32Array(frameCount * stride);
  const pose: Pose = { bones: new Float64Array(0) };
  const targetCount = asset.morphs?.targets.length ?? 0;
  for (let first = 0; first < frameCount; first += BATCH) {
    const last = Math.min(frameCount, first + BATCH);
    const { motion, morphWeights } = sampleAnimation(asset, animation, times.subarray(first, last));
    for (let k = first; k < last; k++) {
      pose.bones = poseOf(motion, k - first);
      pose.morphs = morphWeights.subarray((k - first) * targetCount, (k - first + 1) * targetCount);
      deformer.deformInto(pose, positions.subarray(k * stride, (k + 1) * stride));
    }
  }
  return { name: animation?.name || asset.name, mesh: asset.mesh, positions, times };
}

/** The deformer a file describes: morph targets, then Direct Delta Mush or linear blend skinning, each where it has them. */
export function makeAssetDeformer(asset: Asset): Deformer {
  const { rig, ddm } = asset;
  if (!asset.morphs && ddm) return makeDdm(ddm);
  const skinned =
    rig &&
    ((mesh: Mesh) => (ddm ? makeShapedDdm(ddm, mesh) : makeLinearBlend(mesh, rig.skin, rig.skeleton.names.length)));
  if (!asset.morphs && skinned) return skinned(asset.mesh);
  return makeMorphBlend(asset.mesh, asset.morphs ?? { targets: [], restWeights: [] }, skinned);
}

/** Direct Delta Mush of a mesh that changes between calls: patches stay those of the model, what stands off from them is taken anew. */
function makeShapedDdm(ddm: DirectDeltaMush, mesh: Mesh): Deformer {
  return {
    vertexCount: mesh.positions.length / 3,
    boneCount: ddm.skeleton.names.length,
    deformInto: (pose, positions, normals) => makeDdm({ ...ddm, mesh }).deformInto(pose, positions, normals),
  };
}
