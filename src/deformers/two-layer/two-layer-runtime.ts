// SPDX-License-Identifier: MIT
// B. H. Le, K. Villeneuve, C. Gonzalez-Ochoa, "Direct Delta Mush skinning compression with continuous examples", ACM Transactions on Graphics 40 (4),
// 2021, doi:10.1145/3450626.3459779, §5, in real time: both layers are the ddm kernel.
//
// Layer one has two vertices per virtual bone, both at its center, with the normals x and y: the kernel moves them to q and rotates their normals to the
// first two columns of R; the third is their cross product. Layer two is linear blending by R and q − R p.
// Layer one has its own frame: relative to the center of the model's box, in units of its size, and to the posed center under the main bone. Bones are
// converted in double precision, so neither the model's units nor its position cost precision.

import { SYM4_11, SYM4_FIRST, SYM4_SIZE, translateSym4 } from '../../core/math/sym4.ts';
import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import type { Pose } from '../../core/model/deformed/deformer.ts';
import type { DirectDeltaMush } from '../../core/model/deformed/direct-delta-mush.ts';
import { checkTwoLayer, type TwoLayer, virtualBoneCountOf } from '../../core/model/deformed/two-layer.ts';
import { InputError } from '../../core/model/errors.ts';
import { makeMesh } from '../../core/model/mesh/mesh.ts';
import {
  createBlendRuntime,
  createDdmRuntime,
  type DdmRuntime,
  type DdmRuntimeOptions,
  openRuntimeCompute,
  type PosedShapes,
} from '../direct-delta-mush/index.ts';
import { checkPose, sortByBone } from '../linear-blend/index.ts';

/** The frame of layer one, and its main bone. */
interface Frame {
  middle: readonly number[];
  size: number;
  mainBone: number;
}

/**
 * Makes the run-time of a two-layer model: makeTwoLayer in single precision, many times as fast, for one pose or many at once. A call with no more
 * poses than an earlier one allocates nothing. The model is copied.
 * @deprecated Use makeTwoLayer, or createGpuDeformer for many poses. It will be removed after two more minor versions.
 * @example
 * ```ts
 * import { createTwoLayerRuntime } from 'ossify/deform';
 *
 * const runtime = await createTwoLayerRuntime(twoLayer);
 * const { positions, normals } = await runtime.deformMany(poses); // valid until the next call
 * runtime.dispose();
 * ```
 */
export async function createTwoLayerRuntime(model: TwoLayer, options: DdmRuntimeOptions = {}): Promise<DdmRuntime> {
  checkTwoLayer(model);
  const { mesh, skin } = model;
  const boneCount = model.skeleton.names.length;
  const virtualCount = virtualBoneCountOf(model);
  const centers = model.centers.slice();
  const frame = frameOf(model);
  const compute = await openRuntimeCompute(options);
  const made: DdmRuntime[] = [];
  const dispose = (): void => {
    for (const runtime of made) runtime.dispose();
    compute.dispose();
  };
  try {
    made.push(await createDdmRuntime(layerOneOf(model, frame), { compute, normals: true }));
    made.push(await createBlendRuntime(mesh, sortByBone(skin), virtualCount, { compute, normals: options.normals }));
  } catch (error) {
    dispose();
    throw error;
  }
  const [one, two] = made;
  /** Kept between calls; deformMany needs arrays of exactly its number of poses, allocated when that changes. */
  const masters: Pose[] = [];
  const virtuals: Pose[] = [];
  let taken = { masters: masters.slice(), virtuals: virtuals.slice() };
  let isBusy = false;

  const reserve = (poseCount: number): void => {
    while (masters.length < poseCount) {
      masters.push({ bones: new Float64Array(16 * boneCount) });
      virtuals.push({ bones: new Float64Array(16 * virtualCount) });
    }
    if (taken.masters.length !== poseCount)
      taken = { masters: masters.slice(0, poseCount), virtuals: virtuals.slice(0, poseCount) };
  };
  const run = async (poses: Pose | readonly Pose[], poseCount: number): Promise<PosedShapes> => {
    if (isBusy) throw new InputError('deform', 'the previous call is still running; await it first');
    const poseAt = (k: number): Pose => ('bones' in poses ? poses : poses[k]);
    for (let k = 0; k < poseCount; k++) checkPose('two-layer', poseAt(k), boneCount);
    isBusy = true;
    try {
      reserve(poseCount);
      for (let k = 0; k < poseCount; k++) enterFrame(frame, poseAt(k).bones, masters[k].bones);
      const { positions, normals } = await one.deformMany(taken.masters);
      if (!normals) throw new InputError('deform', 'the first layer gave no normals');
      for (let k = 0; k < poseCount; k++)
        leaveFrame(frame, poseAt(k).bones, { positions, normals, centers }, k, virtuals[k].bones);
      return await two.deformMany(taken.virtuals);
    } finally {
      isBusy = false;
    }
  };
  return {
    vertexCount: two.vertexCount,
    boneCount,
    deform: (pose) => run(pose, 1),
    deformMany: (poses) => run(poses, poses.length),
    dispose,
  };
}

