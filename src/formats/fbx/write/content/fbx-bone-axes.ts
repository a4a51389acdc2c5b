// SPDX-License-Identifier: MIT
// Axes for bones. Programs that draw bones take the y axis of a joint as the direction of its bone. The axes of a joint are free as long as its bind
// matrix and its motion agree on them, so each bone is turned, the short way, until its y axis points to its children; without children, to the
// surface that it moves.
import { isSheared } from '../../../../core/math/decompose-affine.ts';
import {
  compose,
  determinant3,
  invertAffine,
  multiply,
  transformDirection,
  transformPoint,
} from '../../../../core/math/mat4.ts';
import { normalizeQuaternion } from '../../../../core/math/quaternion.ts';
import { measureBounds } from '../../../../core/mesh/geometry/bounds.ts';
import type { SkinnedModel } from '../../../../core/model/asset.ts';

export interface BoneAxes {
  /** boneCount x 16: bind matrices with the new axes */
  bindMatrices: Float64Array;
  /** boneCount: length of the bone, file units */
  lengths: Float64Array;
}

/** Distances below this, relative to the size of the model, give no direction. */
const NO_DISTANCE = 1e-4;

/** Length of a bone without surface or children, relative to the size of the model. */
const PLAIN_LENGTH = 0.05;

/** Difference of lengths of axes that counts as rounding, relative. */
const EVEN = 1e-4;

/** Distance that a child may move from where its parent carries it, relative to the size of the model. */
const SLIDE = 1e-6;
/** Angle by which a bone misses a child that moves further, radians. */
const TILT = 2e-3;

/** Chooses the axes and lengths of a model's bones. Bones that stretch along their axes keep those. */
export function orientBones(model: SkinnedModel): BoneAxes {
  const { skeleton } = model;
  const boneCount = skeleton.names.length;
  const bindMatrices = skeleton.bindMatrices.slice();
  const lengths = new Float64Array(boneCount);
  const size = measureBounds(model.mesh.positions).diagonal || 1;
  const reaches = measureReaches(model);
  const children: number[][] = skeleton.names.map(() => []);
  skeleton.parents.forEach((parent, j) => {
    if (parent >= 0) children[parent].push(j);
  });
  const originOf = (j: number): number[] => [...skeleton.bindMatrices.subarray(16 * j + 12, 16 * j + 15)];
  for (let j = 0; j < boneCount; j++) {
    const origin = originOf(j);
    const below = children[j].map(originOf);
    const mean = [0, 1, 2].map((c) => below.reduce((sum, p) => sum + p[c] - origin[c], 0) / Math.max(1, below.length));
    const parent = skeleton.parents[j];
    const onward = parent < 0 ? [0, 0, 0] : originOf(parent).map((x, c) => origin[c] - x);
    const candidates = [mean, [...reaches.subarray(3 * j, 3 * j + 3)], onward];
    const direction = candidates.find((d) => Math.hypot(...d) > NO_DISTANCE * size);
    const distance = below.reduce((sum, p) => sum + Math.hypot(...p.map((x, c) => x - origin[c])) / below.length, 0);
    const reach = Math.hypot(...reaches.subarray(3 * j, 3 * j + 3));
    lengths[j] = distance > NO_DISTANCE * size ? distance : reach > NO_DISTANCE * size ? reach : PLAIN_LENGTH * size;
    if (direction && children[j].some((child) => isSliding(model, j, child, SLIDE * size))) tilt(direction);
    const turn = direction && turnToward(direction, bindMatrices, 16 * j);
    if (turn && isFree(model, j, turn)) multiply(bindMatrices, turn, bindMatrices, 16 * j, 0, 16 * j);
    removeScale(bindMatrices, 16 * j);
  }
  return { bindMatrices, lengths };
}

/** Whether a child moves away from where the parent carries it in some frame. */
function isSliding({ skeleton, motions }: SkinnedModel, j: number, child: number, tolerance: number): boolean {
  const boneCount = skeleton.names.length;
  const joint = skeleton.bindMatrices.subarray(16 * child + 12, 16 * child + 15);
  const [own, carried] = [new Float64Array(3), new Float64Array(3)];
  for (const { matrices, times } of motions) {
    for (let k = 0; k < times.length; k++) {
      transformPoint(matrices, joint, own, 16 * (k * boneCount + child));
      transformPoint(matrices, joint, carried, 16 * (k * boneCount + j));
      if (own.some((x, c) => Math.abs(x - carried[c]) > tolerance)) return true;
    }
  }
  return false;
}

/** Turns a direction a little. Blender locks a child to a bone that ends exactly at it, and ignores how it moves away from there. */
function tilt(direction: number[]): void {
  const least = direction.reduce((best, x, c) => (Math.abs(x) < Math.abs(direction[best]) ? c : best), 0);
  direction[least] += TILT * Math.hypot(...direction);
}

