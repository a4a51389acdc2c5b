// SPDX-License-Identifier: MIT
// L. Kavan and O. Sorkine, "Elasticity-inspired deformers for character articulation", ACM Transactions on Graphics 31 (6), 2012,
// doi:10.1145/2366145.2366215: the swing/twist deformer. The rotation of each joint is divided into a twist about the bone and a swing. Swings are blended
// linearly, twists by their angle, each with weights of its own: no candy wrapper where a limb twists, no bulge where it bends.
//
// N_j = M_parent⁻¹ M_j = S_j T_j(θ_j) moves bone j against its parent, about its joint, in rest coordinates. c_j(v), the sum of the weights of j and
// its descendants, says how far vertex v follows joint j; t_j(v) the same of the twist weights. With q_j = c_j / c_parent, from the tips to the roots,
//
//   V_i = v + Σ_{children j} (T_j(t_j θ_j) V_j − v)                                  twists only
//   E_i = V_i + Σ_{children j} q_j (S_j T_j(t_j θ_j) E_j − T_j(t_j θ_j) V_j)         and swings
//   v'  = Σ_{roots i} c_i M_i E_i
//
// Without twists this is linear blend skinning exactly. Without swings a section of one weight moves rigidly, so a twisted tube keeps its volume. For one
// joint it is the paper's deformer. The paper leaves open how joints are combined; this is ours. Weights come from solve-elastic-weights.ts.

import { invertAffine, multiply } from '../../core/math/mat4.ts';
import { quaternionFromMatrix } from '../../core/math/quaternion.ts';
import { cosineOf, sineOf } from '../../core/math/sine.ts';
import type { Deformer } from '../../core/model/deformed/deformer.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { checkRigidBones, rotationFromQuaternionInto } from '../direct-delta-mush/index.ts';
import { checkFits, checkPose, makeSurfaceNormals } from '../linear-blend/index.ts';
import { listBoneAxes } from '../posing/index.ts';
import { swingTwistInto, type TwistDivision } from './swing-twist-angles.ts';

/** Options of makeSwingTwist. */
export interface SwingTwistOptions {
  /** Weights of twists. Default: those of swings. */
  twist?: Skin;
  /** How rotations are divided. Default 'quaternion'. */
  division?: TwistDivision;
}

/** How far each vertex follows each joint, rows of joints from the tips to the roots. */
interface JointRows {
  rowStart: Uint32Array;
  joints: Uint32Array;
  /** q_j, and c_j for roots */
  swings: Float64Array;
  /** t_j */
  twists: Float64Array;
}

/** Numbers per joint: S (9, column-major), translation (3), θ. */
const JOINT_SIZE = 13;

/**
 * The swing/twist deformer. Bones must be rigid: one with scale, shear or a reflection is an error. Normals are those of the posed surface. The mesh is
 * kept, not copied; weights are read once.
 * @example
 * ```ts
 * import { makeSwingTwist } from 'ossify/deform';
 *
 * const deformer = makeSwingTwist(mesh, skeleton, skin);
 * deformer.deformInto({ bones }, positions);
 * ```
 */
export function makeSwingTwist(mesh: Mesh, skeleton: Skeleton, skin: Skin, options: SwingTwistOptions = {}): Deformer {
  const vertexCount = mesh.positions.length / 3;
  const boneCount = skeleton.parents.length;
  const { twist = skin, division = 'quaternion' } = options;
  checkFits('swing/twist', skin, vertexCount, boneCount);
  checkFits('swing/twist', twist, vertexCount, boneCount);
  const blend = new SwingTwistBlend(mesh, skeleton, skin, { twist, division });
  const normalsInto = makeSurfaceNormals(mesh);
  return {
    vertexCount,
    boneCount,
    deformInto(pose, positions, normals) {
      checkPose('swing/twist', pose, boneCount);
      checkRigidBones('swing/twist', pose.bones, blend.isUsed, 'give it rigid bones, or use linear blend');
      blend.divideJoints(pose.bones);
      for (let i = 0; i < vertexCount; i++) blend.moveVertex(i, pose.bones, positions);
      if (normals) normalsInto(positions, normals);
    },
  };
}

