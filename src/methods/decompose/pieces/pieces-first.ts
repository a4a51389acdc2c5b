// SPDX-License-Identifier: MIT
// Connected parts that move rigidly get their bones before anything is optimized: one each, exactly, with one weight per vertex. The method then solves the other
// vertices with the bones that are left. A clip of rigid pieces only needs no solve at all.
//
// Pieces with the same motion share a bone where a rest is left to solve. A piece that moves with a part of the rest, such as the eyes of a head, belongs to the rest, which
// needs a bone for that motion in any case (a dancer of 16 parts, 30 bones: E_RMS 0.112 with bones for her eyes and hair, 0.101 without). Pieces never take more than half of the bones from such a rest: with more motions than
// that, and with more pieces than bones, the clip is solved as a whole by the method, which blends the bones of several pieces (wall, 100 pieces, 50 bones: E_RMS
// 9.4 blended, 40.6 with a bone per group of pieces). Groups of pieces are then one of its starts.

import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { smallestEnclosingBall } from '../../../core/mesh/geometry/enclosing-ball.ts';
import { cutClip } from '../../../core/mesh/topology/cut-clip.ts';
import { listPrecisions, listRigidPieces } from '../../../core/mesh/topology/list-rigid-pieces.ts';
import { weldClip } from '../../../core/mesh/topology/weld.ts';
import type { SkinnedModel } from '../../../core/model/asset.ts';
import { type Clip, frameCountOf } from '../../../core/model/clip/clip.ts';
import { SkinBuilder } from '../../../core/model/skin/skin.ts';
import type { SolveMonitorOptions } from '../../../core/progress/solve-monitor.ts';
import type { Decomposition } from '../decomposition.ts';
import { groupRigidPieces, type RigidGroup } from './group-rigid-pieces.ts';

/** Maximum part of the bones for pieces if there is a rest. Not tuned. */
const MAX_SHARE = 0.5;
/** A part of the rest follows a motion if this part of its vertices, of about SHARED_VERTICES that are tested, stays this close to it, relative to the diagonal. Not tuned. */
const SHARED_PART = 0.01;
const SHARED_VERTICES = 2000;
const SHARED_DISTANCE = 1e-3;

interface PieceOptions extends SolveMonitorOptions {
  bones?: number;
}

export interface PiecesFirst<Options extends PieceOptions, Result extends Decomposition> {
  /** Number of bones; infinity where the method finds it. */
  bones: number;
  /** The fields of a result without a solve, for a number of pieces and of bones. */
  exact(pieceCount: number, boneCount: number): Omit<Result, keyof Decomposition>;
  /** Solves a clip; groups: as many motions of rigid pieces as bones, to start from, where there are more pieces than bones. */
  solve(clip: Clip, options: Options, groups?: readonly RigidGroup[]): Promise<Result>;
}

/** Solves a clip by a method, rigid pieces first. */
export async function piecesFirst<Options extends PieceOptions, Result extends Decomposition>(
  clip: Clip,
  options: Options,
  { bones, exact, solve }: PiecesFirst<Options, Result>,
): Promise<Result> {
  const pieces = listRigidPieces(clip);
  if (pieces.length === 0) return solve(clip, options);
  const rest = listRest(clip, pieces);
  if (rest.isLoose) {
    const groups = groupRigidPieces(clip, pieces, { count: bones });
    if (pieces.length > bones) return solve(clip, options, groups);
    return finish(
      clip,
      attachLoose(clip, groups, rest.vertices),
      exact(pieces.length, groups.length),
      pieces.length,
    ) as Result;
  }
  const maxError = listPrecisions(clip).reduce((max, limit) => Math.max(max, limit));
  const groups = dropShared(clip, groupRigidPieces(clip, pieces, { maxError }), rest.vertices);
  if (groups.length === 0 || groups.length > MAX_SHARE * bones) return solve(clip, options);
  const own = listRest(clip, groups).vertices;
  const count = groups.reduce((sum, group) => sum + group.pieces.length, 0);
  const left = Number.isFinite(bones) ? { bones: bones - groups.length } : {};
  return joinRest(clip, groups, own, await solve(cutClip(clip, own), { ...options, ...left }), count);
}

/** The same where the number of bones follows from a maximum distance of every vertex, file units. */
export async function piecesFirstByError<Options extends PieceOptions, Result extends Decomposition>(
  clip: Clip,
  options: Options,
  maxError: number,
  { exact, solve }: Omit<PiecesFirst<Options, Result>, 'bones'>,
): Promise<Result> {
  const pieces = listRigidPieces(clip);
  if (pieces.length === 0) return solve(clip, options);
  const rest = listRest(clip, pieces);
  const all = groupRigidPieces(clip, pieces, { maxError });
  if (rest.isLoose)
    return finish(
      clip,
      attachLoose(clip, all, rest.vertices),
      exact(pieces.length, all.length),
      pieces.length,
    ) as Result;
  const groups = dropShared(clip, all, rest.vertices);
  if (groups.length === 0) return solve(clip, options);
  const own = listRest(clip, groups).vertices;
  const count = groups.reduce((sum, group) => sum + group.pieces.length, 0);
  return joinRest(clip, groups, own, await solve(cutClip(clip, own), options), count);
}

