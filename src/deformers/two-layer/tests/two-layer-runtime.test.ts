// SPDX-License-Identifier: MIT
import { afterAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import { compose, makeIdentities, multiply } from '../../../core/math/mat4.ts';
import { quaternionFromAxisAngle } from '../../../core/math/quaternion.ts';
import { makeRandom } from '../../../core/math/random.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { poseOf } from '../../../core/model/clip/motion.ts';
import type { Pose } from '../../../core/model/deformed/deformer.ts';
import type { TwoLayer } from '../../../core/model/deformed/two-layer.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { compressDdm } from '../../../methods/compress/compress-ddm.ts';
import { precomputeDdm } from '../../../methods/mush/precompute-ddm.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { makeTwoLayer } from '../make-two-layer.ts';
import { createTwoLayerRuntime } from '../two-layer-runtime.ts';

const TOLERANCE = 2e-5;
const compute = await makeCompute({ threads: 2 });
afterAll(() => compute.dispose());

interface Shape {
  vertexCount: number;
  boneCount: number;
  virtualCount: number;
  influences?: number;
  /** File units per unit. */
  unit?: number;
  /** Where the rest shape is. */
  place?: number;
  isFlat?: boolean;
}

/** A cloud of points; every virtual bone has a patch of its own per master bone it follows, about its center. */
function makeModel({
  vertexCount,
  boneCount,
  virtualCount,
  influences = 8,
  unit = 1,
  place = 0,
  isFlat = false,
}: Shape): TwoLayer {
  const random = makeRandom(vertexCount + virtualCount);
  const point = (r: number): number => unit * ((isFlat && r === 1 ? 0 : random.normal()) + place);
  const positions = Float32Array.from({ length: 3 * vertexCount }, (_, c) => point(c % 3));
  const triangles = Uint32Array.from({ length: 3 * vertexCount }, (_, c) => (((c / 3) | 0) + (c % 3)) % vertexCount);
  const rowStart = new Uint32Array(virtualCount + 1);
  const boneIndices: number[] = [];
  const omegas: number[] = [];
  for (let k = 0; k < virtualCount; k++) {
    const count = Math.min(boneCount, 1 + (k % 4));
    const weights = Array.from({ length: count }, (_, n) => 2 ** -n);
    const total = weights.reduce((sum, w) => sum + w);
    const offsets = weights.map(() => [0, 1, 2].map((r) => (isFlat && r === 1 ? 0 : 0.2 * unit * random.normal())));
    const mean = [0, 1, 2].map((r) => offsets.reduce((sum, o, n) => sum + (o[r] * weights[n]) / total, 0));
    weights.forEach((w, n) => {
      const u = [...offsets[n].map((x, r) => x - mean[r]), 1];
      boneIndices.push((3 * k + n) % boneCount);
      for (let r = 0; r < 4; r++) {
        for (let c = r; c < 4; c++) {
          const spread = r === c && r < 3 && !(isFlat && r === 1) ? 0.01 * (r + 1) * unit * unit : 0;
          omegas.push((w / total) * (u[r] * u[c] + spread));
        }
      }
    });
    rowStart[k + 1] = boneIndices.length;
  }
  const bones = Array.from({ length: vertexCount * influences }, () => Math.floor(random.next() * virtualCount));
  return {
    kind: 'two-layer',
    mesh: makeMesh(positions, triangles),
    skeleton: {
      names: Array.from({ length: boneCount }, (_, j) => `bone ${j}`),
      parents: new Int32Array(boneCount).fill(-1),
      bindMatrices: makeIdentities(boneCount),
    },
    virtualBones: {
      rowStart,
      boneIndices: Uint32Array.from(boneIndices),
      omegas: Float64Array.from(omegas),
    },
    centers: Float64Array.from({ length: 3 * virtualCount }, (_, c) => point(c % 3)),
    skin: makeSkin(
      bones,
      bones.map(() => 0.1 + random.next()),
      influences,
    ),
  };
}

/** Everything turned by `whole` and moved by `far`, each bone by up to `own` besides, about the middle. */
function makePose(model: TwoLayer, seed: number, whole: number, own: number, far = 0): Pose {
  const boneCount = model.skeleton.names.length;
  const random = makeRandom(seed);
  const { min, max, diagonal } = measureBounds(model.mesh.positions);
  const middle = [0, 1, 2].map((r) => (min[r] + max[r]) / 2);
  const rigid = (angle: number, move: number): Float64Array => {
    const q = [0, 0, 0, 1];
    quaternionFromAxisAngle([random.normal(), random.normal(), random.normal()], angle, q);
    const m = new Float64Array(16);
    compose([0, 0, 0], q, [1, 1, 1], m);
    for (let r = 0; r < 3; r++)
      m[12 + r] =
        middle[r] - m[r] * middle[0] - m[4 + r] * middle[1] - m[8 + r] * middle[2] + move * diagonal * random.normal();
    return m;
  };
  const bones = new Float64Array(16 * boneCount);
  const root = rigid(whole, 0.1);
  for (let j = 0; j < boneCount; j++) {
    multiply(root, rigid((2 * random.next() - 1) * own, 0.02), bones, 0, 0, 16 * j);
    bones[16 * j + 12] += far;
  }
  return { bones };
}

function makePoses(model: TwoLayer): Pose[] {
  return [makePose(model, 1, 0, 0), ...[2, 3, 4, 5].map((seed) => makePose(model, seed, Math.PI, 0.3 * (seed - 1)))];
}

function farthest(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let worst = 0;
  for (let c = 0; c < a.length; c++) {
    const off = Math.abs(a[c] - b[c]);
    worst = off <= worst ? worst : off; // NaN stays
  }
  return worst;
}

/** Largest differences from the reference in double, of positions as a part of the size and of normals. */
async function compare(model: TwoLayer, poses: Pose[]): Promise<{ position: number; normal: number }> {
  const runtime = await createTwoLayerRuntime(model, { compute });
  const reference = makeTwoLayer(model);
  const n = model.mesh.positions.length;
  const wanted = new Float64Array(n);
  const wantedNormals = new Float64Array(n);
  const { diagonal } = measureBounds(model.mesh.positions);
  const max = { position: 0, normal: 0 };
  for (const pose of poses) {
    reference.deformInto(pose, wanted, wantedNormals);
    const { positions, normals } = await runtime.deform(pose);
    max.position = Math.max(max.position, farthest(positions, wanted) / (diagonal || 1));
    max.normal = Math.max(max.normal, farthest(normals!, wantedNormals));
  }
  runtime.dispose();
  return max;
}

describe('the run-time of two layers', () => {
  it.each<[string, Shape]>([
    ['many virtual bones', { vertexCount: 500, boneCount: 20, virtualCount: 60 }],
    ['one virtual bone, one master', { vertexCount: 30, boneCount: 1, virtualCount: 1, influences: 1 }],
    ['one vertex', { vertexCount: 1, boneCount: 3, virtualCount: 4, influences: 4 }],
    ['millimetres', { vertexCount: 100, boneCount: 5, virtualCount: 9, unit: 1000 }],
    ['a model of a tenth of a millimetre', { vertexCount: 100, boneCount: 5, virtualCount: 1, unit: 1e-4 }],
    ['a rest shape a hundred sizes away', { vertexCount: 100, boneCount: 5, virtualCount: 9, place: 300 }],
  ])('agrees with the reference to 2e-5 of the size: %s', async (_, shape) => {
    const model = makeModel(shape);
    const { position, normal } = await compare(model, makePoses(model));
    expect(position).toBeLessThan(TOLERANCE);
    expect(normal).toBeLessThan(2e-3);
  });

  it('agrees with the reference on a compressed creature, in every pose of its clip', async () => {
    const { clip, skeleton, skin, motion } = makeSample('creature', { resolution: 300, frames: 6 });
    const ddm = await precomputeDdm(clip.mesh, skeleton!, skin!);
    const { model } = await compressDdm(ddm, { virtualBones: 30, objective: 'linear', iterations: 1 });
    const poses = Array.from({ length: 6 }, (_, k) => ({ bones: poseOf(motion!, k) }));
    const { position, normal } = await compare(model, poses);
    expect(position).toBeLessThan(TOLERANCE);
    expect(normal).toBeLessThan(2e-3);
  });

  it('agrees with the reference for flat shapes, without NaN', async () => {
    const model = makeModel({ vertexCount: 100, boneCount: 5, virtualCount: 9, isFlat: true });
    const { position } = await compare(model, [makePose(model, 1, 0, 0), makePose(model, 2, Math.PI, 0)]);
    expect(position).toBeLessThan(TOLERANCE);
    const runtime = await createTwoLayerRuntime(model, { compute });
    const { positions, normals } = await runtime.deform(makePose(model, 3, 1, 2));
    expect([...positions, ...normals!].every(Number.isFinite)).toBe(true);
    runtime.dispose();
  });

  it('only loses the rounding of the position far from the origin', async () => {
    const model = makeModel({ vertexCount: 200, boneCount: 6, virtualCount: 20 });
    const { diagonal } = measureBounds(model.mesh.positions);
    const runtime = await createTwoLayerRuntime(model, { compute });
    const near = new Float64Array(600);
    makeTwoLayer(model).deformInto(makePose(model, 7, 2, 1), near);
    const offAt = async (far: number): Promise<number> => {
      const { positions } = await runtime.deform(makePose(model, 7, 2, 1, far));
      return farthest(
        Float64Array.from(positions, (x, c) => (c % 3 === 0 ? x - far : x)),
        near,
      );
    };
    expect(await offAt(10)).toBeLessThan(1e-5 * diagonal);
    expect(await offAt(1e4)).toBeLessThan(2 * 2 ** -10);
    runtime.dispose();
  });

  it('gives the same bytes for many poses at once as for one after another', async () => {
    const model = makeModel({ vertexCount: 300, boneCount: 12, virtualCount: 30 });
    const runtime = await createTwoLayerRuntime(model, { compute });
    const poses = makePoses(model);
    const { poseCount, positions, normals } = await runtime.deformMany(poses);
    expect(poseCount).toBe(poses.length);
    const all = { positions: positions.slice(), normals: normals!.slice() };
    for (let k = 0; k < poses.length; k++) {
      const one = await runtime.deform(poses[k]);
      expect(one.positions).toEqual(all.positions.subarray(900 * k, 900 * (k + 1)));
      expect(one.normals).toEqual(all.normals.subarray(900 * k, 900 * (k + 1)));
    }
    expect((await runtime.deformMany([])).poseCount).toBe(0);
    runtime.dispose();
  });

  it('returns the same arrays at every call, and no normals if not requested', async () => {
    const model = makeModel({ vertexCount: 50, boneCount: 3, virtualCount: 5 });
    const runtime = await createTwoLayerRuntime(model, { compute, normals: false });
    const [first, second] = makePoses(model);
    const before = (await runtime.deform(first)).positions;
    const after = await runtime.deform(second);
    expect(after.positions).toBe(before);
    expect(after.normals).toBeUndefined();
    runtime.dispose();
  });

  it('makes its own compute by default, and throws on invalid input', async () => {
    const model = makeModel({ vertexCount: 50, boneCount: 3, virtualCount: 5 });
    const runtime = await createTwoLayerRuntime(model);
    expect([runtime.vertexCount, runtime.boneCount]).toEqual([50, 3]);
    await expect(runtime.deform({ bones: makeIdentities(4) })).rejects.toThrow('4 bones, expected 3');
    const first = runtime.deform(makePose(model, 1, 1, 1));
    await expect(runtime.deform(makePose(model, 1, 1, 1))).rejects.toThrow('await it first');
    await first;
    runtime.dispose();
    await expect(runtime.deform(makePose(model, 1, 1, 1))).rejects.toThrow('disposed');
    await expect(createTwoLayerRuntime({ ...model, centers: new Float64Array(3) })).rejects.toThrow('1 centers for 5');
  });
});
