// SPDX-License-Identifier: MIT

import { multiply } from '../../core/math/mat4.ts';
import { InputError } from '../../core/model/errors.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import type { Rgb } from '../image/color.ts';
import { paletteColor } from '../image/palette.ts';
import type { SceneLine, ScenePoint } from './overlay.ts';

/** Options of boneLines. */
export interface BoneLineOptions {
  /** Colour of bone j. Default: one colour for all; 'palette' gives each its own, as in weightColors. */
  color?: Rgb | 'palette';
  /** Maximum width of a bone, pixels. Default 9. */
  width?: number;
  /** Radius of joints, pixels. Default 3.5. */
  radius?: number;
  /** Length of the red, green and blue axes drawn at each joint, file units; 0 for none. Default 0. */
  axes?: number;
  /** Writes the names beside the joints. Default false. */
  names?: boolean;
}

/** A skeleton as lines and points of a scene. */
export interface BoneLines {
  /** Lines along the bones, for Scene.lines. */
  lines: SceneLine[];
  /** Points at the joints, for Scene.points. */
  points: ScenePoint[];
}

const BONE_COLOR: Rgb = [0.98, 0.72, 0.2];
const AXIS_COLORS: readonly Rgb[] = [
  [0.9, 0.2, 0.22],
  [0.3, 0.72, 0.28],
  [0.22, 0.46, 0.92],
];

/**
 * Makes lines and points of a posed skeleton for a Scene. A bone is drawn from its joint to the joint of each child. Bones without children or
 * without a hierarchy, as from decompositions, are drawn as points only.
 * @param pose boneCount x 16, rest to posed (a frame of a Motion). Default: the rest pose.
 * @example
 * ```ts
 * import { boneLines, renderView } from 'ossify/draw';
 *
 * const { lines, points } = boneLines(skeleton);
 * const image = renderView({ positions: mesh.positions, triangles: mesh.triangles, lines, points }, { opacity: 0.5 });
 * ```
 */
export function boneLines(skeleton: Skeleton, pose?: ArrayLike<number>, options: BoneLineOptions = {}): BoneLines {
  const boneCount = skeleton.names.length;
  if (pose && pose.length < boneCount * 16) {
    throw new InputError('boneLines', `${boneCount} bones need ${boneCount * 16} numbers of pose, got ${pose.length}`);
  }
  const world = new Float64Array(boneCount * 16);
  for (let j = 0; j < boneCount; j++) {
    if (pose) multiply(pose, skeleton.bindMatrices, world, j * 16, j * 16, j * 16);
    else world.set(skeleton.bindMatrices.subarray(j * 16, j * 16 + 16), j * 16);
  }
  const joint = (j: number) => [world[j * 16 + 12], world[j * 16 + 13], world[j * 16 + 14]] as const;
  const colorOf = (j: number) => (options.color === 'palette' ? paletteColor(j) : (options.color ?? BONE_COLOR));

  // Length of the shortest bone at each joint.
  const reach = new Float64Array(boneCount).fill(Infinity);
  for (let j = 0; j < boneCount; j++) {
    const parent = skeleton.parents[j];
    if (parent < 0) continue;
    const [from, to] = [joint(parent), joint(j)];
    const length = Math.hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
    // Coincident joints, as helper bones often have, do not determine a size.
    if (!(length > 0)) continue;
    reach[j] = Math.min(reach[j], length);
    reach[parent] = Math.min(reach[parent], length);
  }

  const lines: SceneLine[] = [];
  const points: ScenePoint[] = [];
  for (let j = 0; j < boneCount; j++) {
    const parent = skeleton.parents[j];
    if (parent >= 0) {
      lines.push({
        from: joint(parent),
        to: joint(j),
        color: colorOf(parent),
        width: options.width ?? 9,
        shape: 'bone',
      });
    }
    for (let c = 0; c < 3 && (options.axes ?? 0) > 0; c++) {
      lines.push({ from: joint(j), to: axisEnd(world, j, c, options.axes ?? 0), color: AXIS_COLORS[c], width: 2 });
    }
    points.push({
      position: joint(j),
      color: colorOf(j),
      radius: options.radius ?? 3.5,
      reach: reach[j],
      label: options.names ? skeleton.names[j] : undefined,
    });
  }
  return { lines, points };
}

/** Point at the given length along axis c of bone j, independent of the bone's scale. */
function axisEnd(world: Float64Array, j: number, c: number, length: number): readonly [number, number, number] {
  const o = j * 16 + 4 * c;
  const size = Math.sqrt(world[o] ** 2 + world[o + 1] ** 2 + world[o + 2] ** 2) || 1;
  const t = length / size;
  const e = j * 16 + 12;
  return [world[e] + t * world[o], world[e + 1] + t * world[o + 1], world[e + 2] + t * world[o + 2]];
}
