// SPDX-License-Identifier: MIT
// Rotations as angles about three axes. Engines interpolate the angles between keys, glTF and three.js the rotation: keys are added where
// the two paths part. Angles are measured from a pre-rotation in the middle of the motion, since both paths are alike near it.
import { sampleTrackInto } from '../../../../core/keyframes/sample-track.ts';
import {
  conjugateQuaternion,
  multiplyQuaternions,
  normalizeQuaternion,
  slerpInto,
} from '../../../../core/math/quaternion.ts';
import type { Track } from '../../../../core/model/clip/animation.ts';
import { degreesFromQuaternionInto } from '../../fbx-degrees.ts';
import { quaternionFromDegreesInto } from '../../fbx-transform.ts';
import { type FbxKeys, makeSteps } from './fbx-linear-keys.ts';

/** Radians by which the paths may part: a tenth of the length of a limb moves by less than 1e-5 of the size of a character for every joint above it. */
const TOLERANCE = 5e-6;
/** Larger turns between two keys get a key in the middle, radians: near half a turn rounding decides which way round a player goes. */
const LARGEST_TURN = 3;
/** Halvings of an interval between two keys, and its shortest part in seconds. */
const MAX_HALVINGS = 7;
const SHORTEST = 5e-4;
const XYZ = [0, 1, 2];
const CHECKED = [0.25, 0.5, 0.75];

/** How the rotation of a node becomes that of its model: pre⁻¹ q flip. */
export interface FbxRotationFrame {
  /** x y z w */
  pre: Float64Array;
  /** x y z w: a half turn where two signs of the scale were changed */
  flip: Float64Array;
}

/** Makes keys of a rotation in degrees: keyCount x 3. */
export function makeRotationKeys(track: Track, frame: FbxRotationFrame): FbxKeys {
  const { times } = track;
  const inverse = new Float64Array(4);
  conjugateQuaternion(frame.pre, inverse);
  const turnAt = (time: number): Float64Array => {
    const q = new Float64Array(4);
    sampleTrackInto(track, time, q);
    multiplyQuaternions(inverse, q, q);
    multiplyQuaternions(q, frame.flip, q);
    return q;
  };
  const anglesOf = (q: Float64Array, previous?: Float64Array): Float64Array => {
    const angles = new Float64Array(3);
    degreesFromQuaternionInto(q, 0, angles, 0, previous);
    return angles;
  };
  if (track.interpolation === 'STEP') {
    let previous: Float64Array | undefined;
    const keys = Array.from(times, (time) => {
      previous = anglesOf(turnAt(time), previous);
      return previous;
    });
    return makeSteps(times, (k) => keys[k]);
  }
  const first = anglesOf(turnAt(times[0]));
  const out: FbxKeys = { times: [times[0]], values: [...first], isStepped: false };
  const add = (t0: number, a0: Float64Array, t1: number, left: number): Float64Array => {
    const a1 = anglesOf(turnAt(t1), a0);
    if (left === 0 || t1 - t0 < 2 * SHORTEST || isSamePath(a0, a1, (ratio) => turnAt(t0 + ratio * (t1 - t0)))) {
      out.times.push(t1);
      out.values.push(...a1);
      return a1;
    }
    const middle = (t0 + t1) / 2;
    return add(middle, add(t0, a0, middle, left - 1), t1, left - 1);
  };
  let last = first;
  for (let k = 1; k < times.length; k++) last = add(times[k - 1], last, times[k], MAX_HALVINGS);
  return out;
}

/** Whether angles and rotations, interpolated, stay close to a path. */
function isSamePath(a0: Float64Array, a1: Float64Array, turnAt: (ratio: number) => Float64Array): boolean {
  const [from, to, byAngles, byTurn] = [0, 1, 2, 3].map(() => new Float64Array(4));
  const isStill = a0.every((angle, c) => angle === a1[c]);
  quaternionFromDegreesInto(a0, XYZ, from);
  quaternionFromDegreesInto(a1, XYZ, to);
  if (!isStill && angleBetween(from, to) > LARGEST_TURN) return false;
  return CHECKED.every((ratio) => {
    const truth = turnAt(ratio);
    if (isStill) return angleBetween(from, truth) <= TOLERANCE;
    quaternionFromDegreesInto(
      a0.map((angle, c) => angle + ratio * (a1[c] - angle)),
      XYZ,
      byAngles,
    );
    slerpInto(from, to, ratio, byTurn);
    return angleBetween(byAngles, truth) <= TOLERANCE && angleBetween(byTurn, truth) <= TOLERANCE;
  });
}

/** Angle between two rotations, radians; exact where it is small. */
function angleBetween(a: Float64Array, b: Float64Array): number {
  let [near, far] = [0, 0];
  for (let c = 0; c < 4; c++) {
    near += (a[c] - b[c]) ** 2;
    far += (a[c] + b[c]) ** 2;
  }
  return 4 * Math.asin(Math.min(1, Math.sqrt(Math.min(near, far)) / 2));
}

/** The middle of the rotations of some tracks; undefined where they do not turn, or all ways round. */
export function middleOfRotations(tracks: readonly Track[]): Float64Array | undefined {
  const sum = new Float64Array(4);
  const first = new Float64Array(4);
  let [isMoved, count] = [false, 0];
  for (const { times, values, interpolation } of tracks) {
    const [stride, start] = interpolation === 'CUBICSPLINE' ? [12, 4] : [4, 0];
    for (let k = 0; k < times.length; k++) {
      const q = new Float64Array(4);
      normalizeQuaternion(values, q, stride * k + start);
      if (count++ === 0) first.set(q);
      const dot = q.reduce((total, x, c) => total + x * first[c], 0);
      if (Math.abs(dot) < 1 - 1e-12) isMoved = true;
      for (let c = 0; c < 4; c++) sum[c] += dot < 0 ? -q[c] : q[c];
    }
  }
  if (!isMoved || Math.hypot(...sum) < count / 4) return undefined;
  normalizeQuaternion(sum, sum);
  return sum;
}
