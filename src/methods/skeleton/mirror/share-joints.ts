// SPDX-License-Identifier: MIT
// Joints of a pair with one set of unknowns. With H the curvature of the error at a joint (its own block of the normal matrix, joint-system.ts) and S the reflection, the place with the smallest rise for both is
//   x = (H_a + S H_b S)⁻¹ (H_a o_a + S H_b S · S o_b),
// and a joint in the middle goes to the point of the plane with the smallest rise, o − H⁻¹N (N·o − d) / (NᵀH⁻¹N). A plain mean would move joints across hinge axes: on the bird it doubled the squared error.

import { eigenSymmetric } from '../../../core/algebra/eigen-symmetric.ts';
import { type MirrorPlane, reflectInto } from '../../../core/mesh/geometry/find-mirror-plane.ts';
import type { JointTree } from '../joints/joint-tree.ts';

/** Curvature that is added in all directions, relative to the mean one: a hinge is not determined along its axis. */
const RIDGE = 1e-3;

/**
 * Makes the joints of a tree symmetric, in place.
 * @param blocks boneCount x 9: own blocks of the normal matrix
 * @param partners boneCount: the image of each bone
 */
export function shareJoints(tree: JointTree, blocks: Float64Array, partners: Int32Array, plane: MirrorPlane): void {
  const { joints, parents } = tree;
  const image = new Float64Array(3);
  for (let a = 0; a < tree.boneCount; a++) {
    const b = findImage(parents, partners, a);
    if (b < a) continue;
    const own = [0, 1, 2].map((r) => joints[3 * a + r]);
    const h = withRidge(blocks.subarray(9 * a, 9 * a + 9));
    if (b === a) {
      joints.set(projectOnto(own, h, plane), 3 * a);
      continue;
    }
    const k = reflectBlock(withRidge(blocks.subarray(9 * b, 9 * b + 9)), plane);
    reflectInto(plane, joints, 3 * b, image);
    const right = [0, 1, 2].map((r) => dotRow(h, r, own) + dotRow(k, r, image));
    const x = solveSymmetric(
      h.map((value, e) => value + k[e]),
      right,
    );
    joints.set(x, 3 * a);
    reflectInto(plane, x, 0, image);
    joints.set(image, 3 * b);
  }
}

/** The bone whose joint is the image of that of a bone; -1 if there is none. The joint between the two bones of a pair is its own image. */
function findImage(parents: Int32Array, partners: Int32Array, a: number): number {
  const p = parents[a];
  if (p < 0) return -1;
  const [u, v] = [partners[a], partners[p]];
  if (parents[u] === v) return u;
  return parents[v] === u ? v : -1;
}

function withRidge(block: Float64Array): Float64Array {
  // a released joint has no curvature: any will do
  const ridge = (RIDGE * (block[0] + block[4] + block[8])) / 3 || 1;
  return block.map((value, e) => value + (e % 4 === 0 ? ridge : 0));
}

function dotRow(h: Float64Array, r: number, v: ArrayLike<number>): number {
  return h[3 * r] * v[0] + h[3 * r + 1] * v[1] + h[3 * r + 2] * v[2];
}

/** S H S */
function reflectBlock(h: Float64Array, { normal }: MirrorPlane): Float64Array {
  const s = Float64Array.from(
    { length: 9 },
    (_, e) => (e % 4 === 0 ? 1 : 0) - 2 * normal[Math.floor(e / 3)] * normal[e % 3],
  );
  return multiply3(multiply3(s, h), s);
}

function multiply3(a: Float64Array, b: Float64Array): Float64Array {
  return Float64Array.from({ length: 9 }, (_, e) => {
    const [r, c] = [Math.floor(e / 3), e % 3];
    return a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c];
  });
}

function solveSymmetric(h: Float64Array, right: readonly number[]): number[] {
  const { values, vectors } = eigenSymmetric(h, 3);
  const x = [0, 0, 0];
  for (let n = 0; n < 3; n++) {
    if (!(values[n] > 0)) continue;
    const v = vectors.subarray(3 * n, 3 * n + 3);
    const along = (v[0] * right[0] + v[1] * right[1] + v[2] * right[2]) / values[n];
    for (let r = 0; r < 3; r++) x[r] += along * v[r];
  }
  return x;
}

function projectOnto(o: readonly number[], h: Float64Array, { normal, offset }: MirrorPlane): number[] {
  const way = solveSymmetric(h, normal);
  const along = normal[0] * way[0] + normal[1] * way[1] + normal[2] * way[2];
  const away = normal[0] * o[0] + normal[1] * o[1] + normal[2] * o[2] - offset;
  // a bone without points has no curvature
  return along > 0 ? o.map((x, r) => x - (way[r] * away) / along) : o.map((x, r) => x - normal[r] * away);
}
