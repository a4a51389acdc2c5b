// SPDX-License-Identifier: MIT
// Two layers in single precision, every sum and product rounded as in kernels and on the GPU (except in the nearest rotation, computed in double from the rounded
// matrix). Sums are over differences: images of a center minus that of the first master bone, and images of virtual centers minus that of the first
// virtual bone, which is added last. Far from the origin only the rounding of the position itself remains. If that is too coarse, bones can be given
// relative to a root: its displacement is subtracted in double precision, and the caller adds it where precision suffices.

import { nearestRotationInto } from '../../core/math/rotation.ts';
import {
  SYM4_11,
  SYM4_SIZE,
  SYM4_X1,
  SYM4_XX,
  SYM4_XY,
  SYM4_XZ,
  SYM4_Y1,
  SYM4_YY,
  SYM4_YZ,
  SYM4_Z1,
  SYM4_ZZ,
} from '../../core/math/sym4.ts';
import type { Deformer, Pose } from '../../core/model/deformed/deformer.ts';
import { checkTwoLayer, type TwoLayer, virtualBoneCountOf } from '../../core/model/deformed/two-layer.ts';
import { UsageError } from '../../core/model/errors.ts';
import { cofactorsInto, turnNormalInto } from '../direct-delta-mush/index.ts';
import { checkPose, lazyRestNormals } from '../linear-blend/index.ts';

/** Options of makeTwoLayerCentered. */
export interface TwoLayerCenteredOptions {
  /** A master bone: shapes are relative to the displacement of its joint. */
  root?: number;
}

/** A two-layer deformer in single precision. */
export interface TwoLayerCentered extends Deformer {
  /** The offset subtracted from the shapes of a pose: the displacement of the root's joint, zero without a root. */
  shiftOf(pose: Pose): [number, number, number];
}

const f = Math.fround;

/**
 * Makes the deformer of a two-layer model in single precision. The model's weights are rounded once; the model is kept, not copied.
 * @example
 * ```ts
 * import { makeTwoLayerCentered } from 'ossify/deform';
 *
 * const deformer = makeTwoLayerCentered(twoLayer, { root: 0 });
 * deformer.deformInto({ bones }, positions);
 * ```
 */
export function makeTwoLayerCentered(model: TwoLayer, options: TwoLayerCenteredOptions = {}): TwoLayerCentered {
  checkTwoLayer(model);
  const { mesh, skeleton } = model;
  const boneCount = skeleton.names.length;
  const { root } = options;
  if (root !== undefined && !(Number.isInteger(root) && root >= 0 && root < boneCount))
    throw new UsageError('two-layer', `the root must be one of ${boneCount} bones, got ${root}`);
  const vertexCount = mesh.positions.length / 3;
  const layers = new CenteredLayers(model);
  const restNormalsOf = lazyRestNormals(mesh);
  const shiftOf = (pose: Pose): [number, number, number] =>
    root === undefined ? [0, 0, 0] : displacementOf(skeleton.bindMatrices, pose.bones, 16 * root);
  return {
    vertexCount,
    boneCount,
    shiftOf,
    deformInto(pose, positions, normals) {
      checkPose('two-layer', pose, boneCount);
      layers.transform(pose.bones, shiftOf(pose));
      const restNormals = restNormalsOf(normals !== undefined);
      for (let i = 0; i < vertexCount; i++) {
        layers.positionInto(i, positions);
        if (normals && restNormals) layers.normalInto(i, restNormals, normals);
      }
    },
  };
}

/** How far the joint of a bone moves. @param b its place in the matrices */
function displacementOf(binds: Float64Array, m: Float64Array, b: number): [number, number, number] {
  const place = binds.subarray(b + 12, b + 15);
  return [0, 1, 2].map(
    (r) => m[b + r] * place[0] + m[b + 4 + r] * place[1] + m[b + 8 + r] * place[2] + m[b + 12 + r] - place[r],
  ) as [number, number, number];
}

/** The transforms of virtual bones in one pose. */
class CenteredLayers {
  readonly #model: TwoLayer;
  readonly #deltas: Float32Array;
  readonly #centers: Float32Array;
  readonly #bones: Float32Array;
  /** virtual bones x 12: rotation, and where the center moves */
  readonly #transforms: Float32Array;
  readonly #blended = new Float64Array(9);
  readonly #cofactors = new Float64Array(9);

  constructor(model: TwoLayer) {
    this.#model = model;
    this.#deltas = Float32Array.from(model.virtualBones.omegas);
    this.#centers = Float32Array.from(model.centers);
    this.#bones = new Float32Array(16 * model.skeleton.names.length);
    this.#transforms = new Float32Array(12 * virtualBoneCountOf(model));
  }

