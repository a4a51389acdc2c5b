// SPDX-License-Identifier: MIT
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import { makeIdentities } from '../../../core/math/mat4.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { type Motion, poseOf } from '../../../core/model/clip/motion.ts';
import type { Deformer } from '../../../core/model/deformed/deformer.ts';
import type { DdmVariant, DirectDeltaMush } from '../../../core/model/deformed/direct-delta-mush.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import type { Skin } from '../../../core/model/skin/skin.ts';
import { precomputeDdm } from '../../../methods/mush/precompute-ddm.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { makeLinearBlend } from '../../linear-blend/make-linear-blend.ts';
import { createBlendRuntime, createDdmRuntime } from '../ddm-runtime.ts';
import { makeDdm } from '../make-ddm.ts';

const VARIANTS: DdmVariant[] = [0, 1, 2, 3, 4, 5];
const compute = await makeCompute({ threads: 2 });
afterAll(() => compute.dispose());

interface Case {
  name: string;
  model: DirectDeltaMush;
  skin: Skin;
  motion: Motion;
  size: number;
}
const cases: Case[] = [];
beforeAll(async () => {
  for (const name of ['bar-bend', 'creature', 'parts']) {
    const { clip, skeleton, skin, motion } = makeSample(name, { resolution: 1200, frames: 8 });
    if (!skeleton || !skin || !motion) throw new Error(`${name} has bones`);
    const model = await precomputeDdm(clip.mesh, skeleton, skin);
    cases.push({ name, model, skin, motion, size: measureBounds(clip.mesh.positions).diagonal });
  }
});

function farthest(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let worst = 0;
  for (let c = 0; c < a.length; c++) worst = Math.max(worst, Math.abs(a[c] - b[c]) || Number(Number.isNaN(a[c])));
  return worst;
}

function shapeOf(deformer: Deformer, bones: Float64Array): { positions: Float32Array; normals: Float32Array } {
  const positions = new Float32Array(3 * deformer.vertexCount);
  const normals = new Float32Array(3 * deformer.vertexCount);
  deformer.deformInto({ bones }, positions, normals);
  return { positions, normals };
}

describe.each(VARIANTS)('the run-time of variant %i', (variant) => {
  it('agrees with the reference to 2e-5 of the size, in every pose of a clip', async () => {
    for (const { name, model, motion, size } of cases) {
      const runtime = await createDdmRuntime({ ...model, variant }, { compute });
      const reference = makeDdm(model, variant);
      for (let k = 0; k < motion.times.length; k++) {
        const bones = poseOf(motion, k);
        const { positions, normals } = await runtime.deform({ bones });
        const expected = shapeOf(reference, bones);
        expect(farthest(positions, expected.positions), `${name} ${k}`).toBeLessThan(2e-5 * size);
        expect(farthest(normals ?? [], expected.normals), `${name} ${k}`).toBeLessThan(5e-3);
      }
      runtime.dispose();
    }
  });

  it('gives the same bytes for many poses at once as for one after another', async () => {
    const { model, motion } = cases[1];
    const runtime = await createDdmRuntime({ ...model, variant }, { compute });
    const poses = Array.from({ length: 8 }, (_, k) => ({ bones: poseOf(motion, k) }));
    const { positions, normals, poseCount } = await runtime.deformMany(poses);
    const all = { positions: positions.slice(), normals: normals?.slice() };
    expect(poseCount).toBe(8);
    const n = 3 * runtime.vertexCount;
    for (let k = 0; k < 8; k++) {
      const one = await runtime.deform(poses[k]);
      expect(one.positions).toEqual(all.positions.subarray(k * n, (k + 1) * n));
      expect(one.normals).toEqual(all.normals?.subarray(k * n, (k + 1) * n));
    }
    runtime.dispose();
  });

  it('gives the same deformation ten metres from the origin, at rest and posed', async () => {
    const { model, motion, size } = cases[0];
    const far = 10;
    const away = { ...model.mesh, positions: model.mesh.positions.map((x) => x + far) };
    const omegas = model.multiWeights.omegas.slice();
    for (let o = 0; o < omegas.length; o += 10) {
      // T Ω Tᵀ with T the move: from xx xy xz x1 yy yz y1 zz z1 11
      const [xx, xy, xz, x, yy, yz, y, zz, z, w] = omegas.subarray(o, o + 10);
      const q = (product: number, a: number, b: number): number => product + far * (a + b) + far * far * w;
      omegas.set([q(xx, x, x), q(xy, x, y), q(xz, x, z), x + far * w, q(yy, y, y), q(yz, y, z)], o);
      omegas.set([y + far * w, q(zz, z, z), z + far * w, w], o + 6);
    }
    const moved = { ...model, mesh: away, multiWeights: { ...model.multiWeights, omegas }, variant };
    const near = await createDdmRuntime({ ...model, variant }, { compute });
    const distant = await createDdmRuntime(moved, { compute });
    const bones = poseOf(motion, 3);
    const conjugated = bones.slice();
    for (let o = 0; o < bones.length; o += 16) {
      for (let r = 0; r < 3; r++)
        conjugated[o + 12 + r] += far - far * (bones[o + r] + bones[o + 4 + r] + bones[o + 8 + r]);
    }
    const here = (await near.deform({ bones })).positions.map((x) => x + far);
    const there = (await distant.deform({ bones: conjugated })).positions;
    // rest positions are stored to 1e-6 there
    expect(farthest(here, there)).toBeLessThan(3e-6 + 1e-5 * size);
    near.dispose();
    distant.dispose();
  });
});

