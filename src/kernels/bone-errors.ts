// SPDX-License-Identifier: MIT
// The squared error of every vertex under every single bone: Σₖ |Mⱼₖũ − vₖ|² = ũᵀPⱼⱼũ − 2 ũᵀ(Σₖ Mⱼₖᵀvₖ) + Σₖ|vₖ|².
import { type BoneProducts, widthOf } from './bone-products.ts';
import type { Compute, Resident, ResidentArray } from './compute.ts';
import { multiplyTrajectories, putProducts, type Trajectories, weighTen } from './trajectories.ts';

const CHUNK = 128;

/** Fills errors: vertexCount x width. The products must be those of the bones. */
export async function boneErrorsInto(
  compute: Compute,
  trajectories: Trajectories,
  bones: Resident<Float64Array>,
  boneCount: number,
  products: BoneProducts,
  errors: Resident<Float64Array>,
): Promise<void> {
  const { vertexCount, frameCount, rest, posed, squares } = trajectories;
  const width = widthOf(boneCount);
  const perThread = 10 + CHUNK * 4 * boneCount;
  const scratch = compute.float64(perThread * compute.threads);
  await compute.run(
    'boneErrors',
    [
      rest,
      posed,
      squares,
      bones,
      products.diagonal,
      errors,
      vertexCount,
      3 * frameCount,
      boneCount,
      width,
      scratch,
      perThread * 8,
      CHUNK,
    ],
    Math.ceil(vertexCount / CHUNK),
  );
  scratch.free();
}

/** args: u, V, squares, T, diagonal, errors, n, rows, boneCount, width, scratch, bytes per thread, vertices per chunk */
export function boneErrorsTwin(args: readonly (ResidentArray | number)[], chunk: number): void {
  const [u, v, squares, t, diagonal, errors] = args as Float64Array[];
  const [count, rows, boneCount, width] = args.slice(6) as number[];
  const products = (args[10] as Float64Array).subarray(10);
  const size = args[12] as number;
  const begin = chunk * size;
  const end = Math.min(count, begin + size);
  const ten = new Float64Array(10);
  multiplyTrajectories(v, t, products, begin, end, rows, 4 * boneCount);
  for (let i = begin; i < end; i++) {
    const x = u[3 * i];
    const y = u[3 * i + 1];
    const z = u[3 * i + 2];
    putProducts(x, y, z, ten);
    weighTen(diagonal, 0, ten, width, errors, i * width);
    for (let j = 0; j < boneCount; j++) {
      const b = (i - begin) * 4 * boneCount + 4 * j;
      const g = products[b] * x + products[b + 1] * y + products[b + 2] * z + products[b + 3];
      errors[i * width + j] = Math.max(0, errors[i * width + j] - 2 * g + squares[i]);
    }
  }
}