/** The joints of one pose, and the displacements of one vertex. */
class SwingTwistBlend {
  /** boneCount: 1 for bones that are used, and all of their ancestors */
  readonly isUsed: Uint8Array;
  readonly #rest: Float32Array;
  readonly #parents: Int32Array;
  readonly #division: TwistDivision;
  readonly #rows: JointRows;
  readonly #heads: Float64Array;
  readonly #axes: Float64Array;
  readonly #joints: Float64Array;
  /** V_j − v and E_j − v of the joints of one vertex */
  readonly #twisted: Float64Array;
  readonly #moved: Float64Array;
  readonly #inverse = new Float64Array(16);
  readonly #local = new Float64Array(16);
  readonly #q = new Float64Array(4);
  readonly #swing = new Float64Array(4);

  constructor(mesh: Mesh, skeleton: Skeleton, skin: Skin, { twist, division }: Required<SwingTwistOptions>) {
    const boneCount = skeleton.parents.length;
    this.#rest = mesh.positions;
    this.#parents = skeleton.parents;
    this.#division = division;
    this.#rows = listJointRows(skeleton.parents, skin, twist);
    const { heads, axes } = listBoneAxes(mesh, skeleton, skin);
    this.#heads = heads;
    this.#axes = axes;
    this.isUsed = new Uint8Array(boneCount);
    for (const j of this.#rows.joints) this.isUsed[j] = 1;
    this.#joints = new Float64Array(JOINT_SIZE * boneCount);
    this.#twisted = new Float64Array(3 * boneCount);
    this.#moved = new Float64Array(3 * boneCount);
  }

  /** Divides the rotations of all joints with a parent. */
  divideJoints(bones: Float64Array): void {
    for (let j = 0; j < this.isUsed.length; j++) if (this.isUsed[j] && this.#parents[j] >= 0) this.#divide(j, bones);
  }

  #divide(j: number, bones: Float64Array): void {
    const [heads, joints, local, swing] = [this.#heads, this.#joints, this.#local, this.#swing];
    invertAffine(bones, this.#inverse, 16 * this.#parents[j]);
    multiply(this.#inverse, bones, local, 0, 16 * j);
    quaternionFromMatrix(local, this.#q);
    const o = JOINT_SIZE * j;
    joints[o + 12] = swingTwistInto(this.#q, this.#axes.subarray(3 * j, 3 * j + 3), this.#division, swing);
    rotationFromQuaternionInto(swing[0], swing[1], swing[2], swing[3], joints.subarray(o, o + 9));
    // where the joint moves: zero for rotations about it
    for (let c = 0; c < 3; c++) {
      const [x, y, z] = heads.subarray(3 * j, 3 * j + 3);
      joints[o + 9 + c] = local[c] * x + local[4 + c] * y + local[8 + c] * z + local[12 + c] - heads[3 * j + c];
    }
  }

  moveVertex(i: number, bones: Float64Array, positions: Float32Array): void {
    const { rowStart, joints: jointOf, swings, twists } = this.#rows;
    const rest = this.#rest;
    const moved = this.#moved;
    const c = 3 * i;
    let x = 0,
      y = 0,
      z = 0;
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      const j = jointOf[e];
      const d = 3 * j;
      const parent = this.#parents[j];
      if (parent < 0) {
        const [ex, ey, ez] = [rest[c] + moved[d], rest[c + 1] + moved[d + 1], rest[c + 2] + moved[d + 2]];
        const m = 16 * j;
        const w = swings[e];
        x += w * (bones[m] * ex + bones[m + 4] * ey + bones[m + 8] * ez + bones[m + 12]);
        y += w * (bones[m + 1] * ex + bones[m + 5] * ey + bones[m + 9] * ez + bones[m + 13]);
        z += w * (bones[m + 2] * ex + bones[m + 6] * ey + bones[m + 10] * ez + bones[m + 14]);
      } else {
        this.#followJoint(j, swings[e], twists[e], c);
      }
      this.#twisted.fill(0, d, d + 3);
      moved.fill(0, d, d + 3);
    }
    positions[c] = x;
    positions[c + 1] = y;
    positions[c + 2] = z;
  }

  /** Adds the terms of joint j to V and E of its parent, for the vertex whose rest position begins at `v`. */
  #followJoint(j: number, q: number, t: number, v: number): void {
    const [joints, rest, twisted, moved] = [this.#joints, this.#rest, this.#twisted, this.#moved];
    const o = JOINT_SIZE * j;
    const d = 3 * j;
    const p = 3 * this.#parents[j];
    const [vx, vy, vz] = [rest[v], rest[v + 1], rest[v + 2]];
    const [ax, ay, az] = [this.#axes[d], this.#axes[d + 1], this.#axes[d + 2]];
    const [hx, hy, hz] = [this.#heads[d], this.#heads[d + 1], this.#heads[d + 2]];
    const angle = t * joints[o + 12];
    const cos = cosineOf(angle),
      sin = sineOf(angle);
    const turn = (x: number, y: number, z: number): [number, number, number] => {
      const along = (1 - cos) * (ax * x + ay * y + az * z);
      return [
        cos * x + sin * (ay * z - az * y) + along * ax,
        cos * y + sin * (az * x - ax * z) + along * ay,
        cos * z + sin * (ax * y - ay * x) + along * az,
      ];
    };
    const [tx, ty, tz] = turn(vx + twisted[d] - hx, vy + twisted[d + 1] - hy, vz + twisted[d + 2] - hz);
    const [ux, uy, uz] = turn(vx + moved[d] - hx, vy + moved[d + 1] - hy, vz + moved[d + 2] - hz);
    const [dx, dy, dz] = [tx + hx - vx, ty + hy - vy, tz + hz - vz];
    twisted[p] += dx;
    twisted[p + 1] += dy;
    twisted[p + 2] += dz;
    moved[p] += dx + q * (joints[o] * ux + joints[o + 3] * uy + joints[o + 6] * uz + joints[o + 9] - tx);
    moved[p + 1] += dy + q * (joints[o + 1] * ux + joints[o + 4] * uy + joints[o + 7] * uz + joints[o + 10] - ty);
    moved[p + 2] += dz + q * (joints[o + 2] * ux + joints[o + 5] * uy + joints[o + 8] * uz + joints[o + 11] - tz);
  }
}

function listJointRows(parents: Int32Array, skin: Skin, twist: Skin): JointRows {
  const vertexCount = skin.rowStart.length - 1;
  const rowStart = new Uint32Array(vertexCount + 1);
  const joints: number[] = [];
  const swings: number[] = [];
  const twists: number[] = [];
  const sums = new Float64Array(parents.length);
  const twistSums = new Float64Array(parents.length);
  for (let i = 0; i < vertexCount; i++) {
    sumSubtrees(parents, skin, i, sums);
    sumSubtrees(parents, twist, i, twistSums);
    // a parent comes before its children, so falling indices go from the tips to the roots
    for (let j = parents.length - 1; j >= 0; j--) {
      if (!(sums[j] > 0 || twistSums[j] > 0)) continue;
      const above = parents[j] < 0 ? 1 : sums[parents[j]];
      joints.push(j);
      swings.push(above > 0 ? Math.min(1, sums[j] / above) : 0);
      twists.push(Math.min(1, twistSums[j]));
    }
    rowStart[i + 1] = joints.length;
  }
  return {
    rowStart,
    joints: Uint32Array.from(joints),
    swings: Float64Array.from(swings),
    twists: Float64Array.from(twists),
  };
}

/** Fills sums with the weights of vertex i, each bone's and its descendants'. */
export function sumSubtrees(
  parents: Int32Array,
  { rowStart, boneIndices, weights }: Skin,
  i: number,
  sums: Float64Array,
): void {
  sums.fill(0);
  for (let e = rowStart[i]; e < rowStart[i + 1]; e++) sums[boneIndices[e]] += weights[e];
  for (let j = parents.length - 1; j >= 0; j--) if (parents[j] >= 0) sums[parents[j]] += sums[j];
}
