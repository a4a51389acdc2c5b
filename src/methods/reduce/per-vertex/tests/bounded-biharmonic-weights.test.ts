// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { measureTriangleAreas } from '../../../../core/mesh/geometry/triangle-areas.ts';
import { makeCotangentLaplacian } from '../../../../core/mesh/topology/laplacian.ts';
import { listEdges } from '../../../../core/mesh/topology/list-edges.ts';
import { makeMesh } from '../../../../core/model/mesh/mesh.ts';
import { checkSkin, type Skin } from '../../../../core/model/skin/skin.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { boundedBiharmonicWeights } from '../bounded-biharmonic-weights.ts';

/** A flat strip of points. */
function makeStrip(wide: number, high: number) {
  const positions: number[] = [];
  const triangles: number[] = [];
  for (let y = 0; y < high; y++) {
    for (let x = 0; x < wide; x++) {
      positions.push(x, 0.9 * y + 0.1 * (x % 2), 0);
      const p = y * wide + x;
      if (x + 1 < wide && y + 1 < high) triangles.push(p, p + 1, p + wide, p + 1, p + wide + 1, p + wide);
    }
  }
  return makeMesh(Float32Array.from(positions), Uint32Array.from(triangles));
}

function denseOf({ rowStart, boneIndices, weights }: Skin, boneCount: number): number[][] {
  return Array.from({ length: rowStart.length - 1 }, (_, i) => {
    const row = new Array<number>(boneCount).fill(0);
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) row[boneIndices[e]] = weights[e];
    return row;
  });
}

/** Q = L M⁻¹ L, dense. */
function bilaplacianOf({ positions, triangles }: ReturnType<typeof makeStrip>): number[][] {
  const n = positions.length / 3;
  const l = Array.from({ length: n }, () => new Array<number>(n).fill(0));
  const { columnStart, rowIndices, values } = makeCotangentLaplacian(positions, triangles);
  for (let j = 0; j < n; j++)
    for (let e = columnStart[j]; e < columnStart[j + 1]; e++) l[rowIndices[e]][j] = l[j][rowIndices[e]] = values[e];
  const areas = new Float64Array(n);
  measureTriangleAreas(positions, triangles).forEach((area, f) => {
    for (let c = 0; c < 3; c++) areas[triangles[3 * f + c]] += area / 3;
  });
  return l.map((row) => row.map((_, b) => row.reduce((sum, x, k) => sum + (x * l[k][b]) / areas[k], 0)));
}

/** Minimum of ½ tr(Wᵀ Q W) with convex rows and fixed handles, by an active set of weights held at zero. */
function activeSet(q: number[][], handles: Int32Array, boneCount: number): number[][] {
  const n = q.length;
  const free = [...handles.keys()].filter((p) => handles[p] < 0);
  const w: number[][] = Array.from(handles, (h) => Array.from({ length: boneCount }, (_, j) => (h === j ? 1 : 0)));
  const isHeld = new Set<string>();
  for (let round = 0; round < 100; round++) {
    const unknowns = free.flatMap((p) => Array.from({ length: boneCount }, (_, j) => ({ p, j })));
    const open = unknowns.filter(({ p, j }) => !isHeld.has(`${p} ${j}`));
    const size = open.length + free.length;
    // KKT: Q w + λ = 0 for open weights, Σ_j w = 1 per point
    const a = Array.from({ length: size }, () => new Array<number>(size + 1).fill(0));
    open.forEach(({ p, j }, r) => {
      open.forEach((other, c) => {
        if (other.j === j) a[r][c] = q[p][other.p];
      });
      for (let h = 0; h < n; h++) if (handles[h] === j) a[r][size] -= q[p][h];
      const multiplier = open.length + free.indexOf(p);
      a[r][multiplier] = a[multiplier][r] = 1;
    });
    for (let r = open.length; r < size; r++) a[r][size] = 1;
    const x = eliminate(a);
    for (const p of free) w[p].fill(0);
    open.forEach(({ p, j }, r) => {
      w[p][j] = x[r];
    });
    let changes = 0;
    for (const { p, j } of unknowns) {
      const key = `${p} ${j}`;
      if (isHeld.has(key)) {
        const gradient = q[p].reduce((sum, value, b) => sum + value * w[b][j], 0) + x[open.length + free.indexOf(p)];
        if (gradient < -1e-10 && isHeld.delete(key)) changes++;
      } else if (w[p][j] < -1e-12) {
        isHeld.add(key);
        changes++;
      }
    }
    if (changes === 0) return w;
  }
  throw new Error('the active set did not settle');
}

