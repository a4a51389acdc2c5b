// SPDX-License-Identifier: MIT
import { transformPoint } from '../../../core/math/mat4.ts';
import { multiplyQuaternions } from '../../../core/math/quaternion.ts';
import type { Track } from '../../../core/model/clip/animation.ts';
import type { NodeTree } from '../../../core/model/skin/node-tree.ts';

/** A quarter turn about x, which takes z to y. */
const TURN = Float64Array.of(-Math.SQRT1_2, 0, 0, Math.SQRT1_2);
const Z_TO_Y = [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1];

/** Turns the roots of a stage whose z axis points up, and their keys, so that y does. */
export function turnUpright(nodes: NodeTree, tracks: readonly Track[]): void {
  const { parents, translations, rotations } = nodes;
  parents.forEach((parent, n) => {
    if (parent >= 0) return;
    transformPoint(Z_TO_Y, translations, translations, 0, 3 * n, 3 * n);
    multiplyQuaternions(TURN, rotations, rotations, 0, 4 * n, 4 * n);
  });
  for (const { node, path, values } of tracks) {
    if (parents[node] >= 0) continue;
    if (path === 'translation')
      for (let o = 0; o < values.length; o += 3) transformPoint(Z_TO_Y, values, values, 0, o, o);
    if (path === 'rotation')
      for (let o = 0; o < values.length; o += 4) multiplyQuaternions(TURN, values, values, 0, o, o);
  }
}

/** Positions with z up as positions with y up. */
export function turnPointsInPlace(positions: Float32Array): void {
  for (let o = 0; o < positions.length; o += 3) {
    const y = positions[o + 1];
    positions[o + 1] = positions[o + 2];
    positions[o + 2] = -y;
  }
}
