// SPDX-License-Identifier: MIT
import { type Compute, type Resident, uploadFloat32, uploadFloat64, uploadUint32 } from '../../core/kernels/compute.ts';
import {
  callHalfwayErrors,
  callPartMoments,
  HALFWAY_SUMS,
  MAP_NUMBERS,
  PART_NUMBERS,
  type ResidentParts,
} from '../../core/kernels/errors/halfway-errors.ts';
import { uploadSkin } from '../../core/kernels/skinning/skin-frames.ts';
import { weldClip } from '../../core/mesh/topology/weld.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { InputError } from '../../core/model/errors.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { notFinite } from '../error/distance-meter.ts';
import type { FrameShapes } from '../error/frame-shapes.ts';
import { batchSizeOf } from '../error/measure-error-on.ts';
import { halfwayMap, isRigid, type PartPose, solvePart } from './halfway-reference.ts';
import { type BetweenOptions, type BetweenReport, listMidpoints, reportBetween } from './measure-between.ts';

/**
 * Measures shapes halfway between consecutive frames on the threads of a compute: the same report as measureBetween.
 * @param shapes the result at listMidpoints(reference)
 */
export async function measureBetweenOn(
  compute: Compute,
  reference: Clip,
  shapes: FrameShapes,
  options: BetweenOptions = {},
): Promise<BetweenReport> {
  const times = listMidpoints(reference);
  const midCount = times.length;
  if (shapes.count !== midCount)
    throw new InputError('measure between', `there are ${shapes.count} shapes for ${midCount} times`);
  const { pointCount, pointOfVertex } = options.weld ?? weldClip(reference);
  const stride = reference.mesh.positions.length;
  const squares = new Float64Array(midCount);
  const largest = new Float64Array(midCount);
  await compute.scope(async (memory) => {
    const parts = new PartMeter(memory, reference, options.parts);
    const size = batchSizeOf(stride / 3, midCount, memory.threads);
    const frames = memory.float32((size + 1) * stride);
    const at = memory.float32(size * stride);
    const points = uploadUint32(memory, pointOfVertex);
    const sums = memory.float64(size * HALFWAY_SUMS);
    for (let first = 0; first < midCount; first += size) {
      const count = Math.min(size, midCount - first);
      frames.view().set(reference.positions.subarray(first * stride, (first + count + 1) * stride));
      await shapes.fillInto(first, count, at);
      await memory.scope(async (inner) => {
        const maps = await parts.mapsOf(inner, frames, count);
        const arrays = { frames, shapes: at, parts: parts.resident, pointOfVertex: points, pointCount, sums, ...maps };
        await inner.runAll([callHalfwayErrors(inner, arrays, count)]);
      });
      const values = sums.view();
      for (let k = 0; k < count; k++) {
        const [squared, most, bad] = values.subarray(HALFWAY_SUMS * k);
        if (bad >= 0) throw notFinite(first + k, bad);
        squares[first + k] = squared;
        largest[first + k] = Math.sqrt(most);
      }
    }
  });
  return reportBetween(reference, pointCount, squares, largest);
}

/** Fits rigid motions to the parts of a clip. */
class PartMeter {
  readonly resident: ResidentParts;
  readonly #rest: Resident<Float32Array>;
  /** partCount: Σ w² and Σ w² |r − c|² */
  readonly #totals: Float64Array;
  readonly #squares: Float64Array;

  constructor(memory: Compute, { mesh: { positions } }: Clip, parts: Skin | undefined) {
    const none = { rowStart: new Uint32Array(positions.length / 3 + 1), boneIndices: new Uint32Array(0) };
    const skin = parts ?? { ...none, weights: new Float32Array(0) };
    const { totals, centers, squares } = sumParts(positions, skin);
    this.#totals = totals;
    this.#squares = squares;
    this.#rest = uploadFloat32(memory, positions);
    this.resident = {
      skin: uploadSkin(memory, skin),
      centers: uploadFloat64(memory, centers),
      totals: uploadFloat64(memory, totals),
    };
  }

  /** The maps of all parts from count + 1 frames to the midpoints between them. */
  async mapsOf(memory: Compute, frames: Resident<Float32Array>, count: number) {
    const partCount = this.#totals.length;
    const moments = memory.float64((count + 1) * partCount * PART_NUMBERS);
    await memory.runAll([callPartMoments(frames, this.#rest, this.resident, moments, count + 1)]);
    const poses = Array.from({ length: count + 1 }, (_, k) => this.#posesOf(moments.view(), k));
    const rigid = memory.uint32(count * partCount);
    const maps = memory.float64(count * partCount * MAP_NUMBERS);
    const [rigidView, mapsView] = [rigid.view(), maps.view()];
    for (let k = 0; k < count; k++)
      for (let p = 0; p < partCount; p++) {
        const [before, after] = [poses[k][p], poses[k + 1][p]];
        if (!before || !after || !isRigid(before, after, this.#squares[p] / this.#totals[p])) continue;
        rigidView[k * partCount + p] = 1;
        const map = halfwayMap(before, after);
        const at = (k * partCount + p) * MAP_NUMBERS;
        for (let n = 0; n < map.length; n++) mapsView[at + 4 * Math.floor(n / 3) + (n % 3)] = map[n];
      }
    return { isRigid: rigid, maps };
  }

  /** By part; undefined for parts without vertices. */
  #posesOf(moments: Float64Array, k: number): (PartPose | undefined)[] {
    return Array.from(this.#totals, (total, p) => {
      if (!(total > 0)) return undefined;
      const start = (k * this.#totals.length + p) * PART_NUMBERS;
      const own = moments.slice(start, start + PART_NUMBERS);
      const moment = Float64Array.from({ length: 9 }, (_, n) => own[4 + 4 * Math.floor(n / 3) + (n % 3)]);
      return solvePart(own.subarray(0, 3), moment, (this.#squares[p] + own[3]) / total, total);
    });
  }
}

/** By part: Σ w², the center at rest, and Σ w² |r − c|². */
function sumParts(positions: Float32Array, { rowStart, boneIndices, weights }: Skin) {
  const partCount = boneIndices.reduce((most, part) => Math.max(most, part + 1), 0);
  const totals = new Float64Array(partCount);
  const centers = new Float64Array(4 * partCount);
  const squares = new Float64Array(partCount);
  for (let i = 0; i + 1 < rowStart.length; i++)
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      const part = boneIndices[e];
      const share = weights[e] * weights[e];
      totals[part] += share;
      for (let c = 0; c < 3; c++) centers[4 * part + c] += share * positions[3 * i + c];
    }
  for (let c = 0; c < centers.length; c++) centers[c] /= totals[Math.floor(c / 4)] || 1;
  for (let i = 0; i + 1 < rowStart.length; i++)
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      const part = boneIndices[e];
      const share = weights[e] * weights[e];
      for (let c = 0; c < 3; c++) squares[part] += share * (positions[3 * i + c] - centers[4 * part + c]) ** 2;
    }
  return { totals, centers, squares };
}
