// SPDX-License-Identifier: MIT
// Levels of detail: fewer triangles (simplify-skin.ts), then fewer bones (merge-bones.ts).

import { type Weld, weldClip } from '../../core/mesh/topology/weld.ts';
import type { Asset } from '../../core/model/asset.ts';
import { poseOf } from '../../core/model/clip/motion.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import type { MeshLevel } from '../../core/model/mesh/mesh-level.ts';
import { allRead, type SolveRun } from '../../core/options/method.ts';
import { listPoseTimes, sampleAnimation } from '../../deformers/playback/index.ts';
import { poseAsset } from '../../fit/poses/index.ts';
import { listVertexMaps, measureSurfaces, type VertexMaps } from '../../measure/index.ts';
import { chooseNormals } from './choose-normals.ts';
import { MEASURED_POSES } from './levels-method.ts';
import { mergeBones } from './merge-bones.ts';
import { mergeEqualVertices } from './merge-equal-vertices.ts';
import type { LevelValues } from './options.ts';
import { type SimplifyOptions, simplifySkin } from './simplify-skin.ts';

/** Maximum products of poses and vertices: the quadrics of a vertex in a pose take 80 bytes, its maps 48. */
const MAX_POSED = 1_500_000;
/** Poses in which a search by error measures its tries, and in which results are measured. */
const SEARCH_POSES = 12;
/** Ratio of triangles of two neighbouring tries of a search. */
const SEARCH_STEP = 0.9;
/** Part of a level's error that merged bones may add. */
const BONE_ERROR = 0.25;
/** Numbers of poses in which merged bones are compared. */
const MERGE_POSES = 16;

/** An asset, and the maximum distance of its surface for which the triangles of one level are found, file units. */
export interface LevelInput {
  asset: Asset;
  maxError?: number;
}

/** Makes levels. It starts no threads. */
export async function solve(
  { signal, onProgress }: Pick<SolveRun, 'signal' | 'onProgress'>,
  { asset: given, maxError }: LevelInput,
  { triangles, ratios, poses, attributes, keepBones, ...rest }: LevelValues,
): Promise<MeshLevel[]> {
  allRead(rest);
  checkLevelInput(given);
  const { asset } = poseAsset(given);
  const { mesh } = asset;
  const counts = listCounts(mesh.triangles.length / 3, { triangles, ratios }, maxError);
  const vertexCount = mesh.positions.length / 3;
  const maxPoses = Math.max(2, Math.min(poses, Math.floor(MAX_POSED / vertexCount)));
  const moving = poses === 0 ? { ...asset, animations: [] } : asset;
  const maps = listVertexMaps(moving, listPoseTimes(moving, maxPoses));
  const weld = weldPosed(asset, maps);
  const levels = await simplifyEdges(asset, maps, weld, {
    ...{ counts, attributes, signal },
    onProgress: (fraction) => onProgress?.({ phase: 'simplify', fraction }),
  });
  if (levels.length === 0)
    throw new InputError(
      'levels',
      `the surface cannot be simplified to ${counts[0]} triangles: no edge can be collapsed without folding it over`,
    );
  const chosen = maxError === undefined ? levels : [searchLevel(asset, levels, maxError)];
  return keepBones ? chosen : chosen.map((level) => mergeLevelBones(asset, level));
}

/**
 * Simplifies with hard edges as seams, which keeps them. Where that does not reach the last level, as on meshes with a normal per triangle, all of whose edges are hard,
 * the levels that are missing are made across them.
 */
async function simplifyEdges(
  asset: Asset,
  maps: VertexMaps,
  weld: Weld,
  options: SimplifyOptions,
): Promise<MeshLevel[]> {
  const { counts, signal, onProgress } = options;
  const hard = await simplifySkin(mergeEqualVertices(asset, weld, true), maps, weld, options);
  // the only level may be the coarsest that there is
  const reached = hard.filter(({ triangles }, n) => triangles.length / 3 <= counts[n]);
  if (reached.length === counts.length || !asset.mesh.normals || signal?.aborted) return hard;
  const merged = mergeEqualVertices(asset, weld, false);
  const soft = await simplifySkin(merged, maps, weld, { ...options, onProgress: () => onProgress?.(1) });
  const further = soft.slice(reached.length).map((level) => chooseNormals(asset.mesh, merged, level));
  return further.length > 0 ? [...reached, ...further] : hard;
}

/** Throws an InputError for an asset of which no levels are made. */
function checkLevelInput({ mesh, clips, ddm, twoLayer, linearTwoLayer }: Asset): void {
  if (clips.length > 0)
    throw new InputError('levels', 'the file has frames of positions; decompose them into bones first');
  if (mesh.triangles.length === 0) throw new InputError('levels', 'the file has no triangles');
  if (ddm ?? twoLayer ?? linearTwoLayer)
    throw new InputError(
      'levels',
      'Direct Delta Mush and two-layer skins are not simplified; pass the asset without ddm and twoLayer, then run mush or compress on each level',
    );
}

function listCounts(full: number, { triangles, ratios }: Pick<LevelValues, 'triangles' | 'ratios'>, maxError?: number) {
  if (triangles) return checkFalling(triangles, full, 'triangles');
  if (ratios)
    return checkFalling(
      ratios.map((ratio) => Math.max(1, Math.round(ratio * full))),
      full,
      'ratios',
    );
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
