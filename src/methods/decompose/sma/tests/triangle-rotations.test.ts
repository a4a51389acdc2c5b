// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../../core/math/random.ts';
import { nearestRotationInto } from '../../../../core/math/rotation.ts';
import { type Clip, makeTimes } from '../../../../core/model/clip/clip.ts';
import { makeMesh } from '../../../../core/model/mesh/mesh.ts';
import { triangleRotations } from '../triangle-rotations.ts';

const random = makeRandom(5);

function makeClip(rest: number[], triangles: number[], ...frames: number[][]): Clip {
  const mesh = makeMesh(Float32Array.from(rest), Uint32Array.from(triangles));
  return {
    kind: 'clip',
    name: 'c',
    mesh,
    positions: Float32Array.from(frames.flat()),
    times: makeTimes(frames.length, 24),
  };
}

/** The polar factor of F = O Õ⁻¹ as the paper writes it, row-major. */
function polarOf(rest: number[], posed: number[]): number[] {
  const columns = (p: number[]) => {
    const u = [0, 1, 2].map((r) => p[3 + r] - p[r]);
    const v = [0, 1, 2].map((r) => p[6 + r] - p[r]);
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const length = Math.hypot(...n);
    return [u, v, n.map((x) => x / length)];
  };
  const [a, b, c] = columns(rest);
  const cross = (p: number[], q: number[]) => [
    p[1] * q[2] - p[2] * q[1],
    p[2] * q[0] - p[0] * q[2],
    p[0] * q[1] - p[1] * q[0],
  ];
  const rows = [cross(b, c), cross(c, a), cross(a, b)];
  const det = a[0] * rows[0][0] + a[1] * rows[0][1] + a[2] * rows[0][2];
  const o = columns(posed);
  const f = new Float64Array(9);
  for (let r = 0; r < 3; r++)
    for (let q = 0; q < 3; q++)
      f[3 * q + r] = (o[0][r] * rows[0][q] + o[1][r] * rows[1][q] + o[2][r] * rows[2][q]) / det;
  nearestRotationInto(f, f);
  return [0, 3, 6, 1, 4, 7, 2, 5, 8].map((e) => f[e]);
}

const expectRotation = (m: ArrayLike<number>) => {
  const [a, b, c, d, e, f, g, h, i] = Array.from(m);
  expect(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)).toBeCloseTo(1, 5);
  expect(a * a + b * b + c * c).toBeCloseTo(1, 5);
  expect(a * d + b * e + c * f).toBeCloseTo(0, 5);
};

describe('triangleRotations', () => {
  it('gives the polar factor of the deformation gradient, for any two triangles', () => {
    for (let n = 0; n < 200; n++) {
      const [rest, posed] = [0, 1].map(() => Array.from({ length: 9 }, () => random.normal()));
      const { rotations } = triangleRotations(makeClip(rest, [0, 1, 2], posed));
      const expected = polarOf(rest, posed);
      for (let e = 0; e < 9; e++) expect(rotations[e]).toBeCloseTo(expected[e], 3);
      expectRotation(rotations);
    }
  });

  it('rotates a triangle that folds over by 180 degrees, without reflection', () => {
    const rest = [0, 0, 0, 1, 0, 0, 0, 1, 0];
    const { rotations } = triangleRotations(makeClip(rest, [0, 1, 2], [0, 0, 0, 1, 0, 0, 0, -1, 0]));
    expectRotation(rotations);
    expect([rotations[0], rotations[8]].map((x) => x + 0)).toEqual([expect.closeTo(1, 5), expect.closeTo(-1, 5)]);
  });

  it('gives a triangle without area in a frame the rotation of its neighbours', () => {
    // two triangles of a quad turn a quarter about z; the second has no area in that frame
    const rest = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0];
    const turned = [0, 0, 0, 0, 1, 0, -1, 1, 0, -0.5, 0.5, 0];
    const { rotations, degenerateCount } = triangleRotations(makeClip(rest, [0, 1, 2, 0, 2, 3], turned, rest));
    expect(degenerateCount).toBe(1);
    const quarter = [0, -1, 0, 1, 0, 0, 0, 0, 1];
    for (let e = 0; e < 9; e++) expect(rotations[18 + e]).toBeCloseTo(quarter[e], 5);
    expect(rotations[18 + 9]).toBeCloseTo(1, 5);
  });

  it('keeps the previous rotation if no neighbour has an area, and the identity at first', () => {
    const rest = [0, 0, 0, 1, 0, 0, 0, 1, 0];
    const quarter = [0, 0, 0, 0, 1, 0, -1, 0, 0];
    const point = new Array(9).fill(3);
    const { rotations } = triangleRotations(makeClip(rest, [0, 1, 2], point, quarter, point));
    expect([...rotations.subarray(0, 9)]).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1]);
    expect([...rotations.subarray(18, 27)]).toEqual([...rotations.subarray(9, 18)]);
    expect(rotations[18 + 3]).toBeCloseTo(1, 5);
  });

  it('skips triangles without area at rest', () => {
    const rest = [0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 0, 0];
    const { triangles, areas } = triangleRotations(makeClip(rest, [0, 1, 3, 0, 1, 2], rest));
    expect([...triangles]).toEqual([1]);
    expect([...areas]).toEqual([0.5]);
  });
});
