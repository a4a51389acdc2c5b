// SPDX-License-Identifier: MIT
// Rigid bones fitted to small patches of points: seeds for clusters, and proposals for relocated bones (core/kernels/patches/patch-bones.ts).

import type { Trajectories } from '../../core/kernels/matrices/trajectories.ts';
import {
  fitPatchInto,
  listNearestPoints,
  makePatchKeys,
  type PatchKeys,
} from '../../core/kernels/patches/patch-bones.ts';

/** Lists and fits patches of one set of trajectories, one at a time; scratch memory is reused by every call. */
export class RigidPatches {
  readonly #trajectories: Trajectories;
  #keys?: PatchKeys;
  /** vertexCount: squared distances to the present vertex */
  readonly #distances: Float64Array;

  constructor(trajectories: Trajectories) {
    this.#trajectories = trajectories;
    this.#distances = new Float64Array(trajectories.vertexCount);
  }

  /** The size points nearest to a vertex, itself included; ties by index. */
  listNearest(vertex: number, size: number): Uint32Array {
    this.#keys ??= makePatchKeys(this.#trajectories);
    return listNearestPoints(this.#keys, vertex, size, this.#distances);
  }

  /**
   * The rigid motion closest to a patch.
   * @param out rows x 4 x stride: filled at the given column
   */
  fitInto(patch: Uint32Array, out: Float64Array, column: number, stride: number): void {
    const { rest, posed, frameCount } = this.#trajectories;
    const points = { rest: rest.view(), posed: posed.view(), rows: 3 * frameCount };
    fitPatchInto(points, patch, out, { offset: column, row: 4 * stride, number: stride });
  }
}

/** Copies one bone from rows x 4 x stride (bone index last) into rows x 4 boneCount (its four numbers together). */
export function placeBone(
  from: Float64Array,
  column: number,
  stride: number,
  bones: Float64Array,
  bone: number,
  boneCount: number,
): void {
  const rows = bones.length / (4 * boneCount);
  for (let row = 0; row < rows; row++) {
    for (let c = 0; c < 4; c++) bones[row * 4 * boneCount + 4 * bone + c] = from[(row * 4 + c) * stride + column];
  }
}

/** An index drawn with probability proportional to its value. */
export function drawByValue(values: Float64Array, uniform: number): number {
  let total = 0;
  for (const v of values) total += v;
  let left = uniform * total;
  for (let i = 0; i < values.length; i++) {
    left -= values[i];
    if (left < 0 && values[i] > 0) return i;
  }
  return Math.min(values.length - 1, Math.floor(uniform * values.length));
}
