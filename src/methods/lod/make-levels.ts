// SPDX-License-Identifier: MIT

import { type Weld, weldClip } from '../../core/mesh/topology/weld.ts';
import type { Asset } from '../../core/model/asset.ts';
import { poseOf } from '../../core/model/clip/motion.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import type { MeshLevel } from '../../core/model/mesh/mesh-level.ts';
import { listPoseTimes, sampleAnimation } from '../../deformers/playback/index.ts';
import { listVertexMaps, measureSurfaces, type VertexMaps } from '../../measure/index.ts';
import { mergeBones } from './merge-bones.ts';
import { simplifySkin } from './simplify-skin.ts';

/** Options of makeLevels. One of triangles, ratios and maxError is needed. */
export interface LevelOptions {
  /** Number of triangles of each level, falling. */
  triangles?: readonly number[];
  /** The same, relative to the full mesh. */
  ratios?: readonly number[];
  /** One level with the fewest triangles whose surface is within this distance in all poses, file units. */
  maxError?: number;
  /** Maximum poses in which the surface is preserved; 0: the rest pose alone, for comparison. Default 24. */
  poses?: number;
  /** Weight of distances in UVs and colours, relative to distances in space. Default 0.5. */
  attributes?: number;
  /** Whether levels keep all bones. By default bones are merged that no vertex misses by more than a quarter of the level's own error. */
  keepBones?: boolean;
  /** Called with a ratio from 0 to 1. */
  onProgress?(ratio: number): void;
  /** Ends the work; levels that were reached are kept. */
  signal?: AbortSignal;
}

/** Defaults of LevelOptions. */
export const LEVEL_DEFAULTS = { poses: 24, attributes: 0.5, keepBones: false } as const;

/** Maximum products of poses and vertices: the quadrics of a vertex in a pose take 80 bytes, its maps 48. */
const MAX_POSED = 1_500_000;
/** Poses in which a search by error measures its tries, and in which results are measured. */
const SEARCH_POSES = 12;
export const MEASURED_POSES = 48;
/** Ratio of triangles of two neighbouring tries of a search. */
const SEARCH_STEP = 0.9;
/** Part of a level's error that merged bones may add. */
const BONE_ERROR = 0.25;
/** Numbers of poses in which merged bones are compared. */
const MERGE_POSES = 16;

/**
 * Makes levels of detail of a skinned, morphing or still asset: fewer triangles, chosen by the motion of the surface in its animations, and fewer
 * bones. Vertices of a level are some of the asset's, so weights, UVs, colours, morph targets and corrections stay valid. Throws an InputError
 * if the asset has no triangles, frames of positions instead of bones, or Direct Delta Mush, of which levels would have the plain skin only.
 * @example
 * ```ts
 * import { makeLevels, writeGlb } from 'ossify';
 *
 * const levels = await makeLevels(asset, { ratios: [0.5, 0.25, 0.1] });
 * const glb = await writeGlb(asset, { kind: 'levels', levels, coverage: [0.5, 0.2, 0.08, 0.01] });
 * ```
 */
export async function makeLevels(asset: Asset, options: LevelOptions): Promise<MeshLevel[]> {
  const { mesh } = asset;
  const full = mesh.triangles.length / 3;
  if (asset.clips.length > 0)
    throw new InputError('levels', 'the file has frames of positions; decompose them into bones first');
  if (full === 0) throw new InputError('levels', 'the file has no triangles');
  if (asset.ddm ?? asset.twoLayer ?? asset.linearTwoLayer)
    throw new InputError(
      'levels',
      'Direct Delta Mush and two-layer skins are not simplified; pass the asset without ddm and twoLayer, then run mush or compress on each level',
    );
  const counts = listCounts(full, options);
  const vertexCount = mesh.positions.length / 3;
  const { poses = LEVEL_DEFAULTS.poses } = options;
  const maxPoses = Math.max(2, Math.min(poses, Math.floor(MAX_POSED / vertexCount)));
  const moving = poses === 0 ? { ...asset, animations: [] } : asset;
  const maps = listVertexMaps(moving, listPoseTimes(moving, maxPoses));
  const { attributes = LEVEL_DEFAULTS.attributes, onProgress, signal } = options;
  const levels = await simplifySkin(mesh, maps, weldPosed(asset, maps), { counts, attributes, onProgress, signal });
  if (levels.length === 0)
    throw new InputError('levels', `the surface cannot be simplified to ${counts[0]} triangles without folding over`);
  const { maxError } = options;
  const chosen = maxError === undefined ? levels : [searchLevel(asset, levels, maxError)];
  return options.keepBones ? chosen : chosen.map((level) => mergeLevelBones(asset, level));
}

