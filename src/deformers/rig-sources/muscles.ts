// SPDX-License-Identifier: MIT
// Muscles under a skin: spindles between attachment points that shorten and swell, and move the skin above them. No dynamics: the result depends on the pose only.
//
//   o, e      attachment points at rest, each on a joint; a the unit vector and L₀ the distance between them
//   o', e'    the same points after their joints moved; a', L
//   q         = 1 + swell (√(L₀/L) − 1), the relative width of the belly: with swell = 1 a spindle keeps its volume
//   t         position along the axis, 0 at the origin, 1 at the insertion; b(t) = 1 − (2t − 1)⁴, the belly: zero at the tendons
//   R         the rotation of the origin's joint, then the smallest rotation that maps the axis to a'
//   F(v)      = o' + t L a' + (1 + (q − 1) b(t)) R (v − o − t L₀ a)
//   m         weight of the muscle at a vertex: falls from the spindle's surface (radius √b(t)) over `reach`, and towards the tendons as b(t)²
//   v'        = (1 − Σm) LBS(v) + Σ m F(v),   Σm ≤ 1
import { transformPoint } from '../../core/math/mat4.ts';
import { nearestRotationInto } from '../../core/math/rotation.ts';
import type { Deformer } from '../../core/model/deformed/deformer.ts';
import { checkPose, makeLinearBlend, makeSurfaceNormals } from '../linear-blend/index.ts';
import { type BoundMuscle, bindMuscles } from './muscles-bind.ts';
import type { PosedRig } from './pose-space.ts';

/** A point of the body at rest, and its joint. */
export interface Attachment {
  /** Index of the joint. */
  joint: number;
  /** Position at rest, model space, file units. */
  point: readonly [number, number, number];
}

/** A muscle: a spindle between two attachments. */
export interface Muscle {
  /** Name of the muscle, for errors. */
  name: string;
  /** First attachment. */
  origin: Attachment;
  /** Second attachment. */
  insertion: Attachment;
  /** Radius of the belly at rest, at its middle, file units. */
  radius: number;
  /** Distance from the belly over which the skin follows it, file units; 0: only points inside. */
  reach: number;
  /** 1 keeps the volume; larger values exaggerate, 0: no swelling. Default: 1. */
  swell?: number;
  /** Weight of the muscle on the skin over the belly, 0 to 1. Default: 1. */
  hold?: number;
}

/** Minimum relative length for swelling: attachments at the same point would otherwise swell without bound. */
const MIN_STRETCH = 0.2;
/** Minimum relative width of a stretched muscle. */
const MIN_WIDTH = 0.2;

/**
 * A linear blend skin over muscles. Normals are those of the result's surface; the identity gives the rest shape.
 * @example
 * ```ts
 * import { makeMuscles } from 'ossify/deform';
 *
 * const biceps = {
 *   name: 'biceps',
 *   origin: { joint: 3, point: [0.2, 1.4, 0] as const },
 *   insertion: { joint: 4, point: [0.5, 1.4, 0.02] as const },
 *   radius: 0.04,
 *   reach: 0.03,
 * };
 * makeMuscles({ mesh, skeleton, skin }, [biceps]).deformInto({ bones }, positions);
 * ```
 */
export function makeMuscles(rig: PosedRig, muscles: readonly Muscle[]): Deformer {
  const { mesh, skeleton, skin } = rig;
  const boneCount = skeleton.names.length;
  const bound = bindMuscles(mesh, boneCount, muscles);
  const blend = makeLinearBlend(mesh, skin, boneCount);
  const normalsInto = makeSurfaceNormals(mesh);
  const skinned = new Float32Array(mesh.positions.length);
  const state: MuscleState = {
    origin: new Float64Array(3),
    insertion: new Float64Array(3),
    axis: new Float64Array(3),
    rotation: new Float64Array(9),
    length: 0,
    swelling: 0,
  };
  return {
    vertexCount: mesh.positions.length / 3,
    boneCount,
    deformInto(pose, positions, normals) {
      checkPose('muscles', pose, boneCount);
      blend.deformInto(pose, skinned);
      positions.set(skinned);
      for (const muscle of bound) {
        poseMuscleInto(muscle, pose.bones, state);
        carrySkin(muscle, state, skinned, positions);
      }
      if (normals) normalsInto(positions, normals);
    },
  };
}

