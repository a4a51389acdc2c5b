// SPDX-License-Identifier: MIT
// Removes keys of a skeleton's motion within a tolerance on the surface. The tolerance of a vertex is divided among its bones (measure-joint-reach.ts). The
// error of a bone is the sum of the errors of all tracks from the root to the bone. The error of a track times its reach is an upper bound on the displacement
// of everything below it. Tracks are thinned from the root down, each with an equal share, frame by frame, of the remaining tolerance: it is divided by the
// maximum number of moving tracks on any path downwards from here. A bone below the root that rotates and translates has two such tracks, a chain of five that
// only rotate has five. Unused tolerance is available to the next tracks.
//
// For a node with world matrix A above it and a point d away from its joint, in world space:
//   translation  |A Δt|                    ≤ ‖A‖ |Δt|
//   rotation     |A (R' − R) R⁻¹ A⁻¹ d|    ≤ ‖A‖ ‖A⁻¹‖ angle |d|
//   scale        |A R ΔS S⁻¹ R⁻¹ A⁻¹ d|    ≤ ‖A‖ ‖A⁻¹‖ max |Δs / s| |d|
// each times the factor of the vertex, with ‖A‖ and ‖A⁻¹‖ at most the products of the largest s and of the largest 1 / s of the nodes above. Products of errors are neglected.
import type { JointReach } from './measure-joint-reach.ts';
import { constantErrorsInto, type KeyTrack, keyErrorsInto, thinKeys } from './thin-keys.ts';

/** Keys of one property of one node, one per frame. */
export interface JointTrack {
  path: KeyTrack['path'];
  /** The value of the node, which is used without a track. */
  rest: ArrayLike<number>;
  values: Float32Array;
}

/** A bone as glTF nodes: its parent, and its tracks from the outside in. */
export interface JointTracks {
  /** Bone of the parent joint, a smaller index, or -1. */
  above: number;
  /** Translation, rotation and scale, and for a sheared bone the rotation of its inner node. */
  tracks: [translation: JointTrack, rotation: JointTrack, scale: JointTrack, ...inner: JointTrack[]];
}

/** Cost in bytes of separate times for a track: an accessor in JSON. Removing fewer bytes would make the file larger. */
const OWN_TIMES_BYTES = 140;

/** Tolerance, relative to the largest number of a key, within which values are equal: the rounding of two 32-bit numbers. */
const SAME_VALUE = 1.2e-7;
/** The same for scales, which come from the lengths of columns of rounded matrices. */
const SAME_SCALE = 2.5e-7;

/**
 * Chooses keys without loss: all keys of a track that moves, the first of a constant track, none of a track at rest.
 * The very first track keeps all its keys, because it defines the times.
 * @returns by bone and track, indices of kept keys
 */
export function keepJointKeys(joints: JointTracks[]): Uint32Array[][] {
  return joints.map(({ tracks }, j) =>
    tracks.map((track, n) => {
      const size = sizeOf(track);
      const isCarrier = j === 0 && n === 0;
      if (isCarrier || !isStill(track)) return Uint32Array.from({ length: track.values.length / size }, (_, k) => k);
      return isSame(track, track.rest, 0) ? new Uint32Array(0) : Uint32Array.of(0);
    }),
  );
}

/**
 * Chooses keys such that the error of the surface is at most the tolerance in every frame (to first order, and up to the rounding of
 * 32-bit numbers), and the file does not become larger. The very first track keeps at least its first two keys and its last: it defines duration and
 * frame rate.
 * @param times frameCount, as stored
 * @returns by bone and track, indices of kept keys; empty if the track equals the value of the node
 */
