// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import { makeRandom } from '../../../../core/math/random.ts';
import { makeMesh } from '../../../../core/model/mesh/mesh.ts';
import { makeSkin, type Skin } from '../../../../core/model/skin/skin.ts';
import { measureQuadratics, optimalWeights } from '../../per-vertex/optimal-weights.ts';
import { makeRows, makeWeightProblem, skinOfRows, type WeightProblem } from '../../weight-problem.ts';
import { makeDistanceQuadratics } from '../make-distance-quadratics.ts';
import { makePoseQuadratics } from '../make-pose-quadratics.ts';
import { reducePoseRows } from '../reduce-pose-rows.ts';

/** A sheet of 5 x 5 vertices in space, each on all of four bones. */
function makeSheet(seed = 1) {
  const random = makeRandom(seed);
  const [side, boneCount, frames] = [5, 4, 6];
  const positions = new Float32Array(3 * side * side);
  for (let i = 0; i < side * side; i++) positions.set([i % side, Math.floor(i / side), 0.3 * random.normal()], 3 * i);
  const triangles: number[] = [];
  for (let y = 0; y + 1 < side; y++)
    for (let x = 0; x + 1 < side; x++) {
      const a = y * side + x;
      triangles.push(a, a + 1, a + side, a + 1, a + side + 1, a + side);
    }
  const ids = Array.from({ length: side * side * boneCount }, (_, e) => e % boneCount);
  const skin = makeSkin(
    ids,
    ids.map(() => random.next() + 0.05),
    boneCount,
  );
  const matrices = new Float64Array(frames * boneCount * 16);
  for (let o = 0; o < matrices.length; o += 16) {
    for (let c = 0; c < 4; c++)
      for (let r = 0; r < 3; r++)
        matrices[o + 4 * c + r] = (c === r ? 1 : 0) + 0.4 * random.normal() + (c === 3 ? 5 : 0);
    matrices[o + 15] = 1;
  }
  return { mesh: makeMesh(positions, Uint32Array.from(triangles)), skin, boneCount, frames, matrices };
}

type Sheet = ReturnType<typeof makeSheet>;

/** Positions of a frame by a skin, in double. */
function blend({ mesh, matrices, boneCount }: Sheet, skin: Skin, k: number, v: number): number[] {
  const out = [0, 0, 0];
  for (let e = skin.rowStart[v]; e < skin.rowStart[v + 1]; e++) {
    const o = 16 * (k * boneCount + skin.boneIndices[e]);
    for (let r = 0; r < 3; r++) {
      let image = matrices[o + 12 + r];
      for (let c = 0; c < 3; c++) image += matrices[o + 4 * c + r] * mesh.positions[3 * v + c];
      out[r] += skin.weights[e] * image;
    }
  }
  return out;
}

function bruteError(sheet: Sheet, problem: WeightProblem, skin: Skin, targetOf: (k: number, v: number) => number[]) {
  return Array.from(problem.weld.vertexOfPoint, (v) => {
    let sum = 0;
    for (let k = 0; k < sheet.frames; k++) {
      const target = targetOf(k, v);
      blend(sheet, skin, k, v).forEach((x, r) => {
        sum += ((x - target[r]) / problem.size) ** 2;
      });
    }
    return sum;
  });
}

