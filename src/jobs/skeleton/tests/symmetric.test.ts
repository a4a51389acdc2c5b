// SPDX-License-Identifier: MIT
// Symmetry, the root and joints that slide, on generated bodies whose skeletons are known.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import type { Compute } from '../../../core/kernels/compute.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { findMirrorPlane, reflectInto } from '../../../core/mesh/geometry/find-mirror-plane.ts';
import type { SkinnedModel } from '../../../core/model/asset.ts';
import type { Clip } from '../../../core/model/clip/clip.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { skeleton } from '../extract.ts';

let compute: Compute;
beforeAll(async () => {
  compute = await makeCompute({ threads: 2 });
});
afterAll(() => {
  compute.dispose();
});

/** The largest distance of a joint from the nearest image of a joint, relative to the size. */
function measureAsymmetry({ mesh, skeleton: { parents, bindMatrices } }: SkinnedModel): number {
  const plane = findMirrorPlane(mesh.positions, mesh.triangles);
  if (!plane) return Number.POSITIVE_INFINITY;
  const places = Array.from(parents.keys())
    .filter((j) => parents[j] >= 0)
    .map((j) => [...bindMatrices.subarray(16 * j + 12, 16 * j + 15)]);
  const image = new Float64Array(3);
  return places.reduce((largest, place) => {
    reflectInto(plane, place, 0, image);
    const nearest = Math.min(...places.map((other) => Math.hypot(...other.map((x, r) => x - image[r]))));
    return Math.max(largest, nearest / measureBounds(mesh.positions).diagonal);
  }, 0);
}

describe('skeletons of symmetric bodies', () => {
  it('are symmetric, at about the error of the one that was found, and connected to the bone that carries the legs', async () => {
    const { clip } = makeSample('quadruped', { seed: 1, frames: 24, resolution: 600 });
    const found = await skeleton(clip, { compute, asymmetric: true });
    expect(measureAsymmetry(found.model)).toBeGreaterThan(0.02);
    const { model, rmsePercent, sliding } = await skeleton(clip, { compute });
    // the plane of the solver is that of fewer points
    expect(measureAsymmetry(model)).toBeLessThan(5e-4);
    expect(rmsePercent).toBeLessThan(1.2 * found.rmsePercent);
    expect(sliding).toEqual([]);
    const { parents, names } = model.skeleton;
    const limbs = names.filter((name, j) => parents[j] === 0 && /\.[LR]$/.test(name));
    expect(limbs.length).toBeGreaterThanOrEqual(2);
  });

  it('keep their joints if each is near the mirror image of another', async () => {
    const { clip } = makeSample('creature', { seed: 1, frames: 30, resolution: 700 });
    const found = await skeleton(clip, { compute, asymmetric: true });
    expect(measureAsymmetry(found.model)).toBeLessThan(0.02);
    const { model, rmsePercent } = await skeleton(clip, { compute });
    expect(rmsePercent).toBe(found.rmsePercent);
    expect(model.skeleton.bindMatrices).toEqual(found.model.skeleton.bindMatrices);
  });
});

const FRAMES = 24;
/** Joints of a tube along x. */
const JOINTS = [2, 4, 6];

