// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import { makeRandom } from '../../../../core/math/random.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import type { Matches } from '../../register/find-matches.ts';
import { makeScanSurface } from '../../register/make-scan-surface.ts';
import { DetailSolver } from '../detail-solver.ts';

const { clip } = makeSample('bar-bend', { resolution: 300, frames: 4 });
const { positions, triangles } = clip.mesh;
const surface = makeScanSurface({ positions, triangles }, { scale: 1, center: [0, 0, 0] });
const rest = surface.positions;

function matchWith(targets: Float64Array, normals: Float64Array): Matches {
  const count = targets.length / 3;
  const corners = Uint32Array.from({ length: 3 * count }, (_, n) => Math.floor(n / 3));
  const blends = Float64Array.from({ length: 3 * count }, (_, n) => (n % 3 === 0 ? 1 : 0));
  return { count, corners, blends, targets, normals, weights: new Float64Array(count).fill(1) };
}

/** Normals in all directions. */
function makeNormals(): Float64Array {
  const random = makeRandom(4);
  const normals = new Float64Array(rest.length);
  for (let i = 0; i < rest.length / 3; i++) {
    const v = [random.normal(), random.normal(), random.normal()];
    for (let a = 0; a < 3; a++) normals[3 * i + a] = v[a] / Math.hypot(...v);
  }
  return normals;
}

const moved = rest.map((_, n) => {
  const [x, y, z] = rest.subarray(3 * Math.floor(n / 3), 3 * Math.floor(n / 3) + 3);
  const [c, s] = [Math.cos(0.3), Math.sin(0.3)];
  return [x + 0.1, c * y - s * z, s * y + c * z][n % 3];
});

describe('DetailSolver', () => {
  it('recovers a rigid motion from matches with planes', async () => {
    const solver = new DetailSolver(await makeCompute({ kind: 'typescript' }), surface);
    const found = rest.slice();
    await solver.solve(found, matchWith(moved, makeNormals()), { stiffness: 1, pointShare: 0.1, steps: 400 });
    for (let c = 0; c < found.length; c++) expect(found[c]).toBeCloseTo(moved[c], 3);
  });

  it('keeps a shape that is matched and not distorted', async () => {
    const solver = new DetailSolver(await makeCompute({ kind: 'typescript' }), surface);
    const found = moved.slice();
    await solver.solve(found, matchWith(moved, makeNormals()), { stiffness: 2, pointShare: 0.1, steps: 3 });
    for (let c = 0; c < found.length; c++) expect(found[c]).toBeCloseTo(moved[c], 9);
  });

  it('holds places along the surface, and follows planes', async () => {
    const solver = new DetailSolver(await makeCompute({ kind: 'typescript' }), surface);
    const found = moved.slice();
    // all planes are level, and shifted across by 0.05; their points are shifted along as well
    const targets = moved.map((x, c) => x + [0.2, 0, 0.05][c % 3]);
    const normals = moved.map((_, c) => (c % 3 === 2 ? 1 : 0));
    await solver.solve(found, matchWith(targets, normals), { stiffness: 1, pointShare: 0.1, steps: 50, held: moved });
    for (let c = 0; c < found.length; c++) expect(found[c]).toBeCloseTo(moved[c] + [0, 0, 0.05][c % 3], 9);
  });

  it('keeps a bent shape that is held', async () => {
    const solver = new DetailSolver(await makeCompute({ kind: 'typescript' }), surface);
    const bent = rest.map((x, c) => (c % 3 === 0 ? x + 0.5 * rest[c + 1] ** 2 + 0.3 * rest[c + 2] : x));
    const matches = matchWith(bent, makeNormals());
    const options = { stiffness: 1, pointShare: 0, steps: 5 };
    const [found, free] = [bent.slice(), bent.slice()];
    await solver.solve(found, matches, { ...options, held: bent });
    await solver.solve(free, matches, options);
    for (let c = 0; c < found.length; c++) expect(found[c]).toBeCloseTo(bent[c], 9);
    // the template as rest shape unbends it
    expect(Math.max(...free.map((x, c) => Math.abs(x - bent[c])))).toBeGreaterThan(0.01);
  });

  it('never raises the distance to the planes while rigidity is weak', async () => {
    const solver = new DetailSolver(await makeCompute({ kind: 'typescript' }), surface);
    const random = makeRandom(1);
    const targets = moved.map((x) => x + 0.01 * random.normal());
    const normals = makeNormals();
    const found = moved.slice();
    const planes = (): number => {
      let sum = 0;
      for (let i = 0; i < found.length / 3; i++) {
        const along = [0, 1, 2].reduce((s, a) => s + normals[3 * i + a] * (found[3 * i + a] - targets[3 * i + a]), 0);
        sum += along * along;
      }
      return sum;
    };
    let last = planes();
    for (let n = 0; n < 5; n++) {
      await solver.solve(found, matchWith(targets, normals), { stiffness: 1e-3, pointShare: 0, steps: 1 });
      expect(planes()).toBeLessThanOrEqual(last * (1 + 1e-9));
      last = planes();
    }
  });
});
