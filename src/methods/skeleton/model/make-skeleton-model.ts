// SPDX-License-Identifier: MIT
// Joins solved bodies into one model: bones in the order of chains, with names, axes, end joints and limits.

import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import type { SkinnedModel } from '../../../core/model/asset.ts';
import type { Clip } from '../../../core/model/clip/clip.ts';
import type { JointLimits } from '../../../core/model/skin/joint-limits.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { rangesFromMotions } from '../../../fit/poses/index.ts';
import type { SolvedBody } from '../body/solved-body.ts';
import { findSymmetry } from '../symmetry/find-symmetry.ts';
import { nameBones } from './name-bones.ts';
import { orientBones } from './orient-bones.ts';

/** A vertex belongs to the bone with more than this weight. */
const HALF = 0.5;
/** Position of an end joint, relative to the distance of the farthest vertex. Chosen by hand. */
const TIP = 0.97;

export interface SkeletonModelOptions {
  /** Adds a joint without weights at the end of every chain. */
  endJoints?: boolean;
  /** Given names by bone, for a single body. */
  names?: string[];
}

export interface BodyOfClip {
  /** Vertices of the body in the clip. */
  vertices: Uint32Array;
  solved: SolvedBody;
}

/** Names of the joints that slide, in the order of the model. */
export function listSliding(skeleton: SkinnedModel['skeleton'], bodies: readonly BodyOfClip[]): string[] {
  return orderBones(bodies).flatMap(({ body, bone }, n) =>
    bodies[body].solved.released?.[bone] ? [skeleton.names[n]] : [],
  );
}

/** Joins bodies into a model with one root per body. */
export function makeSkeletonModel(
  clip: Clip,
  bodies: readonly BodyOfClip[],
  options: SkeletonModelOptions,
): SkinnedModel {
  const frameCount = clip.times.length;
  const joined = joinBodies(bodies, frameCount, options.names);
  const { parents, joints, matrices, boneCount } = joined;
  const skin = joinSkins(clip.mesh.positions.length / 3, bodies, joined.placeOf);
  const places = measurePlaces(clip.mesh.positions, skin, joints, boneCount);
  const tips = findTips(clip.mesh.positions, skin, parents, joints, places);
  const size = measureBounds(clip.mesh.positions).diagonal;
  const bindMatrices = orientBones(parents, joints, tips, matrices);
  const names = joined.names ?? nameBones(parents, places, findSymmetry(clip.mesh.positions), size);
  const motions = [{ name: clip.name, times: clip.times, matrices }];
  const model: SkinnedModel = {
    kind: 'skin',
    mesh: clip.mesh,
    skeleton: { names, parents, bindMatrices },
    skin,
    motions,
  };
  const limited = { ...model, jointLimits: measureLimits(model) };
  return options.endJoints ? addEndJoints(limited, tips) : limited;
}

interface Joined {
  boneCount: number;
  parents: Int32Array;
  joints: Float64Array;
  matrices: Float64Array;
  names?: string[];
  /** By body and bone: the index in the model. */
  placeOf: Int32Array[];
}

/** The bones of all bodies, depth first, so that chains are contiguous. */
function orderBones(bodies: readonly BodyOfClip[]): { body: number; bone: number }[] {
  const order: { body: number; bone: number }[] = [];
  bodies.forEach(({ solved: { parents, boneCount } }, body) => {
    const visit = (bone: number): void => {
      order.push({ body, bone });
      for (let j = 0; j < boneCount; j++) if (parents[j] === bone) visit(j);
    };
    for (let j = 0; j < boneCount; j++) if (parents[j] < 0) visit(j);
  });
  return order;
}

/** Bones of all bodies in the order of the model. */
function joinBodies(bodies: readonly BodyOfClip[], frameCount: number, names?: string[]): Joined {
  const order = orderBones(bodies);
  const placeOf = bodies.map(({ solved }) => new Int32Array(solved.boneCount).fill(-1));
  order.forEach(({ body, bone }, n) => {
    placeOf[body][bone] = n;
  });
  const boneCount = order.length;
  const parents = new Int32Array(boneCount);
  const joints = new Float64Array(3 * boneCount);
  const matrices = new Float64Array(16 * boneCount * frameCount);
  order.forEach(({ body, bone }, n) => {
    const { solved } = bodies[body];
    const parent = solved.parents[bone];
    parents[n] = parent < 0 ? -1 : placeOf[body][parent];
    joints.set(solved.joints.subarray(3 * bone, 3 * bone + 3), 3 * n);
    for (let k = 0; k < frameCount; k++) {
      const from = (k * solved.boneCount + bone) * 16;
      matrices.set(solved.matrices.subarray(from, from + 16), (k * boneCount + n) * 16);
    }
  });
  return { boneCount, parents, joints, matrices, placeOf, names: names && order.map(({ bone }) => names[bone]) };
}

function joinSkins(vertexCount: number, bodies: readonly BodyOfClip[], placeOf: Int32Array[]): SkinnedModel['skin'] {
  let width = 1;
  for (const { solved } of bodies) {
    const { rowStart } = solved.skin;
    for (let i = 0; i + 1 < rowStart.length; i++) width = Math.max(width, rowStart[i + 1] - rowStart[i]);
  }
  const ids = new Uint32Array(vertexCount * width);
  const weights = new Float64Array(vertexCount * width);
  bodies.forEach(({ vertices, solved: { skin } }, body) => {
    vertices.forEach((v, i) => {
      for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++) {
        const o = v * width + e - skin.rowStart[i];
        ids[o] = placeOf[body][skin.boneIndices[e]];
        weights[o] = skin.weights[e];
      }
    });
  });
  return makeSkin(ids, weights, width);
}

