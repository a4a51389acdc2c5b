// SPDX-License-Identifier: MIT
// Axes for bones. Programs that draw bones take the y axis of a joint as the direction of its bone. The axes of a joint are free as long as its bind
// matrix and its motion agree on them, so each bone is turned, the short way, until its y axis points to its children; without children, to the
// surface that it moves.
import { multiply } from '../math/mat4.ts';
import { measureBounds } from '../mesh/bounds.ts';
import type { SkinnedModel } from '../model/asset.ts';

export interface BoneAxes {
  /** boneCount x 16: bind matrices with the new axes */
  bindMatrices: Float64Array;
  /** boneCount: length of the bone, file units */
  lengths: Float64Array;
}

/** Cosine between axes, and difference of their lengths, up to which a matrix counts as a rotation with one scale. */
const SIMILAR = 1e-5;

/** Distances below this, relative to the size of the model, give no direction. */
const NO_DISTANCE = 1e-4;

/** Length of a bone without surface or children, relative to the size of the model. */
const PLAIN_LENGTH = 0.05;

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
    if (direction && isFree(model, j)) turnTo(direction, skeleton.bindMatrices, bindMatrices, 16 * j);
  }
  return { bindMatrices, lengths };
}

/** Whether every frame turns and scales a bone evenly, so that other axes bring no shear. */
function isFree({ skeleton, motions }: SkinnedModel, j: number): boolean {
  const boneCount = skeleton.names.length;
  if (!isSimilar(skeleton.bindMatrices, 16 * j)) return false;
  for (const { matrices, times } of motions)
    for (let k = 0; k < times.length; k++) if (!isSimilar(matrices, 16 * (k * boneCount + j))) return false;
  return true;
}

function isSimilar(m: Float64Array, o: number): boolean {
  const dot = (p: number, q: number): number => {
    let sum = 0;
    for (let r = 0; r < 3; r++) sum += m[o + 4 * p + r] * m[o + 4 * q + r];
    return sum;
  };
  const [xx, yy, zz] = [dot(0, 0), dot(1, 1), dot(2, 2)];
  const tolerance = SIMILAR * Math.max(xx, yy, zz);
  return [xx - yy, yy - zz, dot(0, 1), dot(1, 2), dot(0, 2)].every((x) => Math.abs(x) <= tolerance);
}

/** Turns a bind matrix, the short way, so that its y axis points along a direction. */
function turnTo(direction: number[], from: Float64Array, to: Float64Array, o: number): void {
  const lengthOf = (v: number[]): number => Math.hypot(...v);
  const unit = (v: number[]): number[] => v.map((x) => x / lengthOf(v));
  const y = unit([...from.subarray(o + 4, o + 7)]);
  const d = unit(direction);
  const axis = [y[1] * d[2] - y[2] * d[1], y[2] * d[0] - y[0] * d[2], y[0] * d[1] - y[1] * d[0]];
  const cos = y[0] * d[0] + y[1] * d[1] + y[2] * d[2];
  for (let c = 0; c < 3; c++) {
    const v = [...from.subarray(o + 4 * c, o + 4 * c + 3)];
    let turned: number[];
    if (cos < -1 + 1e-9) {
      // half a turn, about the x axis of the bone
      turned = c === 0 ? v : v.map((x) => -x);
    } else {
      const cross = [axis[1] * v[2] - axis[2] * v[1], axis[2] * v[0] - axis[0] * v[2], axis[0] * v[1] - axis[1] * v[0]];
      const along = (axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2]) / (1 + cos);
      turned = v.map((x, r) => cos * x + cross[r] + along * axis[r]);
    }
    for (let r = 0; r < 3; r++) to[o + 4 * c + r] = turned[r];
  }
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
