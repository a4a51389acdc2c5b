// SPDX-License-Identifier: MIT
// The squared error of every vertex under every single bone: Σₖ |Mⱼₖũ − vₖ|² = ũᵀPⱼⱼũ − 2 ũᵀ(Σₖ Mⱼₖᵀvₖ) + Σₖ|vₖ|².
import { dotSym4TableInto, productsSym4Into, SYM4_SIZE } from '../../math/sym4.ts';
import type { Compute } from '../compute.ts';
import { callOf, type KernelCall, kernel, type Resident } from '../kernel.ts';
import { multiplyTrajectories, type Trajectories } from '../matrices/trajectories.ts';
import { type BoneProducts, widthOf } from './bone-products.ts';

const CHUNK = 32;

/** Fills errors: vertexCount x width. products must belong to bones. */
export async function boneErrorsInto(
  compute: Compute,
  trajectories: Trajectories,
  bones: Resident<Float64Array>,
  boneCount: number,
  products: BoneProducts,
  errors: Resident<Float64Array>,
): Promise<void> {
  await compute.scope((memory) =>
    compute.runAll([callBoneErrors(memory, trajectories, bones, boneCount, products, errors)]),
  );
}

/** The same as a call for runAll, with scratch memory from the given compute. */
export function callBoneErrors(
  memory: Compute,
  { vertexCount, frameCount, rest, posed, squares }: Trajectories,
  bones: Resident<Float64Array>,
  boneCount: number,
  { diagonal }: BoneProducts,
  errors: Resident<Float64Array>,
): KernelCall {
  const perThread = SYM4_SIZE + CHUNK * 4 * boneCount;
  const scratch = memory.float64(perThread * memory.threads);
  const arrays = { rest, posed, squares, bones, diagonal, errors, scratch };
  const sizes = { vertexCount, rows: 3 * frameCount, boneCount, width: widthOf(boneCount) };
  const args = { ...arrays, ...sizes, bytesPerThread: perThread * 8, chunkSize: CHUNK };
  return callOf(boneErrorsKernel, args, Math.ceil(vertexCount / CHUNK));
}

export const boneErrorsKernel = kernel(
  'boneErrors',
  {
    rest: 'f64',
    posed: 'f64',
    squares: 'f64',
    /** rows x 4 boneCount */
    bones: 'f64',
    /** 10 x width */
    diagonal: 'f64',
    /** vertexCount x width, filled */
    errors: 'f64',
    vertexCount: 'int',
    rows: 'int',
    boneCount: 'int',
    width: 'int',
    scratch: 'f64',
    bytesPerThread: 'int',
    chunkSize: 'int',
  },
  (
    { rest: u, posed: v, squares, bones: t, diagonal, errors, vertexCount, rows, boneCount, width, scratch, chunkSize },
    chunk,
  ) => {
    const products = scratch.subarray(SYM4_SIZE);
    const begin = chunk * chunkSize;
    const end = Math.min(vertexCount, begin + chunkSize);
    const own = new Float64Array(SYM4_SIZE);
    multiplyTrajectories(v, t, products, begin, end, rows, 4 * boneCount);
    for (let i = begin; i < end; i++) {
      const x = u[3 * i];
      const y = u[3 * i + 1];
      const z = u[3 * i + 2];
      productsSym4Into(x, y, z, own);
      dotSym4TableInto(diagonal, 0, width, own, errors, i * width);
      for (let j = 0; j < boneCount; j++) {
        const b = (i - begin) * 4 * boneCount + 4 * j;
        const g = products[b] * x + products[b + 1] * y + products[b + 2] * z + products[b + 3];
        errors[i * width + j] = Math.max(0, errors[i * width + j] - 2 * g + squares[i]);
      }
    }
  },
);