/** A muscle in a pose. */
interface MuscleState {
  /** o', e', a' */
  origin: Float64Array;
  insertion: Float64Array;
  axis: Float64Array;
  /** R, 3x3 column-major */
  rotation: Float64Array;
  /** L and q */
  length: number;
  swelling: number;
}

function poseMuscleInto(muscle: BoundMuscle, bones: Float64Array, state: MuscleState): void {
  const { origin, insertion, axis, rotation } = state;
  transformPoint(bones, muscle.origin, origin, 16 * muscle.originJoint);
  transformPoint(bones, muscle.insertion, insertion, 16 * muscle.insertionJoint);
  const o = 16 * muscle.originJoint;
  for (let c = 0; c < 9; c++) rotation[c] = bones[o + 4 * ((c / 3) | 0) + (c % 3)];
  nearestRotationInto(rotation, rotation);
  const length = Math.sqrt(
    (insertion[0] - origin[0]) ** 2 + (insertion[1] - origin[1]) ** 2 + (insertion[2] - origin[2]) ** 2,
  );
  state.length = length;
  const stretch = Math.max(MIN_STRETCH, length / muscle.restLength);
  state.swelling = Math.max(MIN_WIDTH, 1 + muscle.swell * (Math.sqrt(1 / stretch) - 1));
  // the axis rotated by the origin's joint, b, and the axis between the attachments, a'
  const [ax, ay, az] = muscle.axis;
  const bx = rotation[0] * ax + rotation[3] * ay + rotation[6] * az,
    by = rotation[1] * ax + rotation[4] * ay + rotation[7] * az,
    bz = rotation[2] * ax + rotation[5] * ay + rotation[8] * az;
  if (!(length > 0)) {
    axis[0] = bx;
    axis[1] = by;
    axis[2] = bz;
    return;
  }
  for (let c = 0; c < 3; c++) axis[c] = (insertion[c] - origin[c]) / length;
  turnTowards(bx, by, bz, axis, rotation);
}

/** rotation = T rotation, T the smallest rotation from the unit vector b to a: with w = b × a and c = b·a, T = c I + [w] + w wᵀ/(1 + c). */
function turnTowards(bx: number, by: number, bz: number, a: Float64Array, rotation: Float64Array): void {
  const wx = by * a[2] - bz * a[1],
    wy = bz * a[0] - bx * a[2],
    wz = bx * a[1] - by * a[0];
  const cos = bx * a[0] + by * a[1] + bz * a[2];
  // opposite vectors have no unique smallest rotation: keep that of the origin's joint
  if (!(1 + cos > 1e-9)) return;
  const f = 1 / (1 + cos);
  for (let column = 0; column < 9; column += 3) {
    const x = rotation[column],
      y = rotation[column + 1],
      z = rotation[column + 2];
    const along = f * (wx * x + wy * y + wz * z);
    rotation[column] = cos * x + wy * z - wz * y + along * wx;
    rotation[column + 1] = cos * y + wz * x - wx * z + along * wy;
    rotation[column + 2] = cos * z + wx * y - wy * x + along * wz;
  }
}

/** positions += m (F(v) − LBS(v)) */
function carrySkin(muscle: BoundMuscle, state: MuscleState, skinned: Float32Array, positions: Float32Array): void {
  const { vertices, places, across, bellies, holds } = muscle;
  const { origin, axis, rotation: r, length, swelling } = state;
  for (let n = 0; n < vertices.length; n++) {
    const o = 3 * vertices[n];
    const along = places[n] * length;
    const wide = 1 + (swelling - 1) * bellies[n];
    const x = wide * across[3 * n],
      y = wide * across[3 * n + 1],
      z = wide * across[3 * n + 2];
    const m = holds[n];
    positions[o] += m * (origin[0] + along * axis[0] + r[0] * x + r[3] * y + r[6] * z - skinned[o]);
    positions[o + 1] += m * (origin[1] + along * axis[1] + r[1] * x + r[4] * y + r[7] * z - skinned[o + 1]);
    positions[o + 2] += m * (origin[2] + along * axis[2] + r[2] * x + r[5] * y + r[8] * z - skinned[o + 2]);
  }
}