describe('quadratics of weights', () => {
  it('equal the squared error of any weights relative to the input skin', async () => {
    const sheet = makeSheet();
    const compute = await makeCompute({ kind: 'typescript' });
    const problem = makeWeightProblem(sheet.mesh, sheet.skin, sheet.boneCount);
    const quadratics = await makePoseQuadratics(compute, problem, sheet.matrices, sheet.boneCount);
    const random = makeRandom(7);
    const ids = Array.from({ length: problem.pointCount * 2 }, () => random.below(4));
    for (let e = 0; e < ids.length; e += 2) if (ids[e] === ids[e + 1]) ids[e] = (ids[e] + 1) % 4;
    const rows = makeRows(
      ids,
      ids.map(() => random.next() + 0.01),
      2,
    );
    const errors = measureQuadratics(quadratics, rows);
    const brute = bruteError(sheet, problem, skinOfRows(problem, rows), (k, v) => blend(sheet, sheet.skin, k, v));
    brute.forEach((error, i) => {
      expect(errors[i]).toBeCloseTo(error, 5);
    });
    expect(measureQuadratics(quadratics, problem.rows).every((error) => error < 1e-9)).toBe(true);
    compute.dispose();
  });

  it('equal the squared error relative to target shapes', async () => {
    const sheet = makeSheet(2);
    const compute = await makeCompute({ kind: 'typescript' });
    const problem = makeWeightProblem(sheet.mesh, sheet.skin, sheet.boneCount);
    const random = makeRandom(3);
    const n = sheet.mesh.positions.length;
    const targets = Float32Array.from({ length: n * sheet.frames }, () => 3 + random.normal());
    const quadratics = await makePoseQuadratics(compute, problem, sheet.matrices, sheet.boneCount, { targets });
    const brute = bruteError(sheet, problem, sheet.skin, (k, v) => [
      ...targets.subarray(k * n + 3 * v, k * n + 3 * v + 3),
    ]);
    const errors = measureQuadratics(quadratics, problem.rows);
    brute.forEach((error, i) => {
      expect(errors[i]).toBeCloseTo(error, 4);
    });
    const best = optimalWeights(quadratics, problem.rows);
    const moved = measureQuadratics(quadratics, best.rows);
    best.errors.forEach((error, i) => {
      expect(error).toBeLessThanOrEqual(errors[i] + 1e-9);
      expect(moved[i]).toBeCloseTo(error, 6);
    });
    compute.dispose();
  });

  it('include the error of the blended matrix along the surface', async () => {
    const sheet = makeSheet(4);
    const compute = await makeCompute({ kind: 'typescript' });
    const problem = makeWeightProblem(sheet.mesh, sheet.skin, sheet.boneCount);
    const one = makeRows(
      Uint32Array.from({ length: problem.pointCount }, () => 2),
      new Float64Array(problem.pointCount).fill(1),
      1,
    );
    const h = 0.25;
    const bare = measureQuadratics(await makePoseQuadratics(compute, problem, sheet.matrices, 4), one);
    const both = measureQuadratics(await makePoseQuadratics(compute, problem, sheet.matrices, 4, { normals: h }), one);
    for (let i = 0; i < problem.pointCount; i++) {
      const v = problem.weld.vertexOfPoint[i];
      let extra = 0;
      for (let k = 0; k < sheet.frames; k++) {
        const off = new Float64Array(9);
        for (let c = 0; c < 3; c++)
          for (let r = 0; r < 3; r++) {
            off[3 * c + r] = sheet.matrices[16 * (4 * k + 2) + 4 * c + r];
            for (let e = sheet.skin.rowStart[v]; e < sheet.skin.rowStart[v + 1]; e++)
              off[3 * c + r] -=
                sheet.skin.weights[e] * sheet.matrices[16 * (4 * k + sheet.skin.boneIndices[e]) + 4 * c + r];
          }
        const normal = problem.normals.subarray(3 * i, 3 * i + 3);
        for (let r = 0; r < 3; r++) {
          const along = off[r] * normal[0] + off[3 + r] * normal[1] + off[6 + r] * normal[2];
          extra += h * h * (off[r] ** 2 + off[3 + r] ** 2 + off[6 + r] ** 2 - along ** 2);
        }
      }
      expect(both[i] - bare[i]).toBeCloseTo(extra, 4);
    }
    compute.dispose();
  });

  it('agree by rows, applied to atoms, and summed', async () => {
    const sheet = makeSheet(5);
    const compute = await makeCompute({ kind: 'typescript' });
    const problem = makeWeightProblem(sheet.mesh, sheet.skin, sheet.boneCount);
    for (const quadratics of [
      await makePoseQuadratics(compute, problem, sheet.matrices, 4, { normals: 0.1 }),
      makeDistanceQuadratics(problem, 'distance'),
      makeDistanceQuadratics(problem, 'plain'),
    ]) {
      const all = Int32Array.of(0, 1, 2, 3);
      const h = new Float64Array(16);
      const sum = new Float64Array(quadratics.sumSize);
      quadratics.addInto(3, 2, sum);
      quadratics.quadraticInto(sum, all, 4, h);
      const atom = Float64Array.of(0.5, 0.25, 0.25, 0);
      const table = new Float64Array(quadratics.tableSize);
      quadratics.tableInto(atom, 0, table, 0);
      const image = new Float64Array(4);
      quadratics.applyInto(3, { atoms: atom, o: 0, tables: table, t: 0 }, { list: all, count: 4 }, image);
      const diagonal = new Float64Array(4);
      quadratics.diagonalInto(3, diagonal);
      const row = new Float64Array(4);
      for (let j = 0; j < 4; j++) {
        quadratics.rowInto(3, j, row);
        let product = 0;
        for (let k = 0; k < 4; k++) {
          expect(h[4 * j + k]).toBeCloseTo(2 * row[k], 8);
          product += row[k] * atom[k];
        }
        expect(image[j]).toBeCloseTo(product, 8);
        expect(diagonal[j]).toBeCloseTo(row[j], 8);
      }
    }
    compute.dispose();
  });

  it('without poses are squared changes of weights', () => {
    const sheet = makeSheet(6);
    const problem = makeWeightProblem(sheet.mesh, sheet.skin, sheet.boneCount);
    const quadratics = makeDistanceQuadratics(problem, 'plain');
    const one = makeRows(new Uint32Array(problem.pointCount), new Float64Array(problem.pointCount).fill(1), 1);
    const errors = measureQuadratics(quadratics, one);
    for (let i = 0; i < problem.pointCount; i++) {
      let sum = 0;
      for (let e = problem.rows.rowStart[i]; e < problem.rows.rowStart[i + 1]; e++)
        sum += (problem.rows.values[e] - (problem.rows.columns[e] === 0 ? 1 : 0)) ** 2;
      expect(errors[i]).toBeCloseTo(sum, 8);
    }
  });
});