function frameOf({ mesh, virtualBones, skeleton }: TwoLayer): Frame {
  const { boneIndices, omegas } = virtualBones;
  const totals = new Float64Array(skeleton.names.length);
  for (let e = 0; e < boneIndices.length; e++) totals[boneIndices[e]] += omegas[SYM4_SIZE * e + SYM4_11];
  const { min, max, diagonal } = measureBounds(mesh.positions);
  return {
    middle: [0, 1, 2].map((r) => (mesh.positions.length > 0 ? (min[r] + max[r]) / 2 : 0)),
    size: diagonal > 0 ? diagonal : 1,
    mainBone: totals.reduce((best, total, j) => (total > totals[best] ? j : best), 0),
  };
}

/** Two vertices per virtual bone, in the frame. */
function layerOneOf({ virtualBones, centers, skeleton }: TwoLayer, { middle, size }: Frame): DirectDeltaMush {
  const { rowStart, boneIndices, omegas } = virtualBones;
  const count = rowStart.length - 1;
  const positions = new Float32Array(6 * count);
  const normals = new Float32Array(6 * count);
  const starts = new Uint32Array(2 * count + 1);
  const bones = new Uint32Array(2 * boneIndices.length);
  const moments = new Float64Array(2 * omegas.length);
  const place = new Float64Array(3);
  let at = 0;
  for (let n = 0; n < 2 * count; n++) {
    const k = n >> 1;
    for (let r = 0; r < 3; r++) {
      place[r] = (centers[3 * k + r] - middle[r]) / size;
      positions[3 * n + r] = place[r];
      normals[3 * n + r] = r === (n & 1) ? 1 : 0;
    }
    for (let e = rowStart[k]; e < rowStart[k + 1]; e++, at++) {
      bones[at] = boneIndices[e];
      const o = SYM4_SIZE * at;
      for (let c = 0; c < SYM4_SIZE; c++) {
        const unit = c === SYM4_11 ? 1 : SYM4_FIRST.includes(c) ? size : size * size;
        moments[o + c] = omegas[SYM4_SIZE * e + c] / unit;
      }
      translateSym4(moments, o, place[0], place[1], place[2]);
    }
    starts[n + 1] = at;
  }
  return {
    kind: 'direct-delta-mush',
    mesh: { ...makeMesh(positions, new Uint32Array(0)), normals },
    skeleton,
    multiWeights: { rowStart: starts, boneIndices: bones, omegas: moments },
    variant: 0,
    settings: { iterations: 0, lambda: 0, kappa: 0, alpha: 0 },
  };
}

/** Coordinate r of the image of the center under bone j. */
function imageOf({ middle }: Frame, bones: Float64Array, j: number, r: number): number {
  const m = 16 * j + r;
  return bones[m] * middle[0] + bones[m + 4] * middle[1] + bones[m + 8] * middle[2] + bones[m + 12];
}

function enterFrame(frame: Frame, bones: Float64Array, out: Float64Array): void {
  for (let r = 0; r < 3; r++) {
    const origin = imageOf(frame, bones, frame.mainBone, r);
    for (let j = 0; 16 * j < bones.length; j++) {
      const m = 16 * j + r;
      out[m] = bones[m];
      out[m + 4] = bones[m + 4];
      out[m + 8] = bones[m + 8];
      out[m + 12] = (imageOf(frame, bones, j, r) - origin) / frame.size;
    }
  }
}

/** Virtual bones of pose k as matrices: R, and q − R p. */
function leaveFrame(
  frame: Frame,
  bones: Float64Array,
  { positions, normals, centers }: { positions: Float32Array; normals: Float32Array; centers: Float64Array },
  pose: number,
  out: Float64Array,
): void {
  const { size, mainBone } = frame;
  const count = centers.length / 3;
  const ox = imageOf(frame, bones, mainBone, 0),
    oy = imageOf(frame, bones, mainBone, 1),
    oz = imageOf(frame, bones, mainBone, 2);
  for (let k = 0; k < count; k++) {
    const from = 6 * (pose * count + k);
    const m = 16 * k;
    const a0 = normals[from],
      a1 = normals[from + 1],
      a2 = normals[from + 2],
      b0 = normals[from + 3],
      b1 = normals[from + 4],
      b2 = normals[from + 5];
    const c0 = a1 * b2 - a2 * b1,
      c1 = a2 * b0 - a0 * b2,
      c2 = a0 * b1 - a1 * b0;
    const px = centers[3 * k],
      py = centers[3 * k + 1],
      pz = centers[3 * k + 2];
    out[m] = a0;
    out[m + 1] = a1;
    out[m + 2] = a2;
    out[m + 4] = b0;
    out[m + 5] = b1;
    out[m + 6] = b2;
    out[m + 8] = c0;
    out[m + 9] = c1;
    out[m + 10] = c2;
    out[m + 12] = positions[from] * size + (ox - (a0 * px + b0 * py + c0 * pz));
    out[m + 13] = positions[from + 1] * size + (oy - (a1 * px + b1 * py + c1 * pz));
    out[m + 14] = positions[from + 2] * size + (oz - (a2 * px + b2 * py + c2 * pz));
    out[m + 15] = 1;
  }
}
