// SPDX-License-Identifier: MIT
// A box around a posed shape, computed from its bones without visiting vertices. For culling.
//
// With linear blending a vertex is in the convex hull of its positions under each of its bones. Direct Delta Mush moves a vertex to u' = R (u − p) + q
// with q = Σⱼ ωⱼ Mⱼ cⱼ, where cⱼ = bⱼ / ωⱼ is the center of bone j's part of the patch: within |u − p| of the hull of the Mⱼ cⱼ. Each bone therefore has a box,
// in rest space, around the vertices that it moves, and the box around all posed boxes contains the shape. Weights of fitted virtual bones may be negative;
// SLACK compensates for them.

import { SYM4_11, SYM4_FIRST, SYM4_SIZE } from '../../core/math/sym4.ts';
import type { DirectDeltaMush, MultiWeights } from '../../core/model/deformed/direct-delta-mush.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import type { GpuModel } from '../gpu/index.ts';

/** Bounds of a posed shape, from its bones. */
export interface BoneBounds {
  /**
   * Fills a box around the posed shape: minimum and maximum x y z.
   * @param bones boneCount x 16, column-major, rest to posed
   */
  boxInto(bones: ArrayLike<number>, box: Float64Array): void;
}

/** Factor on each bone's box. */
const SLACK = 1.02;
/** Below this weight, the center of a bone's part of a patch is not well defined. */
const MIN_WEIGHT = 1e-3;

/** Makes the boxes of a model's bones. */
export function makeBoneBounds(model: GpuModel): BoneBounds {
  const boneCount = model.skeleton.names.length;
  /** boneCount x 6: minimum x y z, maximum x y z */
  const boxes = new Float64Array(6 * boneCount);
  for (let o = 0; o < boxes.length; o++) boxes[o] = o % 6 < 3 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  const add = (bone: number, x: number, y: number, z: number, radius: number): void => {
    const o = 6 * bone;
    boxes[o] = Math.min(boxes[o], x - radius);
    boxes[o + 1] = Math.min(boxes[o + 1], y - radius);
    boxes[o + 2] = Math.min(boxes[o + 2], z - radius);
    boxes[o + 3] = Math.max(boxes[o + 3], x + radius);
    boxes[o + 4] = Math.max(boxes[o + 4], y + radius);
    boxes[o + 5] = Math.max(boxes[o + 5], z + radius);
  };
  const { positions } = model.mesh;
  switch (model.kind) {
    case 'direct-delta-mush':
      // variant 5 is a plain skin, and its files have no centers
      if (model.variant === 5) addSkin(model.multiWeights, positions, add);
      else addPatches(model.multiWeights, undefined, listOffsets(model), add);
      break;
    case 'two-layer':
      addPatches(model.virtualBones, model.centers, listReaches(model.skin, positions, model.centers), add);
      break;
    case 'linear-two-layer':
      addSkin(composeSkins(model.skin, model.virtualBones), positions, add);
      break;
    case 'corrected-skin':
      addSkin(model.skin, positions, add, listDisplacements(model.correction.basis, positions.length));
      break;
    default:
      addSkin(model.skin, positions, add);
  }
  return { boxInto: (bones, box) => moveBoxes(boxes, bones, box) };
}

type Add = (bone: number, x: number, y: number, z: number, radius: number) => void;

function addSkin(
  { rowStart, boneIndices }: Pick<Skin, 'rowStart' | 'boneIndices'>,
  positions: Float32Array,
  add: Add,
  radii?: Float64Array,
): void {
  for (let i = 0; i + 1 < rowStart.length; i++)
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++)
      add(boneIndices[e], positions[3 * i], positions[3 * i + 1], positions[3 * i + 2], radii ? radii[i] : 0);
}

/**
 * Adds the parts of patches.
 * @param centers rows x 3: the origin of each row; default: the origin of the model
 * @param radii rows: maximum distance from the patch's center of the vertices that it moves
 */
