// SPDX-License-Identifier: MIT
// Whether joints match the motion of a clip. A vertex with rest position u and posed position p matches a joint with the matrices M if
//   β² = Σ|M u − p|² / Σ|p − u|²
// is small; it is 1 for a static joint. For a joint of the clip, β is close to 0 at the vertices that move only with it.
import { type Clip, frameCountOf } from '../../core/model/clip/clip.ts';
import type { Motion } from '../../core/model/clip/motion.ts';

export interface MatchedJoints {
  /** Number of moving joints. */
  moving: number;
  /** Number of moving joints that match some vertex. */
  matched: number;
}

/** Maximum β of a match: the joint explains three quarters of the squared motion of the vertex. Chosen by hand. */
const FOLLOWS = 0.5;
/** Maximum numbers of evenly spaced vertices and frames: enough to find the neighbourhood of a joint. */
const MAX_VERTICES = 2000;
const MAX_FRAMES = 32;
/** Squared motion, relative to the largest of any vertex, below which a vertex or joint is static. */
const STILL = 1e-6;

/**
 * Counts the joints of a motion that match the motion of some vertex of a clip. Static joints and vertices are ignored.
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
    // the motion of the vertices if they were bound to the joint
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

/** At most max of count indices, evenly spaced, including the first. */
function spread(count: number, most: number): number[] {
  const step = Math.max(1, Math.ceil(count / most));
  return Array.from({ length: Math.ceil(count / step) }, (_, n) => n * step);
}

/** Squared distance between a transformed vertex and a position. */
function distanceTo(m: Float64Array, rest: Float32Array, v: number, to: Float32Array, at: number): number {
  const [x, y, z] = [rest[3 * v], rest[3 * v + 1], rest[3 * v + 2]];
  let sum = 0;
  for (let r = 0; r < 3; r++) sum += (m[r] * x + m[4 + r] * y + m[8 + r] * z + m[12 + r] - to[at + r]) ** 2;
  return sum;
}

function squaredDistance(a: Float32Array, from: number, b: Float32Array, to: number): number {
  return (a[from] - b[to]) ** 2 + (a[from + 1] - b[to + 1]) ** 2 + (a[from + 2] - b[to + 2]) ** 2;
}
