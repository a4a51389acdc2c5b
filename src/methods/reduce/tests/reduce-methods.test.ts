// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import { makeRandom } from '../../../core/math/random.ts';
import { type Mesh, makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { normalizePoses } from '../normalize-poses.ts';
import { makeGradientEdges } from '../objective/gradient-edges.ts';
import { makeDistanceQuadratics } from '../objective/make-distance-quadratics.ts';
import { makePoseQuadratics } from '../objective/make-pose-quadratics.ts';
import { multiplyRows } from '../objective/multiply-rows.ts';
import { makeRowLaplacian } from '../objective/row-laplacian.ts';
import { exchangeWeights } from '../per-vertex/exchange-weights.ts';
import { geometricWeights } from '../per-vertex/geometric-weights.ts';
import { kLargestWeights } from '../per-vertex/k-largest-weights.ts';
import { measureQuadratics } from '../per-vertex/optimal-weights.ts';
import { poissonWeights } from '../per-vertex/poisson-weights.ts';
import { smoothWeights } from '../per-vertex/smooth-weights.ts';
import { compressWeights } from '../two-layer/compress-weights.ts';
import { compressWeightsAsPublished } from '../two-layer/compress-weights-as-published.ts';
import { compressWeightsByPursuit, type Pursuit } from '../two-layer/compress-weights-by-pursuit.ts';
import { Dictionary } from '../two-layer/dictionary.ts';
import { startDictionary } from '../two-layer/start-dictionary.ts';
import { updateAtoms } from '../two-layer/update-atoms.ts';
import { updateCoefficients } from '../two-layer/update-coefficients.ts';
import { makeWeightProblem, type WeightRows } from '../weight-problem.ts';

const [SIDE, BONES, FRAMES] = [14, 6, 5];

/** A sheet whose weights change smoothly from bone to bone, every vertex on all of them. */
function makeSheet(): { mesh: Mesh; skin: ReturnType<typeof makeSkin>; matrices: Float64Array } {
  const random = makeRandom(11);
  const count = SIDE * SIDE;
  const positions = new Float32Array(3 * count);
  for (let i = 0; i < count; i++) positions.set([i % SIDE, Math.floor(i / SIDE), Math.sin(i / 9)], 3 * i);
  const triangles: number[] = [];
  for (let y = 0; y + 1 < SIDE; y++)
    for (let x = 0; x + 1 < SIDE; x++) {
      const a = y * SIDE + x;
      triangles.push(a, a + 1, a + SIDE, a + 1, a + SIDE + 1, a + SIDE);
    }
  const places = Array.from({ length: BONES }, () => [SIDE * random.next(), SIDE * random.next()]);
  const ids: number[] = [];
  const weights: number[] = [];
  for (let i = 0; i < count; i++)
    places.forEach(([x, y], j) => {
      ids.push(j);
      weights.push(1 / (1 + ((i % SIDE) - x) ** 2 + (Math.floor(i / SIDE) - y) ** 2));
    });
  const matrices = new Float64Array(FRAMES * BONES * 16);
  for (let o = 0; o < matrices.length; o += 16) {
    const turn = 0.8 * random.normal();
    const [c, s] = [Math.cos(turn), Math.sin(turn)];
    matrices.set([c, s, 0, 0, -s, c, 0, 0, 0, 0, 1, 0, random.normal(), random.normal(), random.normal(), 1], o);
  }
  return { mesh: makeMesh(positions, Uint32Array.from(triangles)), skin: makeSkin(ids, weights, BONES), matrices };
}

const { mesh, skin, matrices } = makeSheet();
const problem = makeWeightProblem(mesh, skin, BONES);
const compute = await makeCompute({ kind: 'typescript' });
const quadratics = await makePoseQuadratics(compute, problem, matrices, BONES);
const laplacian = makeRowLaplacian(problem.rest, problem.triangles);
const none = new Float64Array(problem.pointCount);
const total = (rows: WeightRows): number => measureQuadratics(quadratics, rows).reduce((sum, error) => sum + error, 0);

function checkRows(rows: WeightRows, influences: number): void {
  for (let i = 0; i + 1 < rows.rowStart.length; i++) {
    let sum = 0;
    for (let e = rows.rowStart[i]; e < rows.rowStart[i + 1]; e++) {
      expect(rows.values[e]).toBeGreaterThan(0);
      if (e > rows.rowStart[i]) expect(rows.values[e]).toBeLessThanOrEqual(rows.values[e - 1]);
      sum += rows.values[e];
    }
    expect(rows.rowStart[i + 1] - rows.rowStart[i]).toBeLessThanOrEqual(influences);
    expect(sum).toBeCloseTo(1, 9);
  }
}

describe('reductions to a few weights', () => {
  it('keep the largest', () => {
    const rows = kLargestWeights(problem.rows, 2);
    checkRows(rows, 2);
    const { columns, values } = problem.rows;
    expect([...rows.columns.subarray(0, 2)]).toEqual([columns[0], columns[1]]);
    expect(rows.values[0]).toBeCloseTo(values[0] / (values[0] + values[1]), 9);
    expect(kLargestWeights(problem.rows, 99).columns).toEqual(columns);
  });

  it('almost always find the best support of two bones, compared with all pairs', async () => {
    const { rows, errors } = await exchangeWeights(quadratics, problem.rows, 2);
    checkRows(rows, 2);
    const row = new Float64Array(BONES);
    const h = new Float64Array(BONES * BONES);
    let best = 0;
    for (let i = 0; i < problem.pointCount; i++) {
      for (let j = 0; j < BONES; j++) {
        quadratics.rowInto(i, j, row);
        h.set(row, j * BONES);
      }
      let lowest = Number.POSITIVE_INFINITY;
      for (let a = 0; a < BONES; a++)
        for (let b = 0; b < a; b++) {
          const [aa, bb, ab] = [h[a * BONES + a], h[b * BONES + b], h[a * BONES + b]];
          const t = Math.min(1, Math.max(0, (bb - ab) / (aa - 2 * ab + bb)));
          lowest = Math.min(lowest, t * t * aa + 2 * t * (1 - t) * ab + (1 - t) ** 2 * bb);
        }
      expect(errors[i]).toBeGreaterThanOrEqual(lowest - 1e-9);
      if (errors[i] <= lowest * (1 + 1e-6) + 1e-12) best++;
    }
    expect(best).toBeGreaterThan(0.98 * problem.pointCount);
  });

  it('with poses have a smaller error than the published rules, which never rises with more bones', async () => {
    let before = Number.POSITIVE_INFINITY;
    for (const influences of [1, 2, 3, 4, 6]) {
      const { rows, errors } = await exchangeWeights(quadratics, problem.rows, influences);
      const sum = total(rows);
      expect(errors.reduce((a, b) => a + b, 0)).toBeCloseTo(sum, 6);
      expect(sum).toBeLessThanOrEqual(before * (1 + 1e-9));
      before = sum;
      if (influences === 6) continue;
      const geometric = geometricWeights(quadratics, influences);
      checkRows(geometric, influences);
      expect(sum).toBeLessThanOrEqual(total(geometric) + 1e-9);
      expect(sum).toBeLessThanOrEqual(total(kLargestWeights(problem.rows, influences)) + 1e-9);
    }
    expect(before).toBeLessThan(1e-6);
  });

  it('smooth: the error of the Laplacian of weights falls with every sweep, on the same support', async () => {
    const bend = (rows: WeightRows): number => {
      const full = new Float64Array(problem.pointCount * BONES);
      for (let i = 0; i < problem.pointCount; i++) {
        for (let e = rows.rowStart[i]; e < rows.rowStart[i + 1]; e++)
          full[i * BONES + rows.columns[e]] = rows.values[e];
        for (let e = problem.rows.rowStart[i]; e < problem.rows.rowStart[i + 1]; e++)
          full[i * BONES + problem.rows.columns[e]] -= problem.rows.values[e];
      }
      let sum = 0;
      for (let i = 0; i < problem.pointCount; i++)
        for (let j = 0; j < BONES; j++) {
          let curved = 0;
          for (let e = laplacian.rowStart[i]; e < laplacian.rowStart[i + 1]; e++)
            curved += laplacian.values[e] * full[laplacian.columns[e] * BONES + j];
          sum += curved * curved;
        }
      return sum;
    };
    let before = bend(kLargestWeights(problem.rows, 3));
    for (const sweeps of [1, 2, 8, 60]) {
      const rows = await smoothWeights(problem.rows, BONES, laplacian, 3, { sweeps });
      checkRows(rows, 3);
      const now = bend(rows);
      expect(now).toBeLessThan(before);
      before = now;
    }
    const same = await smoothWeights(problem.rows, BONES, laplacian, BONES);
    expect(bend(same)).toBeLessThan(1e-12);
  });

  it('Poisson: the gradients of shapes are closer to the input than those of any other method', async () => {
    const { bones } = normalizePoses(problem, matrices, BONES);
    const rows3 = 3 * FRAMES;
    const blendInto = (rows: WeightRows, i: number, out: Float64Array): void => {
      out.fill(0);
      for (let e = rows.rowStart[i]; e < rows.rowStart[i + 1]; e++)
        for (let row = 0; row < rows3; row++) {
          const b = row * 4 * BONES + 4 * rows.columns[e];
          let x = bones[b + 3];
          for (let c = 0; c < 3; c++) x += bones[b + c] * problem.rest[3 * i + c];
          out[row] += rows.values[e] * x;
        }
    };
    const edges = makeGradientEdges(problem.rest, problem.triangles);
    const bend = (rows: WeightRows): number => {
      const off = Array.from({ length: problem.pointCount }, (_, i) => {
        const [one, other] = [new Float64Array(rows3), new Float64Array(rows3)];
        blendInto(rows, i, one);
        blendInto(problem.rows, i, other);
        return one.map((x, row) => x - other[row]);
      });
      let sum = 0;
      for (let i = 0; i < problem.pointCount; i++)
        for (let e = edges.rowStart[i]; e < edges.rowStart[i + 1]; e++)
          off[i].forEach((x, row) => {
            sum += (edges.values[e] / 2) * (x - off[edges.columns[e]][row]) ** 2;
          });
      return sum;
    };
    const poses = { bones, targetInto: (i: number, out: Float64Array) => blendInto(problem.rows, i, out) };
    const start = geometricWeights(quadratics, 3);
    let before = bend(start);
    for (const sweeps of [1, 3, 10]) {
      const rows = await poissonWeights(problem, [start], poses, { influences: 3, sweeps, attachment: 0 });
      checkRows(rows, 3);
      const now = bend(rows);
      expect(now).toBeLessThan(before);
      before = now;
    }
    const others = [
      start,
      kLargestWeights(problem.rows, 3),
      await smoothWeights(problem.rows, BONES, laplacian, 3),
      (await exchangeWeights(quadratics, problem.rows, 3)).rows,
    ];
    const free = await poissonWeights(problem, others, poses, { influences: 3 });
    for (const other of others) expect(bend(free)).toBeLessThan(bend(other));
    const held = await poissonWeights(problem, [start], poses, { influences: 3, attachment: 1e6 });
    expect(total(held)).toBeLessThan(total(free));
  });

  it('Poisson: points without triangles get the weights of their own positions', async () => {
    const { bones } = normalizePoses(problem, matrices, BONES);
    const alone = { ...problem, triangles: new Uint32Array(0) };
    const poses = { bones, targetInto: (_: number, out: Float64Array) => out.fill(0) };
    const start = geometricWeights(quadratics, 2);
    checkRows(await poissonWeights(alone, [start], poses, { influences: 2 }), 2);
  });
});

describe('two layers', () => {
  it('respect their budget, with a smaller error than any single layer', async () => {
    const two = await compressWeights(quadratics, problem.rows, none, problem.adjacency, { budget: 3.5 });
    checkRows(two.points, 2);
    checkRows(two.atoms, BONES);
    const entries = two.points.columns.length + two.atoms.columns.length;
    expect(entries / problem.pointCount).toBeLessThanOrEqual(3.5);
    expect(two.blendsPerVertex).toBeCloseTo(entries / problem.pointCount, 9);
    const sum = total(multiplyRows(two.points, two.atoms, BONES));
    expect(two.error).toBeCloseTo(Math.sqrt(sum / (problem.pointCount * 3 * FRAMES)), 6);
    const { rows } = await exchangeWeights(quadratics, problem.rows, 4);
    expect(sum).toBeLessThan(total(rows));
    const printed = await compressWeightsAsPublished(quadratics, problem.rows, none, problem.adjacency, {
      budget: 3.5,
    });
    expect(printed.blendsPerVertex).toBeLessThanOrEqual(3.5);
    expect(sum).toBeLessThan(total(multiplyRows(printed.points, printed.atoms, BONES)));
  });

  it('are convex for every pursuit, with a smaller error for learned atoms than for fixed ones', async () => {
    const errorOf = async (pursuit: Pursuit): Promise<number> => {
      const two = await compressWeightsByPursuit(quadratics, problem.rows, { pursuit, virtualBones: 25, budget: 4 });
      checkRows(two.points, 2);
      checkRows(two.atoms, BONES);
      expect(two.atoms.rowStart.length - 1).toBe(25);
      const sum = total(multiplyRows(two.points, two.atoms, BONES));
      expect(two.error).toBeCloseTo(Math.sqrt(sum / (problem.pointCount * 3 * FRAMES)), 6);
      return two.error;
    };
    const [mp, omp, ksvdMp, ksvdOmp] = [
      await errorOf('mp'),
      await errorOf('omp'),
      await errorOf('ksvd-mp'),
      await errorOf('ksvd-omp'),
    ];
    expect(ksvdMp).toBeLessThan(mp);
    expect(ksvdOmp).toBeLessThan(omp);
    const own = await compressWeights(quadratics, problem.rows, none, problem.adjacency, { virtualBones: 25 });
    expect(own.error).toBeLessThan(ksvdOmp);
  });

  it('meet a number of virtual bones or a maximum error, and give the same bytes every time', async () => {
    const gaps = makeDistanceQuadratics(problem, 'distance');
    const one = await compressWeights(gaps, problem.rows, none, problem.adjacency, { virtualBones: 20 });
    expect(one.atoms.rowStart.length - 1).toBeLessThanOrEqual(20);
    expect(await compressWeights(gaps, problem.rows, none, problem.adjacency, { virtualBones: 20 })).toEqual(one);
    const loose = await compressWeights(quadratics, problem.rows, none, problem.adjacency, { error: 0.01 });
    const tight = await compressWeights(quadratics, problem.rows, none, problem.adjacency, { error: 0.003 });
    expect(loose.error).toBeLessThanOrEqual(0.01);
    expect(tight.error).toBeLessThanOrEqual(0.003);
    expect(tight.atoms.rowStart.length).toBeGreaterThan(loose.atoms.rowStart.length);
  });

  it('have a price for error above the floors alone: none where no point can come below its floor', async () => {
    const high = new Float64Array(problem.pointCount).fill(1e3);
    const { dictionary } = await compressWeights(quadratics, problem.rows, none, problem.adjacency, { budget: 3.5 });
    const priced = (floors: Float64Array, price: number) =>
      compressWeights(quadratics, problem.rows, floors, problem.adjacency, { budget: 3.5, price, from: dictionary });
    expect((await priced(high, 1)).blendsPerVertex).toBe((await priced(high, 0)).blendsPerVertex);
    // above its floors, the same price removes entries
    expect((await priced(none, 1)).blendsPerVertex).toBeLessThan((await priced(none, 0)).blendsPerVertex);
  });

  it('lower their error with every step of atoms and of coefficients', () => {
    const dictionary = new Dictionary(quadratics, BONES);
    startDictionary(dictionary, problem.rows);
    for (const i of [40, 80, 120, 160]) dictionary.add(rowOf(i));
    for (let i = 0; i < problem.pointCount; i++) {
      dictionary.clearCandidates();
      for (let k = 0; k < dictionary.count; k++) dictionary.addCandidate(k);
      dictionary.search(i);
      dictionary.adopt(i);
    }
    let before = dictionary.sumErrors();
    for (let iteration = 0; iteration < 5; iteration++) {
      updateAtoms(dictionary, problem.rows);
      const { points, atoms } = dictionary.toRows();
      const moved = total(multiplyRows(points, atoms, BONES));
      expect(moved).toBeLessThanOrEqual(before * (1 + 1e-9));
      before = updateCoefficients(dictionary, problem.adjacency, 2);
      expect(before).toBeLessThanOrEqual(moved * (1 + 1e-9));
    }
  });

  it('are returned in their present state when the solve is stopped', async () => {
    const abort = new AbortController();
    let ticks = 0;
    const result = await compressWeights(quadratics, problem.rows, none, problem.adjacency, {
      budget: 3.5,
      signal: abort.signal,
      onProgress: () => {
        if (++ticks === 3) abort.abort();
      },
    });
    expect(result.status).toBe('stopped');
    checkRows(result.points, 2);
    checkRows(result.atoms, BONES);
  });
});

function rowOf(i: number): Float64Array {
  const row = new Float64Array(BONES);
  for (let e = problem.rows.rowStart[i]; e < problem.rows.rowStart[i + 1]; e++)
    row[problem.rows.columns[e]] = problem.rows.values[e];
  return row;
}