function addPatches(rows: MultiWeights, centers: Float64Array | undefined, radii: Float64Array, add: Add): void {
  const { rowStart, boneIndices, omegas } = rows;
  for (let i = 0; i + 1 < rowStart.length; i++) {
    const p = centers ? centers.subarray(3 * i, 3 * i + 3) : [0, 0, 0];
    const middle = centerOf(rows, i);
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      const o = SYM4_SIZE * e;
      const weight = omegas[o + SYM4_11];
      const isClear = weight > MIN_WEIGHT;
      const [x, y, z] = isClear ? SYM4_FIRST.map((n) => omegas[o + n] / weight) : middle;
      add(boneIndices[e], p[0] + x, p[1] + y, p[2] + z, radii[i]);
    }
  }
}

/** The center of a row's patch: the sum of its first moments, as its weights sum to one. */
function centerOf({ rowStart, omegas }: MultiWeights, i: number): number[] {
  const center = [0, 0, 0];
  for (let o = SYM4_SIZE * rowStart[i]; o < SYM4_SIZE * rowStart[i + 1]; o += SYM4_SIZE) {
    for (let c = 0; c < 3; c++) center[c] += omegas[o + SYM4_FIRST[c]];
  }
  return center;
}

/** Per vertex, its distance from the center of its patch. */
function listOffsets({ mesh, multiWeights }: DirectDeltaMush): Float64Array {
  return Float64Array.from({ length: mesh.positions.length / 3 }, (_, i) => {
    const [x, y, z] = centerOf(multiWeights, i);
    return Math.hypot(mesh.positions[3 * i] - x, mesh.positions[3 * i + 1] - y, mesh.positions[3 * i + 2] - z);
  });
}

/** Per virtual bone, the distance of the farthest vertex that it moves from its center. */
function listReaches(skin: Skin, positions: Float32Array, centers: Float64Array): Float64Array {
  const reaches = new Float64Array(centers.length / 3);
  for (let i = 0; i + 1 < skin.rowStart.length; i++) {
    for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++) {
      const k = skin.boneIndices[e];
      const [x, y, z] = [0, 1, 2].map((c) => positions[3 * i + c] - centers[3 * k + c]);
      reaches[k] = Math.max(reaches[k], Math.hypot(x, y, z));
    }
  }
  return reaches;
}

/** The master bones of each vertex; weights are not multiplied. */
function composeSkins(skin: Skin, masters: Skin): Skin {
  const rowStart = new Uint32Array(skin.rowStart.length);
  const bones: number[] = [];
  for (let i = 0; i + 1 < skin.rowStart.length; i++) {
    const own = new Set<number>();
    for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++) {
      const k = skin.boneIndices[e];
      for (let m = masters.rowStart[k]; m < masters.rowStart[k + 1]; m++) own.add(masters.boneIndices[m]);
    }
    for (const bone of own) bones.push(bone);
    rowStart[i + 1] = bones.length;
  }
  return { rowStart, boneIndices: Uint32Array.from(bones), weights: new Float32Array(0) };
}

/** Per vertex, the maximum displacement by corrections: coefficients are in [-1, 1]. */
function listDisplacements(basis: Float32Array, stride: number): Float64Array {
  const most = new Float64Array(stride / 3);
  for (let o = 0; o < basis.length; o += 3) most[(o % stride) / 3] += Math.hypot(basis[o], basis[o + 1], basis[o + 2]);
  return most;
}

function moveBoxes(boxes: Float64Array, bones: ArrayLike<number>, out: Float64Array): void {
  for (let c = 0; c < 6; c++) out[c] = c < 3 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  for (let j = 0; 6 * j < boxes.length; j++) {
    const o = 6 * j;
    if (boxes[o] > boxes[o + 3]) continue;
    for (let r = 0; r < 3; r++) {
      let middle = bones[16 * j + 12 + r];
      let half = 0;
      for (let c = 0; c < 3; c++) {
        const factor = bones[16 * j + 4 * c + r];
        middle += (factor * (boxes[o + c] + boxes[o + 3 + c])) / 2;
        half += (Math.abs(factor) * (boxes[o + 3 + c] - boxes[o + c]) * SLACK) / 2;
      }
      out[r] = Math.min(out[r], middle - half);
      out[3 + r] = Math.max(out[3 + r], middle + half);
    }
  }
}