/** The groups whose motion no part of the rest follows. */
function dropShared(clip: Clip, groups: readonly RigidGroup[], rest: Uint32Array): RigidGroup[] {
  const step = Math.max(1, Math.floor(rest.length / SHARED_VERTICES));
  const tested = rest.filter((_, n) => n % step === 0);
  const limit = SHARED_DISTANCE * measureBounds(clip.mesh.positions).diagonal;
  return groups.filter(({ matrices }) => {
    let followers = 0;
    for (const v of tested) if (isFollower(clip, v, matrices, limit)) followers++;
    return followers < Math.max(1, SHARED_PART * tested.length);
  });
}

/** Whether a vertex stays within a distance of its place under a motion. */
function isFollower({ mesh, positions, times }: Clip, v: number, matrices: Float64Array, limit: number): boolean {
  const stride = mesh.positions.length;
  for (let k = 0; k < times.length; k++) {
    const m = 16 * k;
    let square = 0;
    for (let r = 0; r < 3; r++) {
      let moved = matrices[m + 12 + r] - positions[k * stride + 3 * v + r];
      for (let c = 0; c < 3; c++) moved += matrices[m + 4 * c + r] * mesh.positions[3 * v + c];
      square += moved * moved;
    }
    if (square > limit * limit) return false;
  }
  return true;
}

/** Vertices of no piece, rising; isLoose: none of them belongs to a triangle. */
function listRest(
  clip: Clip,
  pieces: readonly { vertices: Uint32Array }[],
): { vertices: Uint32Array; isLoose: boolean } {
  const isPiece = new Uint8Array(clip.mesh.positions.length / 3);
  for (const { vertices } of pieces) for (const v of vertices) isPiece[v] = 1;
  const vertices = Uint32Array.from(isPiece.keys()).filter((v) => !isPiece[v]);
  return { vertices, isLoose: clip.mesh.triangles.every((v) => isPiece[v] === 1) };
}

/** Vertices without triangles join the group whose motion is closest to theirs. */
function attachLoose(clip: Clip, groups: readonly RigidGroup[], loose: Uint32Array): RigidGroup[] {
  if (loose.length === 0) return [...groups];
  const joined = groups.map(({ vertices }) => [...vertices]);
  for (const v of loose) {
    const errors = groups.map((group) => measureVertex(clip, v, group.matrices));
    joined[errors.indexOf(Math.min(...errors))].push(v);
  }
  return groups.map((group, j) => ({ ...group, vertices: Uint32Array.from(joined[j]) }));
}

/** The squared distances of a vertex from its place under a motion, summed over frames. */
function measureVertex({ mesh, positions, times }: Clip, v: number, matrices: Float64Array): number {
  const stride = mesh.positions.length;
  let sum = 0;
  for (let k = 0; k < times.length; k++) {
    const m = 16 * k;
    for (let r = 0; r < 3; r++) {
      let moved = matrices[m + 12 + r] - positions[k * stride + 3 * v + r];
      for (let c = 0; c < 3; c++) moved += matrices[m + 4 * c + r] * mesh.positions[3 * v + c];
      sum += moved * moved;
    }
  }
  return sum;
}

function finish<Fields extends object>(clip: Clip, groups: readonly RigidGroup[], exact: Fields, rigidPieces: number) {
  const { vertexOfPoint } = weldClip(clip);
  const groupOf = labelVertices(clip, groups);
  let error = 0;
  for (const v of vertexOfPoint) error += measureVertex(clip, v, groups[groupOf[v]].matrices);
  const eRms = eRmsOf(clip, error, vertexOfPoint.length);
  const before = 'eRmsBeforeRest' in exact ? { eRmsBeforeRest: eRms } : {};
  return { ...exact, ...before, model: makeModel(clip, groups), eRms, status: 'converged' as const, rigidPieces };
}

