// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../../core/math/mat4.ts';
import { checkMultiWeights } from '../../../../core/model/deformed/direct-delta-mush.ts';
import { type Mesh, makeMesh } from '../../../../core/model/mesh/mesh.ts';
import { makeSkin, type Skin } from '../../../../core/model/skin/skin.ts';
import { makeDdm } from '../../../../deformers/direct-delta-mush/make-ddm.ts';
import type { DdmOptions } from '../../ddm-options.ts';
import { makeDdmPrecompute } from '../../make-ddm-precompute.ts';
import { refineSurface, type SurfacePoints, spreadValues } from '../refine-surface.ts';
import { splitEdges } from '../split-edges.ts';

/** A tube of length 4 and radius 0.3 along x, open at both ends; the weight of bone 1 rises from 0 to 1 between x = −0.5 and 0.5. */
function makeTube(edges: number): { mesh: Mesh; weights: Float64Array } {
  const [rings, around] = [4 * edges + 1, 2 * edges];
  const positions = new Float32Array(3 * rings * around);
  const triangles: number[] = [];
  for (let n = 0; n < rings; n++)
    for (let a = 0; a < around; a++) {
      const angle = (2 * Math.PI * (a + (n % 2) / 2)) / around;
      positions.set([n / edges - 2, 0.3 * Math.cos(angle), 0.3 * Math.sin(angle)], 3 * (n * around + a));
      if (n + 1 === rings) continue;
      const [i, j] = [n * around + a, n * around + ((a + 1) % around)];
      if (n % 2 === 0) triangles.push(i, j, i + around, j, j + around, i + around);
      else triangles.push(i, j, j + around, i, j + around, i + around);
    }
  const mesh = makeMesh(positions, Uint32Array.from(triangles));
  const weights = Float64Array.from({ length: rings * around }, (_, i) =>
    Math.min(1, Math.max(0, 0.55 + positions[3 * i] + 0.2 * positions[3 * i + 1])),
  );
  return { mesh, weights };
}

/** The tube split at the midpoints of its edges, with interpolated weights: the same surface and the same weights. */
function subdivide({ mesh, weights }: { mesh: Mesh; weights: Float64Array }): typeof tube {
  const { ends, triangles } = splitEdges(mesh.positions, mesh.triangles);
  const positions = spreadValues(Float64Array.from(mesh.positions), ends, 3);
  return { mesh: makeMesh(Float32Array.from(positions), triangles), weights: spreadValues(weights, ends) };
}

const skinOf = (weights: Float64Array): Skin =>
  makeSkin(
    Array.from({ length: 2 * weights.length }, (_, c) => c % 2),
    Array.from({ length: 2 * weights.length }, (_, c) => (c % 2 ? weights[c >> 1] : 1 - weights[c >> 1])),
    2,
  );
const skeleton = { names: ['a', 'b'], parents: Int32Array.of(-1, 0), bindMatrices: makeIdentities(2) };
const bent = makeIdentities(2);
bent.set([0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 0, 1], 16);
const tube = makeTube(5);

async function precompute({ mesh, weights }: typeof tube, options: DdmOptions = {}) {
  return makeDdmPrecompute(mesh, skeleton, skinOf(weights), { map: 'none', threshold: 0, ...options });
}

async function deform(given: typeof tube, options: DdmOptions = {}, bones = bent): Promise<Float64Array> {
  const model = await (await precompute(given, options)).model();
  const out = new Float64Array(given.mesh.positions.length);
  makeDdm(model).deformInto({ bones }, out);
  return out;
}

/** Maximum distance of the first vertices. */
function apart(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let worst = 0;
  for (let c = 0; c < Math.min(a.length, b.length); c += 3)
    worst = Math.max(worst, Math.hypot(a[c] - b[c], a[c + 1] - b[c + 1], a[c + 2] - b[c + 2]));
  return worst;
}

