// SPDX-License-Identifier: MIT

import { beforeAll, describe, expect, it } from 'vitest';
import { launchGpu } from '../../../../scripts/launch-gpu.ts';
import { compose, IDENTITY, multiply } from '../../../core/math/mat4.ts';
import { quaternionFromAxisAngle } from '../../../core/math/quaternion.ts';
import { makeRandom } from '../../../core/math/random.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import type { Pose } from '../../../core/model/deformed/deformer.ts';
import type { DdmVariant, DirectDeltaMush } from '../../../core/model/deformed/direct-delta-mush.ts';
import { type Mesh, makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeLooseSkeleton } from '../../../core/model/skin/skeleton.ts';
import { makeSkin, type Skin } from '../../../core/model/skin/skin.ts';
import { makeRestNormals } from '../../../deformers/linear-blend/rest-normals.ts';
import { makeDeformer } from '../../../deformers/playback/make-deformer.ts';
import { compressDdm } from '../../../methods/compress/compress-ddm.ts';
import { precomputeDdm } from '../../../methods/mush/precompute-ddm.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { createGpuDeformer, type GpuDeformerOptions } from '../create-gpu-deformer.ts';
import { requestGpuDevice } from '../gpu-device.ts';
import type { GpuModel } from '../gpu-model.ts';

/** Of the size of the rest shape. */
const TOLERANCE = 2e-5;
const NORMAL_TOLERANCE = 2e-4;

let device: GPUDevice;
let ddm: DirectDeltaMush;
beforeAll(async () => {
  device = await requestGpuDevice({ gpu: await launchGpu() });
  const { clip, skeleton, skin } = makeSample('creature', { resolution: 300, frames: 1 });
  if (!skeleton || !skin) throw new Error('the creature has bones');
  const model = await precomputeDdm(clip.mesh, skeleton, skin, { lambda: 20 });
  ddm = { ...model, mesh: withNormals(model.mesh) };
});

function withNormals(mesh: Mesh): Mesh {
  return { ...mesh, normals: mesh.normals ?? makeRestNormals(mesh) };
}

/** Rigid bones: the whole turned by `whole` about one axis, each bone by up to `own` about its own, and a little moved. */
function makePose(boneCount: number, seed: number, whole: number, own: number): Pose {
  const random = makeRandom(seed);
  const bones = new Float64Array(16 * boneCount);
  const rigid = (angle: number, move: number): Float64Array => {
    const q = [0, 0, 0, 1];
    quaternionFromAxisAngle([random.normal(), random.normal(), random.normal()], angle, q);
    const m = new Float64Array(16);
    compose(
      [0, 0, 0].map(() => move * random.normal()),
      q,
      [1, 1, 1],
      m,
    );
    return m;
  };
  const root = rigid(whole, 0.5);
  for (let j = 0; j < boneCount; j++) multiply(root, rigid((2 * random.next() - 1) * own, 0.05), bones, 0, 0, 16 * j);
  return { bones };
}

/** The identity, a half turn of everything, bends, and turns of more than a right angle between neighbours. */
function makePoses(boneCount: number): Pose[] {
  return [
    makePose(boneCount, 1, 0, 0),
    ...[2, 3, 4, 5, 6].map((seed) => makePose(boneCount, seed, Math.PI, 0.35 * (seed - 2))),
  ];
}

/** A cloud of vertices on a ring of triangles, each bound to `influences` bones. */
function makeCloud(
  vertexCount: number,
  boneCount: number,
  influences: number,
  seed: number,
): { mesh: Mesh; skin: Skin } {
  const random = makeRandom(seed);
  const positions = Float32Array.from({ length: 3 * vertexCount }, () => random.normal());
  const triangles = Uint32Array.from(
    { length: 3 * vertexCount },
    (_, c) => (Math.floor(c / 3) + (c % 3)) % vertexCount,
  );
  const bones = Array.from({ length: vertexCount * influences }, () => Math.floor(random.next() * boneCount));
  // some vertices with fewer
  const weights = bones.map((_, n) => (n % influences > 0 && random.next() < 0.3 ? 0 : 0.1 + random.next()));
  return { mesh: withNormals(makeMesh(positions, triangles)), skin: makeSkin(bones, weights, influences) };
}

/** Largest differences of positions, as a part of the size, and of normals. */
function compareWith(
  model: GpuModel,
  poses: Pose[],
  got: { positions: Float32Array; normals: Float32Array | undefined },
  stride = 3,
): { position: number; normal: number } {
  const reference = makeDeformer(model);
  const n = model.mesh.positions.length;
  const size = measureBounds(model.mesh.positions).diagonal || 1;
  const positions = new Float32Array(n);
  const normals = new Float32Array(n);
  let position = 0;
  let normal = 0;
  poses.forEach((pose, k) => {
    reference.deformInto(pose, positions, normals);
    for (let c = 0; c < n; c++) {
      const at = (k * (n / 3) + Math.floor(c / 3)) * stride + (c % 3);
      const off = Math.abs(positions[c] - got.positions[at]) / size;
      position = off <= position ? position : off; // NaN stays
      const offNormal = got.normals ? Math.abs(normals[c] - got.normals[at]) : 0;
      normal = offNormal <= normal ? normal : offNormal;
    }
  });
  return { position, normal };
}