/** boneCount x 3: the weighted center of each bone's vertices; its joint if it has none. */
function measurePlaces(
  positions: Float32Array,
  skin: SkinnedModel['skin'],
  joints: Float64Array,
  boneCount: number,
): Float64Array {
  const places = new Float64Array(3 * boneCount);
  const sums = new Float64Array(boneCount);
  for (let v = 0; v + 1 < skin.rowStart.length; v++) {
    for (let e = skin.rowStart[v]; e < skin.rowStart[v + 1]; e++) {
      const [j, w] = [skin.boneIndices[e], skin.weights[e]];
      sums[j] += w;
      for (let r = 0; r < 3; r++) places[3 * j + r] += w * positions[3 * v + r];
    }
  }
  for (let j = 0; j < boneCount; j++)
    for (let r = 0; r < 3; r++) places[3 * j + r] = sums[j] > 0 ? places[3 * j + r] / sums[j] : joints[3 * j + r];
  return places;
}

/** boneCount x 3: the mean of the children's joints; at the end of a chain, the farthest extent of the bone's vertices in the direction from its joint to their center. */
function findTips(
  positions: Float32Array,
  skin: SkinnedModel['skin'],
  parents: Int32Array,
  joints: Float64Array,
  places: Float64Array,
): Float64Array {
  const boneCount = parents.length;
  const tips = new Float64Array(3 * boneCount);
  const children = new Uint32Array(boneCount);
  const reach = new Float64Array(boneCount);
  const ways = new Float64Array(3 * boneCount);
  parents.forEach((p, j) => {
    if (p < 0) return;
    children[p]++;
    for (let r = 0; r < 3; r++) tips[3 * p + r] += joints[3 * j + r];
  });
  for (let j = 0; j < boneCount; j++) {
    const way = [0, 1, 2].map((r) => places[3 * j + r] - joints[3 * j + r]);
    const length = Math.hypot(way[0], way[1], way[2]);
    for (let r = 0; r < 3; r++) ways[3 * j + r] = length > 0 ? way[r] / length : 0;
    reach[j] = length;
  }
  for (let v = 0; v + 1 < skin.rowStart.length; v++) {
    const e = skin.rowStart[v];
    if (!(skin.weights[e] > HALF)) continue;
    const j = skin.boneIndices[e];
    const along = [0, 1, 2].reduce((sum, r) => sum + (positions[3 * v + r] - joints[3 * j + r]) * ways[3 * j + r], 0);
    reach[j] = Math.max(reach[j], TIP * along);
  }
  for (let j = 0; j < boneCount; j++) {
    for (let r = 0; r < 3; r++) {
      tips[3 * j + r] =
        children[j] > 0 ? tips[3 * j + r] / children[j] : joints[3 * j + r] + reach[j] * ways[3 * j + r];
    }
  }
  return tips;
}

/** The ranges of joints in the motion, degrees. */
function measureLimits({ skeleton, motions }: SkinnedModel): JointLimits[] {
  const degrees = ([low, high]: readonly [number, number]): [number, number] => [
    Math.round((low * 180e3) / Math.PI) / 1e3,
    Math.round((high * 180e3) / Math.PI) / 1e3,
  ];
  return rangesFromMotions(skeleton, motions).map(({ rotation: [x, y, z] }) => ({
    rotation: [degrees(x), degrees(y), degrees(z)],
  }));
}

/** A joint at the tip of every bone without children; it moves rigidly with that bone and has no weights. */
function addEndJoints(model: SkinnedModel & { jointLimits: JointLimits[] }, tips: Float64Array): SkinnedModel {
  const { skeleton, motions } = model;
  const boneCount = skeleton.names.length;
  const hasChild = new Uint8Array(boneCount);
  for (const p of skeleton.parents) if (p >= 0) hasChild[p] = 1;
  const leaves = Array.from(hasChild.keys()).filter((j) => !hasChild[j]);
  const count = boneCount + leaves.length;
  const bindMatrices = new Float64Array(16 * count);
  bindMatrices.set(skeleton.bindMatrices);
  leaves.forEach((j, n) => {
    const o = 16 * (boneCount + n);
    bindMatrices.set(skeleton.bindMatrices.subarray(16 * j, 16 * j + 12), o);
    bindMatrices.set([tips[3 * j], tips[3 * j + 1], tips[3 * j + 2], 1], o + 12);
  });
  return {
    ...model,
    skeleton: {
      names: [...skeleton.names, ...leaves.map((j) => `${skeleton.names[j]}_end`)],
      parents: Int32Array.from([...skeleton.parents, ...leaves]),
      bindMatrices,
    },
    motions: motions.map((motion) => {
      const frameCount = motion.times.length;
      const matrices = new Float64Array(16 * count * frameCount);
      for (let k = 0; k < frameCount; k++) {
        const from = motion.matrices.subarray(16 * k * boneCount, 16 * (k + 1) * boneCount);
        matrices.set(from, 16 * k * count);
        leaves.forEach((j, n) => {
          matrices.set(from.subarray(16 * j, 16 * j + 16), 16 * (k * count + boneCount + n));
        });
      }
      return { ...motion, matrices };
    }),
  };
}