/** Whether a bone has no shear in any frame after a turn of its axes: where it stretches along them, they must stay. */
function isFree({ skeleton, motions }: SkinnedModel, j: number, turn: Float64Array): boolean {
  const boneCount = skeleton.names.length;
  const world = new Float64Array(16);
  multiply(skeleton.bindMatrices, turn, world, 16 * j);
  if (isSheared(world)) return false;
  for (const { matrices, times } of motions) {
    for (let k = 0; k < times.length; k++) {
      multiply(matrices, skeleton.bindMatrices, world, 16 * (k * boneCount + j), 16 * j);
      multiply(world, turn, world);
      if (isSheared(world)) return false;
    }
  }
  return true;
}

/** Fills a matrix with the shortest rotation, in the space of a bone, that takes its y axis to a direction in model space. */
function turnToward(direction: number[], bind: Float64Array, o: number): Float64Array | undefined {
  const inverse = new Float64Array(16);
  if (!invertAffine(bind, inverse, o)) return undefined;
  const local = new Float64Array(3);
  transformDirection(inverse, direction, local);
  const length = Math.hypot(...local);
  if (!(length > 0)) return undefined;
  const [x, y, z] = local.map((value) => value / length);
  // from (0, 1, 0) to (x, y, z): the axis is (z, 0, −x); half a turn is about x
  const q = y > -1 + 1e-9 ? [z, 0, -x, 1 + y] : [1, 0, 0, 0];
  normalizeQuaternion(q, q);
  const out = new Float64Array(16);
  compose([0, 0, 0], q, [1, 1, 1], out);
  return out;
}

/** Brings axes to unit length, right-handed: editors have no scale in the rest pose of a bone. */
function removeScale(m: Float64Array, o: number): void {
  const lengths = [0, 1, 2].map((c) => Math.hypot(m[o + 4 * c], m[o + 4 * c + 1], m[o + 4 * c + 2]));
  if (!lengths.every((length) => length > 0)) return;
  // rounding must not become an uneven scale, which would shear the bones below
  const [shortest, longest] = [Math.min(...lengths), Math.max(...lengths)];
  if (longest - shortest < EVEN * longest) lengths.fill((shortest + longest) / 2);
  const hand = determinant3(m, o) < 0 ? -1 : 1;
  for (let c = 0; c < 3; c++) for (let r = 0; r < 3; r++) m[o + 4 * c + r] /= (c === 0 ? hand : 1) * lengths[c];
}

/** By bone: from its joint to the middle of what it moves and as far again; where the joint is in the middle, along the longest extent. */
function measureReaches({ mesh, skin, skeleton }: SkinnedModel): Float64Array {
  const boneCount = skeleton.names.length;
  const { rowStart, boneIndices, weights } = skin;
  const sums = new Float64Array(boneCount);
  const means = new Float64Array(3 * boneCount);
  // second moments: xx yy zz xy xz yz
  const moments = new Float64Array(6 * boneCount);
  for (let i = 0; i + 1 < rowStart.length; i++) {
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      const [j, w] = [boneIndices[e], weights[e]];
      const [x, y, z] = [0, 1, 2].map((c) => mesh.positions[3 * i + c] - skeleton.bindMatrices[16 * j + 12 + c]);
      sums[j] += w;
      [x, y, z].forEach((value, c) => {
        means[3 * j + c] += w * value;
      });
      [x * x, y * y, z * z, x * y, x * z, y * z].forEach((value, c) => {
        moments[6 * j + c] += w * value;
      });
    }
  }
  const out = new Float64Array(3 * boneCount);
  for (let j = 0; j < boneCount; j++) {
    if (!(sums[j] > 0)) continue;
    const mean = [0, 1, 2].map((c) => means[3 * j + c] / sums[j]);
    const m = [...moments.subarray(6 * j, 6 * j + 6)].map((value) => value / sums[j]);
    const spread = Math.sqrt(m[0] + m[1] + m[2]);
    if (Math.hypot(...mean) > spread / 3)
      out.set(
        mean.map((x) => 2 * x),
        3 * j,
      );
    else
      out.set(
        longestAxis(m).map((x) => x * spread),
        3 * j,
      );
  }
  return out;
}

/** The direction of largest spread: powers of the matrix of second moments, from its longest column. */
function longestAxis([xx, yy, zz, xy, xz, yz]: number[]): number[] {
  let m = Float64Array.of(xx, xy, xz, 0, xy, yy, yz, 0, xz, yz, zz, 0, 0, 0, 0, 1);
  for (let n = 0; n < 6; n++) {
    const largest = Math.max(...m.subarray(0, 11).map(Math.abs));
    if (!(largest > 0)) return [0, 0, 0];
    for (let c = 0; c < 11; c++) m[c] /= largest;
    const square = new Float64Array(16);
    multiply(m, m, square);
    m = square;
  }
  const columns = [0, 1, 2].map((c) => [...m.subarray(4 * c, 4 * c + 3)]);
  const [column] = columns.sort((a, b) => Math.hypot(...b) - Math.hypot(...a));
  const length = Math.hypot(...column);
  // of the two ends, the one that is up or to the front
  const sign = column.reduce((sum, x) => sum + x, 0) < 0 ? -1 : 1;
  return length > 0 ? column.map((x) => (sign * x) / length) : [0, 0, 0];
}