/** A tube of four bones, each turning against the one before; the last one is also pulled away. */
function makeTube(slide: number): Clip {
  const [rings, sides] = [49, 8];
  const rest: number[] = [];
  const triangles: number[] = [];
  for (let n = 0; n < rings; n++) {
    for (let s = 0; s < sides; s++) {
      const angle = (2 * Math.PI * s) / sides;
      rest.push((8 * n) / (rings - 1), 0.4 * Math.cos(angle), 0.55 * Math.sin(angle) + 0.1 * Math.cos(angle));
      if (n + 1 === rings) continue;
      const [a, b] = [n * sides + s, n * sides + ((s + 1) % sides)];
      triangles.push(a, a + sides, b, b, a + sides, b + sides);
    }
  }
  const positions = new Float32Array(FRAMES * rest.length);
  for (let k = 0; k < FRAMES; k++) {
    // bone to pose: x, y and z of an origin, and three axes
    const bones: number[][] = [[1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]];
    JOINTS.forEach((at, j) => {
      const up = bones[j];
      const [p, q] = [0.5 * Math.sin(0.7 * k + 2 * j), 0.4 * Math.cos(0.9 * k + j)];
      const [c, s, d, t] = [Math.cos(p), Math.sin(p), Math.cos(q), Math.sin(q)];
      // about z, then about y
      const turn = [c * d, -s, c * t, s * d, c, s * t, -t, 0, d];
      const own: number[] = [];
      for (let r = 0; r < 3; r++)
        for (let e = 0; e < 3; e++)
          own.push(up[3 * r] * turn[e] + up[3 * r + 1] * turn[3 + e] + up[3 * r + 2] * turn[6 + e]);
      const pull = j === JOINTS.length - 1 ? slide : 0;
      const way = [pull * Math.sin(1.3 * k), pull * Math.cos(0.6 * k), pull * Math.sin(2.1 * k)];
      for (let r = 0; r < 3; r++) own.push(up[9 + r] + (up[3 * r] - own[3 * r]) * at + way[r]);
      bones.push(own);
    });
    for (let o = 0; o < rest.length; o += 3) {
      const along = rest[o] / 2;
      // blends over a quarter of a bone at each joint
      const bone = Math.min(3, Math.floor(along + 0.125));
      const share = bone > 0 ? Math.min(1, (along + 0.125 - bone) / 0.25) : 1;
      for (let r = 0; r < 3; r++) {
        const at = (j: number): number =>
          bones[j][3 * r] * rest[o] +
          bones[j][3 * r + 1] * rest[o + 1] +
          bones[j][3 * r + 2] * rest[o + 2] +
          bones[j][9 + r];
        positions[k * rest.length + o + r] = share * at(bone) + (1 - share) * at(Math.max(0, bone - 1));
      }
    }
  }
  return {
    kind: 'clip',
    name: 'tube',
    mesh: makeMesh(Float32Array.from(rest), Uint32Array.from(triangles)),
    positions,
    times: Float64Array.from({ length: FRAMES }, (_, k) => k / 24),
  };
}

describe('joints that slide', () => {
  const clip = makeTube(1);
  let found: Awaited<ReturnType<typeof skeleton>>;
  beforeAll(async () => {
    found = await skeleton(clip, { compute });
  });

  it('are released where connected joints cannot explain the motion, and nowhere else', async () => {
    const { sliding, rmsePercent } = found;
    expect(sliding.length).toBeGreaterThan(0);
    expect(sliding.length).toBeLessThan(3);
    expect(rmsePercent).toBeLessThan(0.05);
    expect((await skeleton(makeTube(0), { compute })).sliding).toEqual([]);
  });

  it('stay connected with joints exact or connected, at a larger error', async () => {
    for (const joints of ['exact', 'connected'] as const) {
      const { model, sliding, rmsePercent: error } = await skeleton(clip, { compute, joints });
      expect(sliding).toEqual([]);
      expect(error).toBeGreaterThan(found.rmsePercent);
      expect(measureLargestGap(model)).toBeLessThan(1e-5);
    }
  });

  it('give the same bytes on any number of threads', async () => {
    // the one that was found has two
    const { model } = await skeleton(clip, { threads: 1 });
    expect(found.model).toEqual(model);
  });
});

/** The largest distance of the two images of a joint. */
function measureLargestGap({
  skeleton: { parents, bindMatrices },
  motions: [{ matrices, times }],
}: SkinnedModel): number {
  const count = parents.length;
  let largest = 0;
  for (let k = 0; k < times.length; k++) {
    for (let j = 0; j < count; j++) {
      if (parents[j] < 0) continue;
      const [a, b] = [16 * (k * count + j), 16 * (k * count + parents[j])];
      const away = [0, 1, 2].map((r) => {
        let x = matrices[a + 12 + r] - matrices[b + 12 + r];
        for (let c = 0; c < 3; c++)
          x += (matrices[a + 4 * c + r] - matrices[b + 4 * c + r]) * bindMatrices[16 * j + 12 + c];
        return x;
      });
      largest = Math.max(largest, Math.hypot(...away));
    }
  }
  return largest;
}