/** A solved rest and the pieces as one result: bones of the pieces first. */
function joinRest<Result extends Decomposition>(
  clip: Clip,
  groups: readonly RigidGroup[],
  vertices: Uint32Array,
  solved: Result,
  rigidPieces: number,
): Result {
  const { vertexOfPoint } = weldClip(clip);
  const groupOf = labelVertices(clip, groups);
  let error = 0;
  let points = 0;
  for (const v of vertexOfPoint) {
    if (groupOf[v] >= 0) error += measureVertex(clip, v, groups[groupOf[v]].matrices);
    else points++;
  }
  const size = smallestEnclosingBall(cutPositions(clip.mesh.positions, vertices)).radius || 1;
  const scale = (eRms: number) =>
    eRmsOf(clip, error + ((eRms / 1000) * size) ** 2 * 3 * points * frameCountOf(clip), vertexOfPoint.length);
  const result = {
    ...solved,
    model: makeModel(clip, groups, vertices, solved.model),
    eRms: scale(solved.eRms),
    rigidPieces,
  };
  if ('eRmsBeforeRest' in solved) return { ...result, eRmsBeforeRest: scale(Number(solved.eRmsBeforeRest)) };
  return result;
}

function eRmsOf(clip: Clip, error: number, points: number): number {
  const size = smallestEnclosingBall(clip.mesh.positions).radius || 1;
  return (1000 / size) * Math.sqrt(error / (3 * points * frameCountOf(clip)));
}

function cutPositions(positions: Float32Array, vertices: Uint32Array): Float32Array {
  const out = new Float32Array(3 * vertices.length);
  vertices.forEach((v, n) => {
    out.set(positions.subarray(3 * v, 3 * v + 3), 3 * n);
  });
  return out;
}

/** vertexCount: the group of each vertex, -1 for none */
function labelVertices(clip: Clip, groups: readonly RigidGroup[]): Int32Array {
  const labels = new Int32Array(clip.mesh.positions.length / 3).fill(-1);
  groups.forEach(({ vertices }, j) => {
    for (const v of vertices) labels[v] = j;
  });
  return labels;
}

/** A model with a bone per group, bound at the center of its vertices, and the bones of the rest's own model after them. */
function makeModel(clip: Clip, groups: readonly RigidGroup[], rest?: Uint32Array, own?: SkinnedModel): SkinnedModel {
  const ownCount = own?.skeleton.names.length ?? 0;
  const boneCount = groups.length + ownCount;
  const frameCount = frameCountOf(clip);
  const matrices = new Float64Array(16 * boneCount * frameCount);
  for (let k = 0; k < frameCount; k++) {
    const o = 16 * k * boneCount;
    groups.forEach((group, j) => {
      matrices.set(group.matrices.subarray(16 * k, 16 * k + 16), o + 16 * j);
    });
    if (own)
      matrices.set(
        own.motions[0].matrices.subarray(16 * k * ownCount, 16 * (k + 1) * ownCount),
        o + 16 * groups.length,
      );
  }
  const bindMatrices = new Float64Array(16 * boneCount);
  groups.forEach(({ vertices }, j) => {
    for (let c = 0; c < 3; c++) {
      bindMatrices[16 * j + 5 * c] = 1;
      for (const v of vertices) bindMatrices[16 * j + 12 + c] += clip.mesh.positions[3 * v + c] / vertices.length;
    }
    bindMatrices[16 * j + 15] = 1;
  });
  if (own) bindMatrices.set(own.skeleton.bindMatrices, 16 * groups.length);
  const positions = clip.mesh.positions.slice();
  rest?.forEach((v, n) => {
    if (own) positions.set(own.mesh.positions.subarray(3 * n, 3 * n + 3), 3 * v);
  });
  const digits = String(Math.max(0, boneCount - 1)).length;
  return {
    kind: 'skin',
    mesh: { ...clip.mesh, positions },
    skeleton: {
      names: Array.from({ length: boneCount }, (_, j) => `bone_${String(j).padStart(digits, '0')}`),
      parents: new Int32Array(boneCount).fill(-1),
      bindMatrices,
    },
    skin: makePieceSkin(clip, groups, rest, own),
    motions: [{ name: clip.name, times: clip.times, matrices }],
  };
}

function makePieceSkin(clip: Clip, groups: readonly RigidGroup[], rest?: Uint32Array, own?: SkinnedModel) {
  const groupOf = labelVertices(clip, groups);
  const place = new Int32Array(groupOf.length).fill(-1);
  rest?.forEach((v, n) => {
    place[v] = n;
  });
  const skin = new SkinBuilder(groupOf.length, groupOf.length + (own?.skin.weights.length ?? 0));
  for (let v = 0; v < groupOf.length; v++) {
    if (groupOf[v] >= 0) skin.add(groupOf[v], 1);
    else if (own && place[v] >= 0) {
      const { rowStart, boneIndices, weights } = own.skin;
      for (let e = rowStart[place[v]]; e < rowStart[place[v] + 1]; e++)
        skin.add(groups.length + boneIndices[e], weights[e]);
    }
    skin.endRow(0);
  }
  return skin.finish();
}