async function runOnGpu(model: GpuModel, poses: Pose[], options: GpuDeformerOptions = {}) {
  const deformer = await createGpuDeformer(device, model, { instances: poses.length, ...options });
  deformer.writePoses(poses);
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  deformer.encode(pass);
  pass.end();
  device.queue.submit([encoder.finish()]);
  const result = await deformer.readback();
  deformer.destroy();
  return result;
}

async function expectAgreement(model: GpuModel, poses: Pose[], options: GpuDeformerOptions = {}): Promise<void> {
  const { position, normal } = compareWith(model, poses, await runOnGpu(model, poses, options), options.stride);
  expect(position).toBeLessThan(TOLERANCE);
  expect(normal).toBeLessThan(NORMAL_TOLERANCE);
}

/** Every vertex follows bone 0 with a patch of all vertices, or, for concentration 1, with itself alone. */
function makeMultiWeights(mesh: Mesh, concentration: 0 | 1): DirectDeltaMush['multiWeights'] {
  const n = mesh.positions.length / 3;
  const omegas = new Float64Array(10 * n);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < n; k++) {
      const weight = concentration ? (k === i ? 1 : 0) : 1 / n;
      const u = [...mesh.positions.subarray(3 * k, 3 * k + 3), 1];
      let o = 10 * i;
      for (let r = 0; r < 4; r++) for (let c = r; c < 4; c++) omegas[o++] += weight * u[r] * u[c];
    }
  }
  const rowStart = Uint32Array.from({ length: n + 1 }, (_, i) => i);
  return { rowStart, boneIndices: new Uint32Array(n), omegas };
}

const KINDS = ['skin', 'dual-quaternion', 'centers-of-rotation'] as const;

function makeSkinModel(
  kind: (typeof KINDS)[number],
  vertexCount: number,
  boneCount: number,
  influences: number,
): GpuModel {
  const { mesh, skin } = makeCloud(vertexCount, boneCount, influences, vertexCount + influences);
  const centers = mesh.positions.map((x, c) => 0.6 * x + 0.1 * (c % 3));
  return { kind, mesh, skeleton: makeLooseSkeleton(boneCount), skin, centers };
}

describe('a deformer on the GPU', () => {
  for (const kind of KINDS) {
    it.each([
      [1, 1, 1],
      [63, 5, 4],
      [64, 5, 8],
      [131, 300, 4],
      [200, 40, 13],
    ])(
      `agrees with the reference: ${kind}, %i vertices, %i bones, %i influences`,
      async (vertices, bones, influences) => {
        await expectAgreement(makeSkinModel(kind, vertices, bones, influences), makePoses(bones));
      },
    );
  }

  it.each([0, 1, 2, 3, 4, 5] as DdmVariant[])('agrees with the reference: Direct Delta Mush v%i', async (variant) => {
    const boneCount = ddm.skeleton.names.length;
    await expectAgreement({ ...ddm, variant }, makePoses(boneCount));
  });

  it.each([1, 70])('agrees with the reference: two layers with %i virtual bones', async (virtualBones) => {
    const { model } = await compressDdm(ddm, {
      virtualBones,
      influences: Math.min(8, virtualBones),
      iterations: 1,
      objective: 'linear',
    });
    const twoLayer = { ...model, mesh: ddm.mesh };
    await expectAgreement(twoLayer, makePoses(ddm.skeleton.names.length));
    await expectAgreement(twoLayer, makePoses(ddm.skeleton.names.length).slice(0, 3), { stride: 4 });
  });

  it('agrees with the reference for one bone, a flat mesh and a single point of Direct Delta Mush', async () => {
    const { mesh } = makeCloud(70, 1, 1, 3);
    for (let c = 1; c < mesh.positions.length; c += 3) mesh.positions[c] = 0;
    const skeleton = { names: ['root'], parents: Int32Array.of(-1), bindMatrices: Float64Array.from(IDENTITY) };
    const flat = makeMultiWeights(mesh, 0);
    for (const variant of [0, 1, 2, 3, 4, 5] as DdmVariant[]) {
      await expectAgreement({ ...ddm, mesh, skeleton, multiWeights: flat, variant }, makePoses(1));
    }
    const point = makeMultiWeights(mesh, 1);
    await expectAgreement({ ...ddm, mesh, skeleton, multiWeights: point, variant: 0 }, makePoses(1));
  });

  it('keeps short multi-weights within 5e-4 of the size in half the memory', async () => {
    for (const variant of [0, 1] as DdmVariant[]) {
      const model = { ...ddm, variant };
      const poses = makePoses(ddm.skeleton.names.length).slice(0, 4);
      const { position } = compareWith(model, poses, await runOnGpu(model, poses, { quantize: true }));
      expect(position).toBeLessThan(5e-4);
    }
  });

  it('writes x y z 1 where asked', async () => {
    const model = makeSkinModel('skin', 100, 7, 5);
    const poses = makePoses(7);
    const got = await runOnGpu(model, poses, { stride: 4 });
    const { position, normal } = compareWith(model, poses, got, 4);
    expect(position).toBeLessThan(TOLERANCE);
    expect(normal).toBeLessThan(NORMAL_TOLERANCE);
    expect(got.positions.filter((_, c) => c % 4 === 3).every((w) => w === 1)).toBe(true);
    expect(got.normals?.filter((_, c) => c % 4 === 3).every((w) => w === 0)).toBe(true);
  });
});