function listCounts(full: number, { triangles, ratios, maxError }: LevelOptions): number[] {
  if (triangles) return checkFalling(triangles, full, 'triangles');
  if (ratios) {
    if (!ratios.every((ratio) => ratio > 0 && ratio < 1))
      throw new UsageError('levels', `ratios must be between 0 and 1, got ${ratios.join(', ')}`);
    return checkFalling(
      ratios.map((ratio) => Math.max(1, Math.round(ratio * full))),
      full,
      'ratios',
    );
  }
  if (maxError === undefined) throw new UsageError('levels', 'give triangles, ratios or maxError');
  if (!(maxError > 0)) throw new UsageError('levels', `maxError must be a length above 0, got ${maxError}`);
  const counts = [full];
  while (counts[counts.length - 1] > 4) counts.push(Math.floor(SEARCH_STEP * counts[counts.length - 1]));
  return counts;
}

function checkFalling(counts: readonly number[], full: number, what: string): number[] {
  if (counts.length === 0 || counts.some((count) => !(Number.isInteger(count) && count >= 1)))
    throw new UsageError('levels', `${what} must give at least one triangle per level`);
  if (counts[0] > full)
    throw new UsageError('levels', `a level of ${counts[0]} triangles is not smaller than the mesh of ${full}`);
  if (counts.some((count, n) => n > 0 && count >= counts[n - 1]))
    throw new UsageError('levels', `${what} must fall from level to level`);
  return [...counts];
}

/** Vertices that are in one place at rest and in all poses. */
function weldPosed({ mesh }: Asset, { values, frameCount, vertexCount }: VertexMaps): Weld {
  const u = mesh.positions;
  const positions = new Float32Array(3 * frameCount * vertexCount);
  for (let n = 0, m = 0; n < frameCount * vertexCount; n++, m += 12) {
    const o = 3 * (n % vertexCount);
    for (let r = 0; r < 3; r++)
      positions[3 * n + r] =
        values[m + r] * u[o] + values[m + 3 + r] * u[o + 1] + values[m + 6 + r] * u[o + 2] + values[m + 9 + r];
  }
  return weldClip({ kind: 'clip', name: '', mesh, positions, times: new Float64Array(frameCount) });
}

/** The coarsest of some levels within an error. The first is the full mesh. */
function searchLevel(asset: Asset, levels: readonly MeshLevel[], maxError: number): MeshLevel {
  let [low, high] = [0, levels.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (measureLevel(asset, levels[middle], SEARCH_POSES) <= maxError) low = middle;
    else high = middle;
  }
  // the tries were measured in some poses, and merged bones add to the error
  while (low > 0 && measureLevel(asset, mergeLevelBones(asset, levels[low]), MEASURED_POSES) > maxError) low--;
  return levels[low];
}

function mergeLevelBones(asset: Asset, level: MeshLevel): MeshLevel {
  const { rig } = asset;
  if (!rig?.isJoint.includes(1)) return level;
  const boneCount = rig.skeleton.names.length;
  const motions = listPoseTimes(asset, MERGE_POSES).map(
    ({ animation, times }) => sampleAnimation(asset, animation, times).motion,
  );
  const poses = motions.flatMap((motion) => Array.from({ length: motion.times.length }, (_, k) => poseOf(motion, k)));
  const limit = BONE_ERROR * measureLevel(asset, level, SEARCH_POSES);
  if (!(limit > 0)) return level;
  return { ...level, boneMap: mergeBones({ level, skin: rig.skin, boneCount, poses }, limit) };
}

/** The largest distance between an asset and one of its levels. */
function measureLevel(asset: Asset, level: MeshLevel, maxPoses: number): number {
  return measureSurfaces(asset, playLevel(asset, level), maxPoses).max;
}

/** An asset with the surface and the bones of a level. It keeps vertices that no triangle uses. */
function playLevel(asset: Asset, { vertices, positions, triangles, boneMap }: MeshLevel): Asset {
  const { mesh, rig } = asset;
  const moved = mesh.positions.slice();
  vertices.forEach((i, n) => {
    moved.set(positions.subarray(3 * n, 3 * n + 3), 3 * i);
  });
  const played = { ...asset, mesh: { ...mesh, positions: moved, triangles: triangles.map((n) => vertices[n]) } };
  if (!rig || !boneMap) return played;
  const skin = { ...rig.skin, boneIndices: rig.skin.boneIndices.map((bone) => boneMap[bone]) };
  return { ...played, rig: { ...rig, skin } };
}
