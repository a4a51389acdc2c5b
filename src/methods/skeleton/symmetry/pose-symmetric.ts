// SPDX-License-Identifier: MIT
// A symmetric rest pose for a skeleton that was solved in the pose of a frame. The mirror map of the surface (methods/skeleton/symmetry/find-mirror.ts) gives every small cell with center x an image y. With S the reflection in a plane, S y is where the mirrored body has the cell: for each bone,
//   R = the rotation nearest to Σ w² (S y − d)(x − c)ᵀ
// turns the bone to the pose of the mirrored body. Halfway between the two poses the body is symmetric: if the bones a and b are images of each other, R_b = S R_a⁻¹ S, so the square roots have S √R_b S = (√R_a)⁻¹, and
// S √R_b y = (√R_a)⁻¹ S y = (√R_a)⁻¹ R_a x = √R_a x. Bones rotate by √R and stay connected at their joints; all frames keep their poses: M' = M G⁻¹ for a bone that moved by G. A plane that is nearly perpendicular to an axis
// becomes exactly so, as rigging tools expect.

import {
  quaternionFromMatrix,
  quaternionFromRotationVector,
  rotationVectorFromQuaternion,
} from '../../../core/math/quaternion.ts';
import { nearestRotationInto } from '../../../core/math/rotation.ts';
import type { StrictSolution } from '../joints/solve-strict.ts';
import { averageCells, type BodyMirror } from './find-mirror.ts';
import { fitMirrorPlane, type MirrorPlane, reflectInto } from './measure-asymmetry.ts';
import { placePoints } from './refine-mirror.ts';

/** Weight of the rotation of the parent, relative to the spread of a bone's points: the rotation of a round limb about its axis is not determined. Chosen by hand. */
const PARENT = 0.02;
/** Minimum mean square distance of the cells of a bone from their center, in units of the solver: less determines no rotation, and the bone follows its parent. */
const MIN_SPREAD = 1e-6;
/** Maximum rotation to the mirrored pose, radians: beyond it, the halfway pose is not determined. */
const MAX_ANGLE = 2.6;
/** Maximum angle between the normal of the plane and an axis that is made parallel to it, radians. */
const SNAP = 0.26;

/** Maximum number of times: blends of bones, and bones that are not symmetric themselves, leave a part of the difference. */
const PASSES = 3;
/** A pass that lowers the distance between the shape and its mirror image by less than this ratio is the last. */
const MIN_GAIN = 0.05;

/**
 * Poses a solution symmetrically, in place, if that makes its rest shape more symmetric.
 */
export function poseSymmetric(solution: StrictSolution, mirror: BodyMirror): void {
  let present = measureApart(solution.fit.trajectories.rest.view(), mirror);
  for (let pass = 0; pass < PASSES; pass++) {
    const next = poseOnce(solution, mirror, present);
    const isLast = next.distance > (1 - MIN_GAIN) * present.distance;
    present = next;
    if (isLast) break;
  }
}

interface Apart {
  /** cellCount x 3 */
  centers: Float64Array;
  /** cellCount x 3; NaN: none */
  images: Float64Array;
  plane: MirrorPlane;
  /** Root mean square distance between the centers, reflected, and their images. */
  distance: number;
}

function measureApart(positions: Float64Array, { cells, corners, shares }: BodyMirror): Apart {
  const centers = averageCells(positions, cells, corners.length / 3);
  const images = placePoints({ corners, shares }, centers);
  const plane = fitMirrorPlane(centers, images);
  const point = new Float64Array(3);
  let sum = 0;
  let count = 0;
  for (let i = 0; i < centers.length; i += 3) {
    if (Number.isNaN(images[i])) continue;
    reflectInto(plane, centers, i, point, 0);
    for (let r = 0; r < 3; r++) sum += (point[r] - images[i + r]) ** 2;
    count++;
  }
  return { centers, images, plane, distance: Math.sqrt(sum / Math.max(1, count)) };
}

