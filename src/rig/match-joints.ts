// SPDX-License-Identifier: MIT
// Whether joints are those that moved a clip. A vertex v, at u at rest and at p in the frames, follows a joint of the matrices M as far as
//   β² = Σ|M u − p|² / Σ|p − u|²
// is below that of a joint that stands still, which is 1. A joint of the clip has vertices close to 0: those that move with it alone.
import { type Clip, frameCountOf } from '../model/clip.ts';
import type { Motion } from '../model/motion.ts';

export interface MatchedJoints {
  /** Joints that move. */
  moving: number;
  /** Those of them that some vertex follows. */
  matched: number;
}

/** A vertex follows a joint with β below this: three quarters of its squared motion are the joint's. */
const FOLLOWS = 0.5;
/** Vertices and frames that are looked at, evenly spread: enough to find the neighbourhood of a joint. */
const MAX_VERTICES = 2000;
const MAX_FRAMES = 32;
/** Of the farthest that any vertex goes, squared: what moves less stands still. */
const STILL = 1e-6;

/**
 * Counts the joints of a motion that move as some of a clip does. All that stands still is left out.
 * @param motion a pose of joints for every frame of the clip, rest to posed
 */
export function matchJoints(clip: Clip, { matrices }: Motion): MatchedJoints {
  const frameCount = frameCountOf(clip);
  const jointCount = matrices.length / (16 * Math.max(1, frameCount));
  const rest = clip.mesh.positions;
  const vertices = spread(rest.length / 3, MAX_VERTICES);
  const frames = spread(frameCount, MAX_FRAMES);
  const squares = Float64Array.from(vertices, (v) =>
    frames.reduce((sum, k) => sum + squaredDistance(clip.positions, k * rest.length + 3 * v, rest, 3 * v), 0),
  );
  const farthest = squares.reduce((most, square) => Math.max(most, square), 0);
  const moved = vertices.filter((_, n) => squares[n] > STILL * farthest);
  const own = squares.filter((square) => square > STILL * farthest);
  const found: MatchedJoints = { moving: 0, matched: 0 };
  for (let j = 0; j < jointCount; j++) {
    const poses = frames.map((k) => matrices.subarray(16 * (k * jointCount + j), 16 * (k * jointCount + j) + 16));
    // what the joint would make of the vertices, if they were its own
    const goes = (v: number): number => poses.reduce((sum, pose) => sum + distanceTo(pose, rest, v, rest, 3 * v), 0);
    if (!vertices.some((v) => goes(v) > STILL * farthest)) continue;
    found.moving++;
    const isFollowed = moved.some((v, n) => {
      const most = FOLLOWS * FOLLOWS * own[n];
      let sum = 0;
      for (let f = 0; f < frames.length && sum < most; f++)
        sum += distanceTo(poses[f], rest, v, clip.positions, frames[f] * rest.length + 3 * v);
      return sum < most;
    });
    if (isFollowed) found.matched++;
  }
  return found;
}

/** So many of a number of places at most, evenly spread, the first among them. */
function spread(count: number, most: number): number[] {
  const step = Math.max(1, Math.ceil(count / most));
  return Array.from({ length: Math.ceil(count / step) }, (_, n) => n * step);
}

/** From where a matrix brings a vertex to a place, squared. */
function distanceTo(m: Float64Array, rest: Float32Array, v: number, to: Float32Array, at: number): number {
  const [x, y, z] = [rest[3 * v], rest[3 * v + 1], rest[3 * v + 2]];
  let sum = 0;
  for (let r = 0; r < 3; r++) sum += (m[r] * x + m[4 + r] * y + m[8 + r] * z + m[12 + r] - to[at + r]) ** 2;
  return sum;
}

function squaredDistance(a: Float32Array, from: number, b: Float32Array, to: number): number {
  return (a[from] - b[to]) ** 2 + (a[from + 1] - b[to + 1]) ** 2 + (a[from + 2] - b[to + 2]) ** 2;
}
