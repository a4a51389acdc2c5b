// SPDX-License-Identifier: MIT

import type { Asset } from '../src/core/model/asset.ts';
import { checkClip } from '../src/core/model/clip/clip.ts';
import { checkDirectDeltaMush } from '../src/core/model/deformed/direct-delta-mush.ts';
import { checkHelperBones } from '../src/core/model/deformed/helper-bones.ts';
import { checkSkinCorrection } from '../src/core/model/deformed/skin-correction.ts';
import { checkLinearTwoLayer, checkTwoLayer } from '../src/core/model/deformed/two-layer.ts';
import { InputError } from '../src/core/model/errors.ts';
import { checkMesh } from '../src/core/model/mesh/mesh.ts';
import { checkSkeleton } from '../src/core/model/skin/skeleton.ts';
import { checkSkin } from '../src/core/model/skin/skin.ts';
import { bakeAt } from '../src/entry/deform.ts';
import type { Verdict } from './fuzz-format.ts';

/** Checks an asset that a reader accepted: its parts fit together, and all that it plays is finite. Returns the first fault. */
export function checkAccepted(asset: Asset): Verdict {
  try {
    checkParts(asset);
    return findFault(asset);
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

function checkParts({ mesh, rig, ddm, twoLayer, linearTwoLayer, helpers, correction, clips }: Asset): void {
  const vertexCount = mesh.positions.length / 3;
  checkMesh(mesh);
  for (const clip of clips) checkClip(clip);
  if (rig) {
    checkSkeleton(rig.skeleton);
    checkSkin(rig.skin, rig.skeleton.names.length);
    if (helpers) checkHelperBones({ kind: 'helper-bones', mesh, ...rig, controllers: helpers });
  }
  if (ddm) checkDirectDeltaMush(ddm);
  if (twoLayer) checkTwoLayer(twoLayer);
  if (linearTwoLayer) checkLinearTwoLayer(linearTwoLayer);
  if (correction) checkSkinCorrection(correction, vertexCount);
}

function findFault(asset: Asset): Verdict {
  const { mesh, nodes, rig, morphs, animations } = asset;
  const vertexCount = mesh.positions.length / 3;
  const nodeCount = nodes.names.length;
  if (rig && rig.skin.rowStart.length !== vertexCount + 1) return 'the skin has another number of vertices';
  if (rig?.nodeOfBone.some((node) => node < 0 || node >= nodeCount)) return 'a bone follows no node';
  if (nodes.parents.some((parent, node) => parent >= node || parent < -1)) return 'a node comes before its parent';
  const arrays: ArrayLike<number>[] = [nodes.translations, nodes.rotations, nodes.scales];
  if (mesh.normals) arrays.push(mesh.normals);
  for (const { values } of mesh.attributes) arrays.push(values);
  for (const target of morphs?.targets ?? []) {
    arrays.push(target.positions, target.normals ?? []);
    if (target.node < 0 || target.node >= nodeCount) return 'a morph target has no node';
    if (target.vertexStart + target.vertexCount > vertexCount)
      return 'a morph target moves vertices that are not there';
    if (target.positions.length !== 3 * target.vertexCount) return 'a morph target has another number of positions';
  }
  for (const { tracks, duration } of animations) {
    if (!Number.isFinite(duration)) return 'the duration of an animation is not finite';
    for (const { node, times, values } of tracks) {
      if (node < 0 || node >= nodeCount) return 'a track moves no node';
      arrays.push(times, values);
      for (let k = 1; k < times.length; k++) if (!(times[k] > times[k - 1])) return 'the times of a track do not rise';
    }
  }
  if (arrays.some(hasInfinite)) return 'a number is not finite';
  for (const animation of [undefined, ...animations.slice(0, 3)]) {
    const { duration = 0 } = animation ?? {};
    const times = duration > 0 ? Float64Array.of(0, duration * 0.37, duration) : Float64Array.of(0);
    try {
      if (hasInfinite(bakeAt(asset, animation, times).positions)) return 'a played position is not finite';
    } catch (error) {
      // Deformers refuse some rigs, in one sentence: helpers of joints that are scaled unevenly.
      if (!(error instanceof InputError)) throw error;
    }
  }
  return undefined;
}

function hasInfinite(values: ArrayLike<number>): boolean {
  // x - x is NaN for numbers that are not finite.
  for (let c = 0; c < values.length; c++) if (values[c] - values[c] !== 0) return true;
  return false;
}