describe('the problem of a skin', () => {
  it('rejects invalid weights', () => {
    const { mesh, skin } = makeSheet();
    const broken = (change: (weights: Float32Array) => void): Skin => {
      const weights = skin.weights.slice();
      change(weights);
      return { ...skin, weights };
    };
    expect(() =>
      makeWeightProblem(
        mesh,
        broken((w) => w.fill(0, 4, 8)),
        4,
      ),
    ).toThrow('vertex 1 has no weight on any bone');
    expect(() =>
      makeWeightProblem(
        mesh,
        broken((w) => w.fill(0.5, 4, 8)),
        4,
      ),
    ).toThrow('the weights of vertex 1 sum to 2');
    expect(() =>
      makeWeightProblem(
        mesh,
        broken((w) => w.fill(-1, 4, 5)),
        4,
      ),
    ).toThrow('vertex 1 has the weight -1');
    expect(() => makeWeightProblem(mesh, skin, 3)).toThrow('is bound to bone 3, but there are only 3 bones');
  });

  it('welds only vertices with the same position and bones', () => {
    const positions = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0);
    const skin = makeSkin([0, 1, 0, 1, 0, 1, 0, 1, 0, 1], [0.5, 0.5, 1, 0, 1, 0, 0.503, 0.497, 0.9, 0.1], 2);
    const problem = makeWeightProblem(makeMesh(positions, Uint32Array.of(0, 1, 2)), skin, 2);
    expect([...problem.weld.pointOfVertex]).toEqual([0, 1, 2, 0, 3]);
    expect(skinOfRows(problem, problem.rows).rowStart.length).toBe(6);
  });
});

describe('poses of fewer rows', () => {
  it('keep the length of every product with the bones', () => {
    const random = makeRandom(8);
    const bones = Float64Array.from({ length: 40 * 8 }, () => random.normal());
    const { bones: fewer, targetInto } = reducePoseRows(bones, 2);
    expect(fewer.length).toBe(64);
    const lengthOf = (rows: Float64Array, x: number[]): number => {
      let sum = 0;
      for (let o = 0; o < rows.length; o += 8) sum += x.reduce((dot, value, c) => dot + value * rows[o + c], 0) ** 2;
      return sum;
    };
    for (let n = 0; n < 5; n++) {
      const x = Array.from({ length: 8 }, () => random.normal());
      expect(lengthOf(fewer, x)).toBeCloseTo(lengthOf(bones, x), 8);
    }
    expect(reducePoseRows(fewer, 2).bones).toBe(fewer);
    // with a target, lengths differ by the same amount for every x
    const target = Float64Array.from({ length: 40 }, () => random.normal());
    const inside = new Float64Array(8);
    targetInto(target, inside);
    const distanceOf = (rows: Float64Array, to: Float64Array, x: number[]): number =>
      to.reduce((sum, v, r) => sum + (x.reduce((dot, value, c) => dot + value * rows[8 * r + c], 0) - v) ** 2, 0);
    const differences = Array.from({ length: 4 }, () => {
      const x = Array.from({ length: 8 }, () => random.normal());
      return distanceOf(bones, target, x) - distanceOf(fewer, inside, x);
    });
    for (const difference of differences) expect(difference).toBeCloseTo(differences[0], 8);
  });
});
