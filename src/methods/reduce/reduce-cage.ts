// SPDX-License-Identifier: MIT
// A mesh in a cage becomes a plain skin: bound by mean value coordinates, one bone per vertex of the cage, its weights reduced by the cage's own motion.

import type { SkinnedModel } from '../../core/model/asset.ts';
import { type Clip, frameCountOf, frameOf } from '../../core/model/clip/clip.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import { maxInfluencesOf, type Skin } from '../../core/model/skin/skin.ts';
import { bindToCage, cagePoseInto, makeCageDeformer } from '../../deformers/rig-sources/index.ts';
import { type ReduceOptions, type ReduceResult, reduceSkin } from './reduce-skin.ts';

/** A skin whose bones follow the vertices of a cage. */
export interface ReduceCageResult extends ReduceResult {
  /** The mesh with one bone per cage vertex and the reduced weights, without negative ones. */
  model: SkinnedModel;
  /** All mean value coordinates, positive and negative. */
  bound: Skin;
  /** The mesh moved by all coordinates. */
  reference: Clip;
}

/**
 * Reduces the weights of a mesh in a cage. Without frames of the cage, methods that need poses cannot be used.
 * @param cage a closed surface in motion, or at rest in a clip without frames
 * @example
 * ```ts
 * import { readAsset, reduceCage, writeGlb } from 'ossify';
 * import { bakeClip } from 'ossify/deform';
 *
 * const animatedCage = bakeClip(await readAsset([{ name: 'cage.glb', bytes }]));
 * const { model } = await reduceCage(asset.mesh, animatedCage, { influences: 4 });
 * const glb = await writeGlb(asset, { kind: 'skin', model });
 * ```
 */
export async function reduceCage(mesh: Mesh, cage: Clip, options: ReduceOptions = {}): Promise<ReduceCageResult> {
  const bound = bindToCage(mesh, cage.mesh);
  const count = cage.mesh.positions.length / 3;
  const frames = frameCountOf(cage);
  const matrices = new Float64Array(16 * count * frames);
  const deformer = makeCageDeformer(mesh, bound, count);
  const positions = new Float32Array(mesh.positions.length * frames);
  for (let k = 0; k < frames; k++) {
    const bones = matrices.subarray(16 * count * k, 16 * count * (k + 1));
    cagePoseInto(cage.mesh.positions, frameOf(cage, k), bones);
    deformer.deformInto({ bones }, positions.subarray(k * mesh.positions.length, (k + 1) * mesh.positions.length));
  }
  const poses = frames > 0 && options.poses !== 'none' ? ({ source: 'cage', matrices } as const) : undefined;
  const skeleton = makeCageSkeleton(cage.mesh);
  const influences = Math.min(options.influences ?? Number.POSITIVE_INFINITY, maxInfluencesOf(bound));
  const solved = await reduceSkin({ mesh, skeleton, skin: bound, isSigned: true }, poses, {
    // all blended matrices are the identity: there are no normals to hold
    ...{ ...options, normals: 0 },
    influences: options.influences === undefined ? undefined : influences,
  });
  const skin = dropNegative(solved.skin);
  return {
    ...solved,
    skin,
    model: {
      kind: 'skin',
      mesh,
      skeleton,
      skin,
      motions: frames > 0 ? [{ name: cage.name, times: cage.times, matrices }] : [],
    },
    bound,
    reference: { kind: 'clip', name: cage.name, mesh, positions, times: cage.times },
  };
}

/** A bone at every vertex of a cage. */
function makeCageSkeleton({ positions }: Mesh): Skeleton {
  const count = positions.length / 3;
  const digits = String(Math.max(0, count - 1)).length;
  const bindMatrices = new Float64Array(16 * count);
  for (let j = 0; j < count; j++) {
    for (let r = 0; r < 3; r++) {
      bindMatrices[16 * j + 5 * r] = 1;
      bindMatrices[16 * j + 12 + r] = positions[3 * j + r];
    }
    bindMatrices[16 * j + 15] = 1;
  }
  return {
    names: Array.from({ length: count }, (_, j) => `cage_${String(j).padStart(digits, '0')}`),
    parents: new Int32Array(count).fill(-1),
    bindMatrices,
  };
}

function dropNegative({ rowStart, boneIndices, weights }: Skin): Skin {
  if (weights.every((w) => w > 0)) return { rowStart, boneIndices, weights };
  const starts = new Uint32Array(rowStart.length);
  const bones: number[] = [];
  const values: number[] = [];
  for (let i = 0; i + 1 < rowStart.length; i++) {
    let sum = 0;
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) sum += Math.max(0, weights[e]);
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      if (!(weights[e] > 0)) continue;
      bones.push(boneIndices[e]);
      values.push(weights[e] / sum);
    }
    starts[i + 1] = bones.length;
  }
  return { rowStart: starts, boneIndices: Uint32Array.from(bones), weights: Float32Array.from(values) };
}
