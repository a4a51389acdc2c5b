// SPDX-License-Identifier: MIT
// One run of every kernel that does the same work each time it is called.
import { boneErrorsInto } from '../../src/core/kernels/bones/bone-errors.ts';
import { boneProductsInto, reserveBoneProducts, widthOf } from '../../src/core/kernels/bones/bone-products.ts';
import { boneSweep } from '../../src/core/kernels/bones/bone-sweep.ts';
import { reserveSkinMoments, skinMomentsInto } from '../../src/core/kernels/bones/skin-moments.ts';
import {
  type Compute,
  type Resident,
  uploadFloat32,
  uploadFloat64,
  uploadUint32,
} from '../../src/core/kernels/compute.ts';
import { reserveTrajectories, squareTrajectories } from '../../src/core/kernels/matrices/trajectories.ts';
import { rotationsKernel } from '../../src/core/kernels/patches/rotations.ts';
import { LINEAR_BLEND_CHUNK, linearBlendKernel } from '../../src/core/kernels/skinning/linear-blend.ts';
import { convexWeights, reserveFitWeights } from '../../src/core/kernels/weights/convex-weights.ts';
import { insertionGains } from '../../src/core/kernels/weights/insertion-gains.ts';
import type { Variant } from '../shared/time-variants.ts';
import type { KernelProblem } from './kernel-problem.ts';
import { makeDdmCases, makeSmoothingCases } from './smoothing-cases.ts';
import { makeTwoLayerCase } from './two-layer-case.ts';

export interface KernelCase extends Variant {
  name: string;
  /** Vertices of one run, where a time per vertex says something. */
  vertexCount?: number;
  /** What the last run made. */
  read(): Float32Array | Float64Array;
}

/** Matrices per chunk; even. */
const ROTATIONS_CHUNK = 2048;
const SWEEPS = 3;
const RIDGE = 1e-9;

/** The cases on one engine, in a fixed order; arrays stay reserved until the engine is disposed of. */
export async function makeKernelCases(compute: Compute, problem: KernelProblem): Promise<KernelCase[]> {
  return [
    makeRotations(compute, problem),
    ...makeBlends(compute, problem),
    ...makeDdmCases(compute, problem),
    await makeTwoLayerCase(compute, problem),
    ...makeSmoothingCases(compute, problem),
    ...(await makeFits(compute, problem)),
  ];
}

function makeRotations(compute: Compute, { matrices, sizes }: KernelProblem): KernelCase {
  const from = uploadFloat64(compute, matrices);
  const to = compute.float64(matrices.length);
  const args = { matrices: from, out: to, count: sizes.matrices, chunkSize: ROTATIONS_CHUNK };
  const chunkCount = Math.ceil(sizes.matrices / ROTATIONS_CHUNK);
  return {
    name: 'rotations',
    run: () => compute.run(rotationsKernel, args, chunkCount),
    read: () => to.view(),
  };
}

function makeBlends(compute: Compute, { blend, sizes }: KernelProblem): KernelCase[] {
  const restNormals = uploadFloat32(compute, blend.normals);
  const positions = compute.float32(blend.rest.length);
  const normals = compute.float32(blend.rest.length);
  const vertexCount = sizes.blendVertices;
  const given = {
    bones: uploadFloat32(compute, blend.bones),
    rowStart: uploadUint32(compute, blend.rowStart),
    boneIndices: uploadUint32(compute, blend.boneIndices),
    weights: uploadFloat32(compute, blend.weights),
    rest: uploadFloat32(compute, blend.rest),
    ...{ positions, normals, vertexCount, chunkSize: LINEAR_BLEND_CHUNK },
  };
  const chunkCount = Math.ceil(vertexCount / LINEAR_BLEND_CHUNK);
  const run = (from: Resident<Float32Array> | undefined) =>
    compute.run(linearBlendKernel, { ...given, restNormals: from }, chunkCount);
  return [
    { name: 'linearBlend (positions)', vertexCount, run: () => run(undefined), read: () => positions.view() },
    { name: 'linearBlend (and normals)', vertexCount, run: () => run(restNormals), read: () => normals.view() },
  ];
}

async function makeFits(compute: Compute, { fit: given, sizes }: KernelProblem): Promise<KernelCase[]> {
  const { vertices, frames, bones: boneCount, influences, newBones } = sizes;
  const trajectories = reserveTrajectories(compute, vertices, frames);
  trajectories.rest.view().set(given.rest);
  trajectories.posed.view().set(given.posed);
  squareTrajectories(trajectories);
  const bones = uploadFloat64(compute, given.bones);
  const swept = uploadFloat64(compute, given.bones);
  const products = reserveBoneProducts(compute, boneCount);
  const errors = compute.float64(vertices * widthOf(boneCount));
  const fit = reserveFitWeights(compute, vertices, influences);
  const moments = reserveSkinMoments(compute, boneCount, frames);
  const axes = compute.float64(9 * boneCount);
  for (let e = 0; e < axes.length; e++) axes.view()[e] = (e % 9) % 4 === 0 ? 1 : 0;
  let gains: Float64Array = new Float64Array(newBones);

  const cases: KernelCase[] = [
    {
      name: 'boneProducts',
      run: () => boneProductsInto(compute, bones, boneCount, products),
      read: () => products.pairs.view(),
    },
    {
      name: 'boneErrors',
      run: () => boneErrorsInto(compute, trajectories, bones, boneCount, products, errors),
      read: () => errors.view(),
    },
    {
      // A cold start is the same work whatever the weights were before.
      name: 'convexWeights',
      run: () => convexWeights(compute, trajectories, bones, products, fit, { start: 'cold', ridge: RIDGE }),
      read: () => fit.errors.view(),
    },
    {
      name: 'skinMoments',
      run: () => skinMomentsInto(compute, trajectories, fit.bones, fit.weights, boneCount, moments),
      read: () => moments.targets.view(),
    },
    {
      name: 'boneSweep',
      prepare: () => swept.view().set(given.bones),
      run: () => boneSweep(compute, swept, boneCount, moments, { sweeps: SWEEPS, kind: 'rigid', axes }),
      read: () => swept.view(),
    },
    {
      name: 'insertionGains',
      run: async () => {
        gains = await insertionGains(compute, trajectories, bones, fit, given.fresh, newBones);
      },
      read: () => gains,
    },
  ];
  // Each reads what those before it made: one pass in order fills everything, so that cases can be timed apart.
  for (const one of cases) await one.run();
  return cases;
}
