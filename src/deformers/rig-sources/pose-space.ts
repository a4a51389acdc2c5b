// SPDX-License-Identifier: MIT
// Pose space deformation (J. P. Lewis, M. Cordner, N. Fong, SIGGRAPH 2000, doi:10.1145/344779.344862): a skin, and its intended
// shape at some poses. The correction at an example is transformed back to rest, δ = (Σ wⱼMⱼ)⁻¹ v' − v, and interpolated there over the rotations of joints
// (pose-space-weights.ts), so that it rotates with its limb. This is one driver of corrective-shapes.ts with a target per example.

import { invertAffine } from '../../core/math/mat4.ts';
import type { Deformer } from '../../core/model/deformed/deformer.ts';
import { InputError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { checkPose } from '../linear-blend/index.ts';
import { makeCorrectiveShapes } from './corrective-shapes.ts';

/** A linear blend skin. */
export interface PosedRig {
  /** The rest shape. */
  mesh: Mesh;
  /** The bones, which poses move. */
  skeleton: Skeleton;
  /** Weights of bones, by vertex. */
  skin: Skin;
}

/** The intended shape at one pose. */
export interface PoseSpaceExample {
  /** Per driving joint, its rotation relative to the bind pose, in its own frame: unit quaternion x y z w. */
  rotations: (readonly [number, number, number, number])[];
  /** vertexCount x 3: displacements at rest, before skinning (restDisplacements computes them from a posed shape), file units */
  displacements: Float32Array;
}

/** Options of makePoseSpace. */
export interface PoseSpaceOptions {
  /** Indices of the driving joints; one rotation each in every example. */
  joints: readonly number[];
  /** Falloff radius of an example, radians: about the angle between neighbouring examples, or more. Default π/2. */
  radius?: number;
}

/** 90°: examples are usually sculpted at the ends of a joint's range. Not tuned. */
export const POSE_SPACE_DEFAULTS = { radius: Math.PI / 2 } as const;

/**
 * Makes a linear blend skin that has the shape of each example at its pose. The identity gives the rest shape.
 * @example
 * ```ts
 * import { makePoseSpace, restDisplacements } from 'ossify/deform';
 *
 * // a shape sculpted with the elbow bent by 90 degrees about x
 * const elbow = skeleton.names.indexOf('elbow.L');
 * const bend = [Math.SQRT1_2, 0, 0, Math.SQRT1_2] as const;
 * const displacements = restDisplacements({ mesh, skeleton, skin }, bones, sculpted);
 * const space = makePoseSpace({ mesh, skeleton, skin }, [{ rotations: [bend], displacements }], { joints: [elbow] });
 * ```
 */
export function makePoseSpace(
  rig: PosedRig,
  examples: readonly PoseSpaceExample[],
  options: PoseSpaceOptions,
): Deformer {
  const { mesh, skeleton } = rig;
  const vertexCount = mesh.positions.length / 3;
  for (const j of options.joints) {
    if (!(Number.isInteger(j) && j >= 0 && j < skeleton.names.length))
      throw new InputError('pose space', `there is no joint ${j}; the skeleton has ${skeleton.names.length}`);
  }
  const targets = examples.map(({ displacements }, k) => {
    if (displacements.length !== 3 * vertexCount)
      throw new InputError(
        'pose space',
        `example ${k} has ${displacements.length / 3} displacements for ${vertexCount} vertices`,
      );
    const bad = displacements.findIndex((x) => !Number.isFinite(x));
    if (bad >= 0)
      throw new InputError(
        'pose space',
        `example ${k} has a displacement at vertex ${Math.floor(bad / 3)} that is not finite`,
      );
    return { name: `example${k}`, node: 0, weight: k, vertexStart: 0, vertexCount, positions: displacements };
  });
  // drivers refer to joints by name, and names in a skeleton may repeat
  const named = { ...skeleton, names: skeleton.names.map((_, j) => `${j}`) };
  return makeCorrectiveShapes({ ...rig, skeleton: named, morphs: { targets, restWeights: [] } }, [
    {
      joints: options.joints.map((j) => `${j}`),
      radius: options.radius ?? POSE_SPACE_DEFAULTS.radius,
      poses: examples.map(({ rotations }, k) => ({ rotations, targets: { [`example${k}`]: 1 } })),
    },
  ]);
}

/**
 * Transforms a shape sculpted at a pose back to rest (see the example of makePoseSpace): the displacements of the rest shape with which linear blend
 * skinning gives that shape. They are zero where the skin collapses at that pose.
 * @param bones boneCount x 16, rest to posed
 * @param shape vertexCount x 3, posed
 * @returns vertexCount x 3
 */
export function restDisplacements(
  { mesh, skeleton, skin }: PosedRig,
  bones: Float64Array,
  shape: Float32Array,
): Float32Array {
  checkPose('pose space', { bones }, skeleton.names.length);
  if (shape.length !== mesh.positions.length)
    throw new InputError(
      'pose space',
      `the shape has ${shape.length / 3} vertices, the mesh ${mesh.positions.length / 3}`,
    );
  const out = new Float32Array(shape.length);
  const blended = new Float64Array(16);
  for (let i = 0; i + 1 < skin.rowStart.length; i++) {
    blended.fill(0);
    for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++) {
      for (let c = 0; c < 16; c++) blended[c] += skin.weights[e] * bones[16 * skin.boneIndices[e] + c];
    }
    if (!invertAffine(blended, blended)) continue;
    const o = 3 * i;
    for (let row = 0; row < 3; row++) {
      const back =
        blended[row] * shape[o] + blended[4 + row] * shape[o + 1] + blended[8 + row] * shape[o + 2] + blended[12 + row];
      out[o + row] = back - mesh.positions[o + row];
    }
  }
  return out;
}