/** One pass; changes nothing, and returns the given state, if the shape would not be more symmetric. */
function poseOnce({ fit, tree }: StrictSolution, mirror: BodyMirror, before: Apart): Apart {
  const { boneCount, trajectories, weights } = fit;
  const rest = trajectories.rest.view();
  const { plane } = before;
  const turns = halveTurns(fit, tree, mirror, before);
  if (!turns) return before;
  snapPlane(turns, plane, boneCount);
  /** boneCount x 3: translations */
  const shifts = new Float64Array(3 * boneCount);
  const root = tree.order[0];
  const rotate = (j: number, p: ArrayLike<number>, at: number, r: number): number =>
    turns[9 * j + r] * p[at] + turns[9 * j + 3 + r] * p[at + 1] + turns[9 * j + 6 + r] * p[at + 2];
  for (const j of tree.order) {
    const p = tree.parents[j];
    for (let r = 0; r < 3; r++)
      shifts[3 * j + r] =
        j === root ? 0 : rotate(p, tree.joints, 3 * j, r) + shifts[3 * p + r] - rotate(j, tree.joints, 3 * j, r);
  }
  const [ids, values, influences] = [weights.bones.view(), weights.weights.view(), weights.influences];
  const posed = new Float64Array(rest.length);
  for (let i = 0; 3 * i < rest.length; i++)
    for (let e = i * influences; e < (i + 1) * influences; e++)
      for (let r = 0; r < 3 && values[e] > 0; r++)
        posed[3 * i + r] += values[e] * (rotate(ids[e], rest, 3 * i, r) + shifts[3 * ids[e] + r]);
  // the rest shape keeps its center
  const drift = [0, 1, 2].map((r) => {
    let sum = 0;
    for (let c = r; c < rest.length; c += 3) sum += ((rest[c] - posed[c]) * 3) / rest.length;
    return sum;
  });
  for (let c = 0; c < posed.length; c++) posed[c] += drift[c % 3];
  for (let c = 0; c < shifts.length; c++) shifts[c] += drift[c % 3];
  const after = measureApart(posed, mirror);
  if (!(after.distance < before.distance)) return before;
  const joints = tree.joints.slice();
  for (let j = 0; j < boneCount; j++) {
    const p = tree.parents[j] < 0 ? j : tree.parents[j];
    for (let r = 0; r < 3; r++) tree.joints[3 * j + r] = rotate(p, joints, 3 * j, r) + shifts[3 * p + r];
  }
  moveBones(fit.bones.view(), turns, shifts, boneCount);
  rest.set(posed);
  return after;
}

/** boneCount x 9, column-major: half of the rotation of each bone to the pose of the mirrored body; undefined if one of them is too large. */
function halveTurns(
  { boneCount, weights }: StrictSolution['fit'],
  tree: StrictSolution['tree'],
  { cells }: BodyMirror,
  { centers, images, plane }: Apart,
): Float64Array | undefined {
  const [ids, values, influences] = [weights.bones.view(), weights.weights.view(), weights.influences];
  const goals = new Float64Array(centers.length);
  for (let i = 0; i < centers.length; i += 3) reflectInto(plane, images, i, goals, i);
  /** per bone: sums of weights, of x, of S y, of |x|², and of S y xᵀ */
  const sums = new Float64Array(17 * boneCount);
  for (let i = 0; i < cells.length; i++) {
    const at = 3 * cells[i];
    if (Number.isNaN(goals[at])) continue;
    for (let e = i * influences; e < (i + 1) * influences; e++) {
      const w = values[e] ** 2;
      if (w === 0) continue;
      const o = 17 * ids[e];
      sums[o] += w;
      for (let r = 0; r < 3; r++) {
        sums[o + 1 + r] += w * centers[at + r];
        sums[o + 4 + r] += w * goals[at + r];
        sums[o + 7] += w * centers[at + r] ** 2;
        for (let a = 0; a < 3; a++) sums[o + 8 + 3 * a + r] += w * goals[at + r] * centers[at + a];
      }
    }
  }
  const whole = new Float64Array(9 * boneCount);
  const halves = new Float64Array(9 * boneCount);
  const [matrix, q, v] = [new Float64Array(16), new Float64Array(4), new Float64Array(3)];
  for (const j of tree.order) {
    const o = 17 * j;
    const w = Math.max(sums[o], Number.MIN_VALUE);
    let spread = sums[o + 7];
    for (let r = 0; r < 3; r++) spread -= sums[o + 1 + r] ** 2 / w;
    const p = tree.parents[j];
    const isKnown = spread > MIN_SPREAD * sums[o];
    for (let a = 0; a < 3; a++)
      for (let r = 0; r < 3; r++) {
        const parent = p < 0 ? Number(a === r) : whole[9 * p + 3 * a + r];
        const moment = sums[o + 8 + 3 * a + r] - (sums[o + 1 + a] * sums[o + 4 + r]) / w;
        whole[9 * j + 3 * a + r] = isKnown ? moment + PARENT * spread * parent : parent;
      }
    nearestRotationInto(whole, whole, 9 * j, 9 * j);
    for (let a = 0; a < 3; a++) for (let r = 0; r < 3; r++) matrix[4 * a + r] = whole[9 * j + 3 * a + r];
    quaternionFromMatrix(matrix, q);
    rotationVectorFromQuaternion(q, v);
    if (Math.sqrt(v[0] ** 2 + v[1] ** 2 + v[2] ** 2) > MAX_ANGLE) return undefined;
    putRotation(
      v.map((x) => x / 2),
      halves,
      9 * j,
    );
  }
  return halves;
}

