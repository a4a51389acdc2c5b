// SPDX-License-Identifier: MIT
// Nearest rotations of many 3x3 matrices: R = argmax tr(RᵀA) over rotations.
//
// The closed form of core/math/rotation.ts, two matrices at a time, without branches on their content. Where it would lose digits (rank one
// or less, reflections with equal smallest values) the pair goes through one-sided Jacobi: plane rotations V make the columns of B = A V orthogonal,
// so that B = U Σ and A = U Σ Vᵀ without ever forming AᵀA (which would square the condition). With V a rotation and the columns sorted by length,
// U = [u₀, u₁, u₀ × u₁] has determinant one: where det A < 0 this flips the direction of the smallest singular value, which is what the maximum
// over rotations does. Rank one is completed by the smallest rotation; zero and non-finite input give the identity.
//
// Chunks must have an even size so that no pair spans two of them.
import { nearestRotationInto } from '../../math/rotation.ts';
import { kernel } from '../kernel.ts';

export const rotationsKernel = kernel(
  'rotations',
  {
    /** count x 9 */
    matrices: 'f64',
    /** count x 9, filled */
    out: 'f64',
    count: 'int',
    /** even */
    chunkSize: 'int',
  },
  ({ matrices, out, count, chunkSize }, chunk) => {
    const end = Math.min(count, (chunk + 1) * chunkSize);
    for (let i = chunk * chunkSize; i < end; i++) nearestRotationInto(matrices, out, i * 9, i * 9);
  },
);