export function thinJointKeys(
  joints: JointTracks[],
  times: Float32Array,
  reach: JointReach,
  tolerance: number,
): Uint32Array[][] {
  const frameCount = times.length;
  const moving = joints.map(({ tracks }) => tracks.filter((track) => !isStill(track)).length);
  const below = countBelow(joints, moving);
  const sizes = makeSizes(joints, frameCount);
  /** boneCount x frameCount: tolerance used by the tracks from the root down to each bone. */
  const spent = new Float64Array(joints.length * frameCount);
  const share = new Float64Array(frameCount);
  const worth = new Float64Array(frameCount);
  const errors = new Float64Array(frameCount);

  return joints.map(({ above, tracks }, j) => {
    const own = spent.subarray(j * frameCount, (j + 1) * frameCount);
    if (above >= 0) own.set(spent.subarray(above * frameCount, (above + 1) * frameCount));
    let left = moving[j] + below[j];
    return tracks.map((track, n) => {
      const isCarrier = j === 0 && n === 0;
      const still = isStill(track);
      const size = sizeOf(track);
      for (let k = 0; k < frameCount; k++) {
        share[k] = Math.max(0, tolerance - own[k]) / Math.max(1, left);
        const o = j * frameCount + k;
        const ratio = n > 2 ? sizes.own[o] * sizes.ownInverse[o] : sizes.above[o] * sizes.aboveInverse[o];
        worth[k] =
          track.path === 'translation'
            ? reach.factors[j] * sizes.above[o]
            : worthOf(track, k, ratio * reach.distances[o]);
      }
      if (!still) left--;
      const keyTrack: KeyTrack = { path: track.path, times, values: track.values };
      const fits = (): boolean => errors.every((error, k) => error === 0 || error * worth[k] <= share[k]);
      const use = (kept: Uint32Array): Uint32Array => {
        if (!still) for (let k = 0; k < frameCount; k++) if (errors[k] > 0) own[k] += errors[k] * worth[k];
        return kept;
      };

      if (!isCarrier) {
        constantErrorsInto(keyTrack, track.rest, errors);
        if (still ? isSame(track, track.rest, 0) : fits()) return use(new Uint32Array(0));
        constantErrorsInto(keyTrack, track.values.subarray(0, size), errors);
        if (still || fits()) return use(Uint32Array.of(0));
      }
      const kept = thinKeys(keyTrack, share, { reach: worth, from: isCarrier ? 1 : 0 });
      const dropped = frameCount - kept.length;
      if (dropped * size * 4 <= kept.length * 4 + OWN_TIMES_BYTES) {
        return Uint32Array.from({ length: frameCount }, (_, k) => k);
      }
      keyErrorsInto(keyTrack, kept, errors);
      return use(kept);
    });
  });
}

/** By bone: maximum number of moving tracks on any path downwards, without its own. */
function countBelow(joints: JointTracks[], moving: number[]): number[] {
  const below = joints.map(() => 0);
  for (let j = joints.length - 1; j >= 0; j--) {
    const { above } = joints[j];
    if (above >= 0) below[above] = Math.max(below[above], moving[j] + below[j]);
  }
  return below;
}

interface Sizes {
  /** boneCount x frameCount: bounds of ‖A‖ and of ‖A⁻¹‖ above the bone, and of both with the bone's own scale. */
  above: Float64Array;
  aboveInverse: Float64Array;
  own: Float64Array;
  ownInverse: Float64Array;
}

function makeSizes(joints: JointTracks[], frameCount: number): Sizes {
  const length = joints.length * frameCount;
  const sizes: Sizes = {
    above: new Float64Array(length).fill(1),
    aboveInverse: new Float64Array(length).fill(1),
    own: new Float64Array(length),
    ownInverse: new Float64Array(length),
  };
  joints.forEach(({ above, tracks }, j) => {
    const [, , { values }] = tracks;
    for (let k = 0; k < frameCount; k++) {
      const o = j * frameCount + k;
      if (above >= 0) {
        sizes.above[o] = sizes.own[above * frameCount + k];
        sizes.aboveInverse[o] = sizes.ownInverse[above * frameCount + k];
      }
      const x = Math.abs(values[3 * k]),
        y = Math.abs(values[3 * k + 1]),
        z = Math.abs(values[3 * k + 2]);
      sizes.own[o] = sizes.above[o] * Math.max(x, y, z);
      sizes.ownInverse[o] = sizes.aboveInverse[o] / Math.min(x, y, z);
    }
  });
  return sizes;
}

/**
 * The effect of an error of key k of a rotation or a scale on the surface. It is infinite for a flattened axis: such a key must be exact.
 * @param distance of the surface from the joint, as an error of the key moves it
 */
function worthOf({ path, values }: JointTrack, k: number, distance: number): number {
  const worth =
    path === 'rotation'
      ? distance
      : distance / Math.min(Math.abs(values[3 * k]), Math.abs(values[3 * k + 1]), Math.abs(values[3 * k + 2]));
  return Number.isNaN(worth) ? Number.POSITIVE_INFINITY : worth;
}

function sizeOf(track: JointTrack): number {
  return track.path === 'rotation' ? 4 : 3;
}

function isStill(track: JointTrack): boolean {
  const size = sizeOf(track);
  for (let k = 1; k * size < track.values.length; k++) if (!isSame(track, track.values, k * size)) return false;
  return true;
}

/** Whether a value is that of the first key. */
function isSame(track: JointTrack, value: ArrayLike<number>, o: number): boolean {
  const size = sizeOf(track);
  let largest = 0;
  for (let c = 0; c < size; c++) largest = Math.max(largest, Math.abs(track.values[c]));
  const tolerance = largest * (track.path === 'scale' ? SAME_SCALE : SAME_VALUE);
  for (let c = 0; c < size; c++) if (Math.abs(value[o + c] - track.values[c]) > tolerance) return false;
  return true;
}
