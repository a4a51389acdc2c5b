// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { compose } from '../../../core/math/mat4.ts';
import type { NormalRule, SkinCorrection } from '../../../core/model/deformed/skin-correction.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { makeLinearBlend } from '../../linear-blend/make-linear-blend.ts';
import { makeCorrected } from '../corrected.ts';
import { sampleCorrectionInto } from '../sample-correction.ts';

//  3---2
//  | / |    the unit square, its right side on the second bone
//  0---1
const mesh = makeMesh(Float32Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0), Uint32Array.of(0, 1, 2, 0, 2, 3));
mesh.normals = Float32Array.of(0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1);
const skin = makeSkin([0, 1, 0, 1, 0, 1, 0, 1], [1, 0, 0.3, 0.7, 0, 1, 0.5, 0.5], 2);

/** The first bone at rest, the second turned by half a turn about y, moved and stretched. */
const bones = new Float64Array(32);
compose([0, 0, 0], [0, 0, 0, 1], [1, 1, 1], bones);
compose([0.5, 0.2, 0.1], [0, 1, 0, 0], [2, 1, 0.5], bones, 0, 0, 0, 16);

function makeCorrection(rule: NormalRule, normalRank: number): SkinCorrection {
  const wave = (rank: number) => Float32Array.from({ length: 12 * rank }, (_, c) => Math.sin(2 * c + rank) / 4);
  return {
    ...{ rank: 2, basis: wave(2), normalRank, tracks: [] },
    normals: { rule, basis: wave(normalRank || 2) },
  };
}

/** Σ w M of a vertex: rows of four. */
const blendOf = (i: number): number[][] =>
  [0, 1, 2].map((r) =>
    [0, 1, 2, 3].map((c) => {
      let sum = 0;
      for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++)
        sum += skin.weights[e] * bones[16 * skin.boneIndices[e] + 4 * c + r];
      return sum;
    }),
  );
const dot = (a: number[], b: number[]): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: number[], b: number[]): number[] => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const unit = (v: number[]): number[] => v.map((x) => x / Math.hypot(...v));

describe('makeCorrected', () => {
  it.each<[NormalRule, number]>([
    ['inverse-transpose', 0],
    ['inverse-transpose', 3],
    ['blend', 0],
    ['blend', 3],
  ])('adds components at rest, then blends; normals by %s with %d coefficients of their own', (rule, normalRank) => {
    const correction = makeCorrection(rule, normalRank);
    const values = Float32Array.of(0.7, -0.4, 0.2, 0.9, -0.6).subarray(0, 2 + normalRank);
    const [positions, normals] = [new Float32Array(12), new Float32Array(12)];
    makeCorrected(mesh, skin, 2, correction).deformInto({ bones, corrections: values }, positions, normals);
    for (let i = 0; i < 4; i++) {
      const shaped = [0, 1, 2].map(
        (a) =>
          mesh.positions[3 * i + a] +
          [0, 1].reduce((sum, r) => sum + values[r] * correction.basis[12 * r + 3 * i + a], 0),
      );
      const rows = blendOf(i);
      rows.forEach((row, a) => {
        expect(positions[3 * i + a]).toBeCloseTo(dot(row, shaped) + row[3], 5);
      });
      const count = normalRank || 2;
      const first = normalRank > 0 ? 2 : 0;
      const n = unit(
        [0, 1, 2].map((a) => {
          let sum = mesh.normals![3 * i + a];
          for (let r = 0; r < count; r++) sum += values[first + r] * correction.normals!.basis[12 * r + 3 * i + a];
          return sum;
        }),
      );
      const [x, y, z] = rows;
      const sign = Math.sign(dot(x, cross(y, z)));
      const turned =
        rule === 'blend'
          ? [dot(x, n), dot(y, n), dot(z, n)]
          : [cross(y, z), cross(z, x), cross(x, y)].map((row) => sign * dot(row, n));
      unit(turned).forEach((value, a) => {
        expect(normals[3 * i + a]).toBeCloseTo(value, 5);
      });
    }
  });

  it('gives the plain skin without coefficients and for zeros', () => {
    const correction = makeCorrection('inverse-transpose', 0);
    const [plain, bare, zero] = [0, 1, 2].map(() => ({ p: new Float32Array(12), n: new Float32Array(12) }));
    makeLinearBlend(mesh, skin, 2).deformInto({ bones }, plain.p, plain.n);
    const corrected = makeCorrected(mesh, skin, 2, correction);
    corrected.deformInto({ bones, corrections: Float32Array.of(1, 1) }, bare.p, bare.n);
    corrected.deformInto({ bones }, bare.p, bare.n);
    corrected.deformInto({ bones, corrections: new Float32Array(2) }, zero.p, zero.n);
    expect(bare).toEqual(plain);
    expect(zero).toEqual(plain);
  });

  it('rejects a wrong number of coefficients, and a basis of another mesh', () => {
    const correction = makeCorrection('blend', 0);
    const corrected = makeCorrected(mesh, skin, 2, correction);
    const out = new Float32Array(12);
    expect(() => corrected.deformInto({ bones, corrections: new Float32Array(3) }, out)).toThrow(
      /3 coefficients, expected 2/,
    );
    const short = { ...correction, basis: correction.basis.subarray(3) };
    expect(() => makeCorrected(mesh, skin, 2, short)).toThrow(/the basis has 21 numbers/);
  });
});

describe('sampleCorrectionInto', () => {
  const track = {
    name: '',
    times: Float64Array.of(1, 2, 4),
    values: Float32Array.of(0, 1, 2, 3, -2, 5),
    normalValues: Float32Array.of(7, 8, 9),
  };
  it.each([
    [0, [0, 1, 7]],
    [1, [0, 1, 7]],
    [1.5, [1, 2, 7.5]],
    [2, [2, 3, 8]],
    [3, [0, 4, 8.5]],
    [9, [-2, 5, 9]],
  ])('is linear between frames and holds beyond them, at %d s', (time, expected) => {
    const out = new Float32Array(5);
    sampleCorrectionInto(track, time, out, 1);
    expect([...out]).toEqual([0, ...expected, 0]);
  });
});
