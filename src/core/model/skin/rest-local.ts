// SPDX-License-Identifier: MIT
// Bones relative to their parents at rest, as nodes of a scene store them.
import { invertAffine, multiply } from '../../math/mat4.ts';
import { orthonormalizeInto } from '../../math/orthonormalize.ts';
import { quaternionFromMatrix } from '../../math/quaternion.ts';
import { InputError } from '../errors.ts';
import type { Skeleton } from './skeleton.ts';

/** Numbers of a local transform: translation, rotation x y z w, scale. */
export const LOCAL_SIZE = 10;

/** Tolerance on relative differences of a bind matrix's column lengths: uniform scale. */
const EVEN_TOLERANCE = 1e-3;

/** Fills translation, rotation and scale of a helper in its parent's space at rest. Throws on non-uniform scale. */
export function restLocalInto({ names, parents, bindMatrices }: Skeleton, bone: number, out: Float64Array, o = 0) {
  const m = new Float64Array(16);
  if (!invertAffine(bindMatrices, m, parents[bone] * 16))
    throw new InputError('helper bones', `the bind matrix of "${names[parents[bone]]}" has no inverse`);
  multiply(m, bindMatrices, m, 0, bone * 16);
  const lengths = [0, 4, 8].map((c) => Math.hypot(m[c], m[c + 1], m[c + 2]));
  const scale = Math.cbrt(lengths[0] * lengths[1] * lengths[2]);
  if (!(scale > 0) || lengths.some((length) => Math.abs(length - scale) > EVEN_TOLERANCE * scale))
    throw new InputError(
      'helper bones',
      `"${names[bone]}" hangs on "${names[parents[bone]]}", which is scaled unevenly`,
    );
  for (let c = 0; c < 3; c++) out[o + c] = m[12 + c];
  orthonormalizeInto(m);
  quaternionFromMatrix(m, out, 0, o + 3);
  out.fill(scale, o + 7, o + 10);
}

/** The rotation of a joint relative to its parent at rest, without scales: a 4x4 matrix whose upper 3x3 is the rotation. */
export function restRotationOf({ parents, bindMatrices }: Skeleton, joint: number): Float64Array {
  const m = bindMatrices.slice(16 * joint, 16 * joint + 16);
  orthonormalizeInto(m);
  if (parents[joint] < 0) return m;
  const p = bindMatrices.slice(16 * parents[joint], 16 * parents[joint] + 16);
  orthonormalizeInto(p);
  invertAffine(p, p);
  multiply(p, m, m);
  return m;
}