describe('createDdmRuntime', () => {
  it('deforms flat patches and points without NaN, and reproduces them exactly at rest', async () => {
    const n = 6;
    const positions = new Float32Array(3 * n * n);
    const triangles: number[] = [];
    for (let i = 0; i < n * n; i++) positions.set([i % n, Math.floor(i / n), 0], 3 * i);
    for (let i = 0; i < n * n - n; i++) if (i % n < n - 1) triangles.push(i, i + 1, i + n, i + 1, i + n + 1, i + n);
    const mesh = makeMesh(positions, Uint32Array.from(triangles));
    const { skeleton } = cases[0].model;
    const boneCount = skeleton.names.length;
    // Row i: the patch of the vertex and its right neighbour: a line, shared by bones 0 and 1; of the last row's, a point.
    const rowStart = Uint32Array.from({ length: n * n + 1 }, (_, i) => 2 * i);
    const boneIndices = Uint32Array.from({ length: 2 * n * n }, (_, e) => e % 2);
    const omegas = new Float64Array(20 * n * n);
    for (let e = 0; e < 2 * n * n; e++) {
      const i = Math.floor(e / 2);
      const other = i < n * n - n ? Math.min(i + (e % 2), n * n - 1) : i;
      const u = [...positions.subarray(3 * other, 3 * other + 3), 1];
      for (let r = 0, o = 10 * e; r < 4; r++) for (let c = r; c < 4; c++, o++) omegas[o] = (u[r] * u[c]) / 2;
    }
    const settings = cases[0].model.settings;
    for (const variant of VARIANTS) {
      const kind = 'direct-delta-mush' as const;
      const model = { kind, mesh, skeleton, multiWeights: { rowStart, boneIndices, omegas }, variant, settings };
      const runtime = await createDdmRuntime(model, { compute });
      const rest = await runtime.deform({ bones: makeIdentities(boneCount) });
      expect(farthest(rest.positions, positions), `v${variant}`).toBeLessThan(1e-5);
      const bent = makeIdentities(boneCount);
      bent.set([0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0.2, 0, 0, 1], 16);
      const posed = await runtime.deform({ bones: bent });
      expect(posed.positions.every(Number.isFinite), `v${variant}`).toBe(true);
      for (let i = 0; i < n * n; i++) {
        expect(Math.hypot(...(posed.normals?.subarray(3 * i, 3 * i + 3) ?? []))).toBeCloseTo(1, 4);
      }
      runtime.dispose();
    }
  });

  it('rejects poses of other skeletons, bones that are not rigid where they must be, and overlapping calls', async () => {
    const { model } = cases[0];
    const boneCount = model.skeleton.names.length;
    const runtime = await createDdmRuntime({ ...model, variant: 2 }, { compute });
    await expect(runtime.deform({ bones: new Float64Array(16) })).rejects.toThrow(`expected ${boneCount}`);
    const scaled = makeIdentities(boneCount).map((x) => 1.2 * x);
    await expect(runtime.deform({ bones: scaled })).rejects.toThrow('scaled, sheared or mirrored');
    const first = runtime.deform({ bones: makeIdentities(boneCount) });
    await expect(runtime.deform({ bones: makeIdentities(boneCount) })).rejects.toThrow('await');
    await first;
    expect((await runtime.deformMany([])).poseCount).toBe(0);
    runtime.dispose();
    runtime.dispose();
    await expect(runtime.deform({ bones: makeIdentities(boneCount) })).rejects.toThrow('disposed');
  });

  it('allocates no memory for repeated calls', async () => {
    const { model, motion } = cases[1];
    const runtime = await createDdmRuntime({ ...model, variant: 0 }, { threads: 1, normals: false });
    const first = await runtime.deform({ bones: poseOf(motion, 0) });
    expect(first.normals).toBeUndefined();
    const second = await runtime.deform({ bones: poseOf(motion, 1) });
    expect(second).toBe(first);
    runtime.dispose();
  });

  const data = process.env.OSSIFY_DATA ?? '../shared';
  const vectors = join(data, 'vectors/ddm-v0-bar.json');
  it.skipIf(!existsSync(vectors))(
    'reaches the worked-out bar to 2e-5 of its size (needs the data folder)',
    async () => {
      const bar = JSON.parse(readFileSync(vectors, 'utf8'));
      const { nV, nBones, nPoses } = bar as Record<string, number>;
      const mesh = makeMesh(Float32Array.from(bar.rest), Uint32Array.from(bar.faces));
      const given = cases[0].model;
      // Both bones of every vertex, the stronger first.
      const boneIndices = new Uint32Array(nV * 2);
      const omegas = new Float64Array(nV * 20);
      for (let i = 0; i < nV; i++) {
        const first = bar.omega[20 * i + 9] >= bar.omega[20 * i + 19] ? 0 : 1;
        for (let e = 0; e < 2; e++) {
          const j = e === 0 ? first : 1 - first;
          boneIndices[2 * i + e] = j;
          omegas.set(bar.omega.slice(20 * i + 10 * j, 20 * i + 10 * j + 10), 20 * i + 10 * e);
        }
      }
      const rowStart = Uint32Array.from({ length: nV + 1 }, (_, i) => 2 * i);
      const skeleton = { ...given.skeleton, names: given.skeleton.names.slice(0, nBones) };
      const model = { ...given, mesh, skeleton, multiWeights: { rowStart, boneIndices, omegas }, variant: 0 as const };
      const runtime = await createDdmRuntime(model, { compute });
      const size = measureBounds(mesh.positions).diagonal;
      for (let k = 0; k < nPoses; k++) {
        // the file's matrices are row-major
        const bones = Float64Array.from({ length: 16 * nBones }, (_, e) => {
          const c = e % 16;
          return bar.transforms[16 * nBones * k + (e - c) + 4 * (c % 4) + Math.floor(c / 4)];
        });
        const { positions } = await runtime.deform({ bones });
        expect(farthest(positions, bar.deformed.slice(3 * nV * k, 3 * nV * (k + 1)))).toBeLessThan(2e-5 * size);
      }
      runtime.dispose();
    },
  );
});

describe('createBlendRuntime', () => {
  it('is linear blend skinning', async () => {
    for (const { model, skin, motion, size } of cases) {
      const boneCount = model.skeleton.names.length;
      const runtime = await createBlendRuntime(model.mesh, skin, boneCount, { compute });
      const bones = poseOf(motion, 5);
      const { positions, normals } = await runtime.deform({ bones });
      const expected = shapeOf(makeLinearBlend(model.mesh, skin, boneCount), bones);
      expect(farthest(positions, expected.positions)).toBeLessThan(2e-6 * size);
      expect(farthest(normals ?? [], expected.normals)).toBeLessThan(1e-4);
      runtime.dispose();
    }
  });
});
