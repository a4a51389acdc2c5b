// SPDX-License-Identifier: MIT
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeDdm } from '../deform/ddm.ts';
import { makeIdentities } from '../math/mat4.ts';
import { makeMesh } from '../model/mesh.ts';
import { makeSkin } from '../model/skin.ts';
import { precomputeDdm } from './precompute-ddm.ts';

const DATA = process.env.OSSIFY_DATA ?? join(import.meta.dirname, '../../../shared');
const VECTOR = join(DATA, 'vectors/ddm-v0-bar.json');

interface Vector {
  nV: number;
  nBones: number;
  nPoses: number;
  params: { p: number; lambda: number; kappa: number; alpha: number };
  rest: number[];
  faces: number[];
  weights: number[];
  transforms: number[];
  omega: number[];
  deformed: number[];
}

describe('the conformance case of variant 0', () => {
  it.skipIf(!existsSync(VECTOR))('has the same multi-weights and shapes to 1e-9 (needs the data folder)', async () => {
    const v: Vector = JSON.parse(readFileSync(VECTOR, 'utf8'));
    // the case is in double, which meshes are not; nothing here asks for their array's type
    const rest = Float64Array.from(v.rest) as unknown as Float32Array;
    const mesh = makeMesh(rest, Uint32Array.from(v.faces));
    const skeleton = {
      names: ['a', 'b'],
      parents: Int32Array.of(-1, 0),
      bindMatrices: makeIdentities(2),
    };
    const bones = v.weights.map((_, c) => c % v.nBones);
    const skin = makeSkin(bones, v.weights, v.nBones);
    const { p: iterations, ...strengths } = v.params;
    const model = await precomputeDdm(mesh, skeleton, skin, { iterations, ...strengths, map: 'none', threshold: 0 });
    const { rowStart, boneIndices, omegas } = model.multiWeights;
    let worst = 0;
    for (let i = 0; i < v.nV; i++) {
      for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
        const o = 10 * (i * v.nBones + boneIndices[e]);
        for (let c = 0; c < 10; c++) worst = Math.max(worst, Math.abs(omegas[10 * e + c] - v.omega[o + c]));
      }
      expect(rowStart[i + 1] - rowStart[i]).toBe(v.nBones);
    }
    expect(worst).toBeLessThan(1e-9);

    const deformer = makeDdm(model);
    const positions = new Float64Array(3 * v.nV);
    for (let k = 0; k < v.nPoses; k++) {
      deformer.deformInto({ bones: transposed(v.transforms, k * v.nBones, v.nBones) }, positions);
      const expected = v.deformed.slice(k * 3 * v.nV, (k + 1) * 3 * v.nV);
      expect(farthest(positions, expected)).toBeLessThan(1e-9);
    }
  });
});

/** Row-major matrices to column-major ones. */
function transposed(rows: number[], first: number, count: number): Float64Array {
  return Float64Array.from({ length: 16 * count }, (_, n) => {
    const c = n % 16;
    return rows[16 * (first + Math.floor(n / 16)) + 4 * (c % 4) + Math.floor(c / 4)];
  });
}

function farthest(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let worst = 0;
  for (let c = 0; c < a.length; c++) worst = Math.max(worst, Math.abs(a[c] - b[c]));
  return worst;
}