describe('refineSurface', () => {
  const surfaceOf = ({ mesh, weights }: typeof tube): SurfacePoints => ({
    points: Float64Array.from(mesh.positions),
    triangles: mesh.triangles,
    own: { ...skinOf(weights), weights: Float64Array.from(skinOf(weights).weights) },
    ends: new Uint32Array(0),
  });
  const listTraits = ({ own }: SurfacePoints) => ({
    boneOfPoint: Uint32Array.from(own.rowStart.subarray(1), (_, p) => own.boneIndices[own.rowStart[p]]),
    factors: new Float64Array(own.rowStart.length - 1).fill(1),
    bridges: new Uint32Array(0),
  });

  it('splits edges near the border of bones until there are two per length, and keeps the points of the mesh', () => {
    const surface = surfaceOf(tube);
    const refined = refineSurface(surface, 0.2, listTraits);
    const added = refined.ends.length / 2;
    expect(refined.points.length / 3).toBe(surface.points.length / 3 + added);
    expect(refined.points.subarray(0, surface.points.length)).toEqual(surface.points);
    const lengthsAt = (isAt: (x: number) => boolean): number[] => {
      const found: number[] = [];
      splitEdges(refined.points, refined.triangles, (a, b, own) => {
        if (isAt(refined.points[3 * a]) && isAt(refined.points[3 * b])) found.push(own);
        return false;
      });
      return found;
    };
    expect(Math.max(...lengthsAt((x) => Math.abs(x) < 0.1))).toBeLessThanOrEqual(0.1);
    expect(Math.max(...lengthsAt((x) => x > 1.2))).toBeGreaterThan(0.2);
    const { rowStart, weights } = refined.own;
    for (let p = 0; p + 1 < rowStart.length; p++)
      expect(weights.subarray(rowStart[p], rowStart[p + 1]).reduce((sum, w) => sum + w, 0)).toBeCloseTo(1, 6);
  });

  it('returns the given surface if it is fine enough, or too coarse', () => {
    const surface = surfaceOf(tube);
    expect(refineSurface(surface, 1, listTraits)).toBe(surface);
    expect(refineSurface(surface, 0.001, listTraits)).toBe(surface);
  });
});

describe('a mesh that is coarse for its reach', () => {
  it('deforms as the same surface with four and sixteen times as many triangles', async () => {
    const coarse = await deform(tube);
    const finer = subdivide(tube);
    const fine = await deform(finer);
    const finest = await deform(subdivide(finer));
    // the tube is 4 long: 0.2 % of it
    expect(apart(coarse, finest)).toBeLessThan(0.008);
    expect(apart(fine, finest)).toBeLessThan(0.008);
    expect(apart(await deform(tube, { bind: 'rigid' }), finest)).toBeGreaterThan(0.03);
  });

  it('has a row per vertex, patches that sum to one, and reproduces the rest pose', async () => {
    const kept = await precompute(tube);
    const vertexCount = tube.mesh.positions.length / 3;
    expect(kept.pointCount).toBe(vertexCount);
    const rows = await kept.multiWeights();
    checkMultiWeights(rows, vertexCount, 2);
    for (let i = 0; i < vertexCount; i++) {
      let sum = 0;
      for (let e = rows.rowStart[i]; e < rows.rowStart[i + 1]; e++) sum += rows.omegas[10 * e + 9];
      expect(sum).toBeCloseTo(1, 12);
    }
    expect(apart(await deform(tube, {}, makeIdentities(2)), tube.mesh.positions)).toBeLessThan(1e-9);
  });

  it('has a preview that equals its model, for another kappa too', async () => {
    const kept = await precompute(tube);
    for (const later of [{}, { kappa: 0.01 }, { alpha: 0.5, variant: 1 as const }]) {
      const out = new Float64Array(tube.mesh.positions.length);
      makeDdm(await kept.model(later)).deformInto({ bones: bent }, out);
      expect(apart(await kept.preview(bent, later), out)).toBeLessThan(1e-6);
    }
  });

  it('moves vertices of seams together, and keeps rigid vertices on their bone', async () => {
    // all triangles have their own vertices
    const { positions, triangles } = tube.mesh;
    const cut = Float32Array.from(
      { length: 3 * triangles.length },
      (_, c) => positions[3 * triangles[Math.floor(c / 3)] + (c % 3)],
    );
    const loose = {
      mesh: makeMesh(
        cut,
        triangles.map((_, c) => c),
      ),
      weights: Float64Array.from(triangles, (i) => tube.weights[i]),
    };
    const [whole, parts] = [await deform(tube), await deform(loose)];
    for (let c = 0; c < triangles.length; c++)
      expect(
        apart(parts.subarray(3 * c, 3 * c + 3), whole.subarray(3 * triangles[c], 3 * triangles[c] + 3)),
      ).toBeLessThan(1e-6);

    const isRigid = Uint8Array.from(tube.weights, (w) => (w > 0.6 ? 1 : 0));
    const held = await deform(tube, { isRigid });
    isRigid.forEach((rigid, i) => {
      const [x, y, z] = positions.subarray(3 * i, 3 * i + 3);
      if (rigid) expect(apart(held.subarray(3 * i, 3 * i + 3), [-z, y, x])).toBeLessThan(1e-6);
    });
  });
});