/** The rotation of a vector, column-major at an offset. */
function putRotation(vector: Float64Array, out: Float64Array, at: number): void {
  const q = new Float64Array(4);
  quaternionFromRotationVector(vector, q);
  const [x, y, z, w] = q;
  const rows = [
    ...[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
    ...[2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    ...[2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
  ];
  for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) out[at + 3 * c + r] = rows[3 * r + c];
}

/** Turns all bones together so that a normal near an axis becomes parallel to it. */
function snapPlane(turns: Float64Array, { normal }: MirrorPlane, boneCount: number): void {
  let axis = 0;
  for (let r = 1; r < 3; r++) if (Math.abs(normal[r]) > Math.abs(normal[axis])) axis = r;
  const goal = [0, 0, 0];
  goal[axis] = Math.sign(normal[axis]);
  const cross = [
    normal[1] * goal[2] - normal[2] * goal[1],
    normal[2] * goal[0] - normal[0] * goal[2],
    normal[0] * goal[1] - normal[1] * goal[0],
  ];
  const sine = Math.sqrt(cross[0] ** 2 + cross[1] ** 2 + cross[2] ** 2);
  if (!(sine > 0 && sine < SNAP)) return;
  // below SNAP, the arc differs from its sine by less than a hundredth, and the plane is found again
  const angle = sine * (1 + sine ** 2 / 6);
  const turn = new Float64Array(9);
  putRotation(
    Float64Array.from(cross, (x) => (x * angle) / sine),
    turn,
    0,
  );
  const product = new Float64Array(9);
  for (let j = 0; j < boneCount; j++) {
    for (let c = 0; c < 3; c++)
      for (let r = 0; r < 3; r++) {
        product[3 * c + r] = 0;
        for (let s = 0; s < 3; s++) product[3 * c + r] += turn[3 * s + r] * turns[9 * j + 3 * c + s];
      }
    turns.set(product, 9 * j);
  }
}

/** M' = M G⁻¹ with G p = turn p + shift. */
function moveBones(bones: Float64Array, turns: Float64Array, shifts: Float64Array, boneCount: number): void {
  const row = new Float64Array(3);
  for (let o = 0; o < bones.length; o += 4) {
    const j = (o / 4) % boneCount;
    for (let c = 0; c < 3; c++) {
      row[c] = 0;
      for (let s = 0; s < 3; s++) row[c] += bones[o + s] * turns[9 * j + 3 * s + c];
    }
    for (let c = 0; c < 3; c++) {
      bones[o + c] = row[c];
      bones[o + 3] -= row[c] * shifts[3 * j + c];
    }
  }
}