/** Gaussian elimination with pivots of an augmented matrix. */
function eliminate(a: number[][]): number[] {
  const size = a.length;
  for (let k = 0; k < size; k++) {
    let pivot = k;
    for (let r = k; r < size; r++) if (Math.abs(a[r][k]) > Math.abs(a[pivot][k])) pivot = r;
    [a[k], a[pivot]] = [a[pivot], a[k]];
    for (let r = 0; r < size; r++) {
      if (r === k || a[r][k] === 0) continue;
      const f = a[r][k] / a[k][k];
      for (let c = k; c <= size; c++) a[r][c] -= f * a[k][c];
    }
  }
  return a.map((row, k) => row[size] / row[k]);
}

describe('bounded biharmonic weights', () => {
  it('equal those of an active set on a small mesh, where bounds hold some of them at zero', () => {
    const mesh = makeStrip(10, 4);
    // one end, a spot in the middle, the other end
    const handles = Int32Array.from({ length: 40 }, (_, p) =>
      p % 10 === 0 ? 0 : p === 15 ? 1 : p % 10 === 9 ? 2 : -1,
    );
    const expected = activeSet(bilaplacianOf(mesh), handles, 3);
    const { skin, status } = boundedBiharmonicWeights(mesh, handles, 3, { tolerance: 1e-8, iterations: 20_000 });
    expect(status).toBe('converged');
    const dense = denseOf(skin, 3);
    expect(expected.flat().filter((w) => w === 0).length).toBeGreaterThan(30);
    expected.forEach((row, p) => {
      row.forEach((w, j) => {
        expect(dense[p][j]).toBeCloseTo(w, 4);
      });
    });
  });

  it('are convex, smooth and local on a bar with handles in a row', () => {
    const { mesh } = makeSample('bar-joint', { resolution: 600, frames: 1 }).clip;
    const height = (i: number) => mesh.positions[3 * i + 1];
    const centers = [0.5, 2, 3.5];
    const handles = Int32Array.from({ length: mesh.positions.length / 3 }, (_, i) =>
      centers.findIndex((y) => Math.abs(height(i) - y) < 0.25),
    );
    const { skin } = boundedBiharmonicWeights(mesh, handles, 3);
    checkSkin(skin, 3);
    const dense = denseOf(skin, 3);
    // smooth: neighbours differ by less than a linear ramp between handles would, twice over
    const edges = listEdges(mesh.triangles);
    for (let e = 0; e < edges.length; e += 2) {
      const [a, b] = [edges[e], edges[e + 1]];
      const apart = Math.abs(height(a) - height(b));
      for (let j = 0; j < 3; j++) expect(Math.abs(dense[a][j] - dense[b][j])).toBeLessThan(0.05 + 2 * apart);
    }
    // local: no influence beyond the next handle
    for (let i = 0; i < dense.length; i++) {
      if (height(i) > 2.25) expect(dense[i][0]).toBeLessThan(0.01);
      if (height(i) < 1.75) expect(dense[i][2]).toBeLessThan(0.01);
    }
  });

  it('reject a mesh without handles', () => {
    const mesh = makeStrip(3, 3);
    expect(() => boundedBiharmonicWeights(mesh, new Int32Array(9).fill(-1), 1)).toThrow('no vertex is a handle');
  });
});