  /** Fills the transforms for bones that are moved back by the shift. */
  transform(pose: Float64Array, shift: readonly number[]): void {
    const bones = this.#bones;
    for (let c = 0; c < bones.length; c++) bones[c] = (c & 15) >= 12 && (c & 3) < 3 ? pose[c] - shift[c & 3] : pose[c];
    transformInto(this.#model, this.#deltas, this.#centers, bones, this.#transforms);
  }

  positionInto(i: number, positions: Float32Array): void {
    const { mesh, skin } = this.#model;
    const centers = this.#centers;
    const transforms = this.#transforms;
    const start = skin.rowStart[i];
    const first = 12 * skin.boneIndices[start] + 9;
    for (let row = 0; row < 3; row++) {
      let sum = 0;
      for (let e = start; e < skin.rowStart[i + 1]; e++) {
        const c = 3 * skin.boneIndices[e];
        const t = 12 * skin.boneIndices[e];
        const turned = dot(
          transforms[t + row],
          f(mesh.positions[3 * i] - centers[c]),
          transforms[t + 3 + row],
          f(mesh.positions[3 * i + 1] - centers[c + 1]),
          transforms[t + 6 + row],
          f(mesh.positions[3 * i + 2] - centers[c + 2]),
        );
        const moved = f(transforms[t + 9 + row] - transforms[first + row]);
        sum = f(sum + f(skin.weights[e] * f(turned + moved)));
      }
      positions[3 * i + row] = sum + transforms[first + row];
    }
  }

  normalInto(i: number, restNormals: Float32Array, normals: Float32Array): void {
    const { skin } = this.#model;
    const blended = this.#blended;
    blended.fill(0);
    for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++) {
      for (let c = 0; c < 9; c++) blended[c] += skin.weights[e] * this.#transforms[12 * skin.boneIndices[e] + c];
    }
    const det = cofactorsInto(blended, this.#cofactors);
    turnNormalInto(this.#cofactors, det < 0 ? -1 : 1, restNormals, normals, 3 * i);
  }
}

function transformInto(
  model: TwoLayer,
  deltas: Float32Array,
  centers: Float32Array,
  bones: Float32Array,
  transforms: Float32Array,
): void {
  const { rowStart, boneIndices } = model.virtualBones;
  const matrix = new Float32Array(9);
  const rotation = new Float64Array(9);
  for (let k = 0; k < rowStart.length - 1; k++) {
    const px = centers[3 * k],
      py = centers[3 * k + 1],
      pz = centers[3 * k + 2];
    matrix.fill(0);
    const first = 16 * boneIndices[rowStart[k]];
    for (let row = 0; row < 3; row++) {
      const g0 = dot(bones[first + row], px, bones[first + 4 + row], py, bones[first + 8 + row], pz);
      let q = 0;
      for (let e = rowStart[k]; e < rowStart[k + 1]; e++) {
        const o = SYM4_SIZE * e;
        const m = 16 * boneIndices[e];
        const r0 = bones[m + row],
          r1 = bones[m + 4 + row],
          r2 = bones[m + 8 + row];
        const g = f(f(dot(r0, px, r1, py, r2, pz) - g0) + f(bones[m + 12 + row] - bones[first + 12 + row]));
        const bx = deltas[o + SYM4_X1],
          by = deltas[o + SYM4_Y1],
          bz = deltas[o + SYM4_Z1];
        matrix[row] += f(dot(r0, deltas[o + SYM4_XX], r1, deltas[o + SYM4_XY], r2, deltas[o + SYM4_XZ]) + f(g * bx));
        matrix[3 + row] += f(
          dot(r0, deltas[o + SYM4_XY], r1, deltas[o + SYM4_YY], r2, deltas[o + SYM4_YZ]) + f(g * by),
        );
        matrix[6 + row] += f(
          dot(r0, deltas[o + SYM4_XZ], r1, deltas[o + SYM4_YZ], r2, deltas[o + SYM4_ZZ]) + f(g * bz),
        );
        q = f(q + f(dot(r0, bx, r1, by, r2, bz) + f(g * deltas[o + SYM4_11])));
      }
      transforms[12 * k + 9 + row] = f(f(q + g0) + bones[first + 12 + row]);
    }
    nearestRotationInto(matrix, rotation);
    transforms.set(rotation, 12 * k);
  }
}

/** ab + cd + ef, each step rounded to single. */
function dot(a: number, b: number, c: number, d: number, e: number, g: number): number {
  return f(f(f(a * b) + f(c * d)) + f(e * g));
}
