// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../../core/math/random.ts';
import { nearestRotationInto } from '../../../../core/math/rotation.ts';
import { type CorePoints, type CoreTriangles, coreBonesInto } from '../core-bones.ts';

const random = makeRandom(2);
const numbers = (count: number) => Float64Array.from({ length: count }, () => random.normal());

/** Triangles of random points under one map per frame, all of one bone. */
function makePatch(frameCount: number, mapOf: (k: number) => number[], isFlat = false) {
  const count = 20;
  const rest = numbers(9 * count);
  if (isFlat) for (let i = 2; i < rest.length; i += 3) rest[i] = 0;
  const posed = new Float64Array(3 * count * 3 * frameCount);
  const rotations = new Float32Array(count * 9 * frameCount);
  for (let k = 0; k < frameCount; k++) {
    const map = mapOf(k);
    const r = new Float64Array([0, 4, 8, 1, 5, 9, 2, 6, 10].map((e) => map[e]));
    nearestRotationInto(r, r);
    for (let i = 0; i < 3 * count; i++) {
      for (let row = 0; row < 3; row++) {
        posed[i * 3 * frameCount + 3 * k + row] =
          map[4 * row] * rest[3 * i] +
          map[4 * row + 1] * rest[3 * i + 1] +
          map[4 * row + 2] * rest[3 * i + 2] +
          map[4 * row + 3];
      }
    }
    for (let f = 0; f < count; f++)
      for (let e = 0; e < 9; e++) rotations[f * 9 * frameCount + 9 * k + e] = r[3 * (e % 3) + Math.floor(e / 3)];
  }
  const triangles: CoreTriangles = {
    count,
    corners: Uint32Array.from({ length: 3 * count }, (_, c) => c),
    areas: Float64Array.from({ length: count }, () => 0.1 + random.next()),
    rotations,
    labels: new Int32Array(count),
  };
  const points: CorePoints = { frameCount, rest, posed };
  return { triangles, points };
}

const makeAffine = () => Array.from(numbers(12), (x, e) => 0.4 * x + (e % 5 === 0 ? 1 : 0));
function makeRigid(): number[] {
  const r = numbers(9);
  nearestRotationInto(r, r);
  return [r[0], r[3], r[6], random.normal(), r[1], r[4], r[7], random.normal(), r[2], r[5], r[8], random.normal()];
}

describe('coreBonesInto', () => {
  it('recovers rigid motion, by rigid and by flexible bones, also on flat patches', () => {
    const maps = [makeRigid(), makeRigid(), makeRigid()];
    for (const isFlat of [false, true]) {
      const { triangles, points } = makePatch(3, (k) => maps[k], isFlat);
      for (const kind of ['rigid', 'affine'] as const) {
        const bones = new Float64Array(36);
        expect(coreBonesInto(triangles, points, kind, bones, 1)).toBe(0);
        for (const [n, value] of maps.flat().entries()) expect(bones[n]).toBeCloseTo(value, 5);
      }
    }
  });

  it('fits flexible bones by least squares: recovers affine motion up to the regularization', () => {
    const maps = [makeAffine(), makeAffine()];
    const { triangles, points } = makePatch(2, (k) => maps[k]);
    const bones = new Float64Array(24);
    coreBonesInto(triangles, points, 'affine', bones, 1);
    for (const [n, value] of maps.flat().entries()) expect(bones[n]).toBeCloseTo(value, 2);
    // no small change of F or t is better
    const errorOf = () => {
      let sum = 0;
      for (let f = 0; f < triangles.count; f++) {
        for (let row = 0; row < 6; row++) {
          let e = bones[4 * row + 3];
          for (let c = 0; c < 3; c++) {
            for (let r = 0; r < 3; r++) e += (bones[4 * row + r] * points.rest[9 * f + 3 * c + r]) / 3;
            e -= points.posed[(3 * f + c) * 6 + row] / 3;
          }
          sum += triangles.areas[f] * e * e;
        }
      }
      return sum;
    };
    const minimum = errorOf();
    for (let n = 0; n < bones.length; n++) {
      for (const change of [-0.02, 0.02]) {
        bones[n] += change;
        expect(errorOf()).toBeGreaterThan(minimum);
        bones[n] -= change;
      }
    }
  });

  it('uses the rotation of the centroids for inconsistent triangle rotations', () => {
    const map = makeRigid();
    const { triangles, points } = makePatch(1, () => map);
    // half turns about the three axes, as often each: their mean has a negative determinant
    const turns = [
      [1, -1, -1],
      [-1, 1, -1],
      [-1, -1, 1],
    ];
    triangles.areas.fill(1);
    triangles.rotations.fill(0);
    triangles.count = 18;
    triangles.rotations = triangles.rotations.slice(0, 18 * 9);
    for (let f = 0; f < 18; f++) for (let r = 0; r < 3; r++) triangles.rotations[9 * f + 4 * r] = turns[f % 3][r];
    const bones = new Float64Array(12);
    expect(coreBonesInto(triangles, points, 'rigid', bones, 1)).toBe(1);
    for (const [n, value] of map.entries()) expect(bones[n]).toBeCloseTo(value, 6);
  });
});
