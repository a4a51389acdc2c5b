// SPDX-License-Identifier: MIT
// Connected parts that move rigidly to the precision of the file: pieces of broken things, parts of machines, eyes, buttons, buckles.
import { nearestRotationInto } from '../../math/rotation.ts';
import { type Clip, frameCountOf } from '../../model/clip/clip.ts';
import { listConnectedParts } from './connected-parts.ts';
import { weldClip } from './weld.ts';

/**
 * Maximum distance from a rigid motion, relative to the largest coordinate of the frame and of the rest pose: 128 times the rounding of a 32-bit float. It has to
 * exceed the rounding of positions that were computed in single precision or stored as decimal text. Chosen on the wall, the face and five rigs of the data
 * folder: parts that are known to be rigid stay below 27 roundings, the others are above 980.
 */
const PRECISION = 128 * 2 ** -24;
/**
 * Maximum distance from a rigid motion, relative to the diagonal of the part. Far from the origin the precision of the file exceeds the size of a part, and
 * every motion would be rigid.
 */
const MAX_BEND_RATIO = 0.01;
/** Minimum number of vertices: fewer have no shape to keep. */
const MIN_VERTICES = 3;

export interface RigidPiece {
  /** Rising vertex indices. */
  vertices: Uint32Array;
  /** frameCount x 16, column-major: the motion, rest to posed, file units */
  matrices: Float64Array;
}

/** Lists the connected parts that move rigidly in all frames, by first vertex. A part is rejected at the first frame that bends it, so a soft mesh costs little. */
export function listRigidPieces(clip: Clip): RigidPiece[] {
  if (frameCountOf(clip) === 0) return [];
  const limits = listPrecisions(clip);
  const pieces: RigidPiece[] = [];
  for (const { vertices, triangleCount } of listConnectedParts(clip.mesh, weldClip(clip))) {
    if (triangleCount === 0 || vertices.length < MIN_VERTICES) continue;
    const size = MAX_BEND_RATIO * diagonalOf(clip.mesh.positions, vertices);
    const matrices = fitRigidMotion(
      clip,
      vertices,
      limits.map((limit) => Math.min(limit, size)),
    );
    if (matrices) pieces.push({ vertices, matrices });
  }
  return pieces;
}

/** frameCount: the distance from a rigid motion that is within the precision of the file, file units */
export function listPrecisions({ mesh, positions, times }: Clip): Float64Array {
  const stride = mesh.positions.length;
  const rest = largestOf(mesh.positions, 0, stride);
  return Float64Array.from(times, (_, k) => PRECISION * Math.max(rest, largestOf(positions, k * stride, stride)));
}

function diagonalOf(positions: Float32Array, vertices: Uint32Array): number {
  const extents = [0, 1, 2].map((r) => {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const v of vertices) {
      low = Math.min(low, positions[3 * v + r]);
      high = Math.max(high, positions[3 * v + r]);
    }
    return high - low;
  });
  return Math.hypot(...extents);
}

function largestOf(values: Float32Array, offset: number, count: number): number {
  let largest = 0;
  for (let c = offset; c < offset + count; c++) largest = Math.max(largest, Math.abs(values[c]));
  return largest;
}

/**
 * The rigid motion closest to some vertices: per frame R nearest to Σ(v − v̄)(u − ū)ᵀ, t = v̄ − R ū; frameCount x 16.
 * @param limits frameCount maximum distances of a vertex: undefined is returned at the first frame that exceeds its limit
 */
export function fitRigidMotion(clip: Clip, vertices: Uint32Array, limits?: Float64Array): Float64Array | undefined {
  const { mesh, positions } = clip;
  const frameCount = frameCountOf(clip);
  const stride = mesh.positions.length;
  const centered = new Float64Array(3 * vertices.length);
  const center = centerOf(mesh.positions, vertices, 0);
  vertices.forEach((v, n) => {
    for (let r = 0; r < 3; r++) centered[3 * n + r] = mesh.positions[3 * v + r] - center[r];
  });
  const matrices = new Float64Array(16 * frameCount);
  const m = new Float64Array(9);
  for (let k = 0; k < frameCount; k++) {
    const mean = centerOf(positions, vertices, k * stride);
    m.fill(0);
    for (let n = 0; n < vertices.length; n++) {
      const o = k * stride + 3 * vertices[n];
      const x = centered[3 * n];
      const y = centered[3 * n + 1];
      const z = centered[3 * n + 2];
      for (let r = 0; r < 3; r++) {
        const v = positions[o + r] - mean[r];
        m[r] += v * x;
        m[3 + r] += v * y;
        m[6 + r] += v * z;
      }
    }
    nearestRotationInto(m, m);
    if (
      limits &&
      !isWithin({ centered, m, mean }, positions.subarray(k * stride, (k + 1) * stride), vertices, limits[k])
    )
      return undefined;
    for (let r = 0; r < 3; r++) {
      let t = mean[r];
      for (let c = 0; c < 3; c++) {
        matrices[16 * k + 4 * c + r] = m[3 * c + r];
        t -= m[3 * c + r] * center[c];
      }
      matrices[16 * k + 12 + r] = t;
    }
    matrices[16 * k + 15] = 1;
  }
  return matrices;
}

function centerOf(positions: Float32Array, vertices: Uint32Array, offset: number): [number, number, number] {
  const sum: [number, number, number] = [0, 0, 0];
  for (const v of vertices) for (let r = 0; r < 3; r++) sum[r] += positions[offset + 3 * v + r];
  return [sum[0] / vertices.length, sum[1] / vertices.length, sum[2] / vertices.length];
}

/** A fitted motion: a rotation about the center of the vertices at rest, and their mean in the frame. */
interface CenteredMotion {
  /** by vertex: 3 numbers from the center */
  centered: Float64Array;
  /** 3 x 3, column-major */
  m: Float64Array;
  mean: readonly number[];
}

/** Whether a motion takes all vertices to their places in a frame, within a distance. */
function isWithin(
  { centered, m, mean }: CenteredMotion,
  frame: Float32Array,
  vertices: Uint32Array,
  limit: number,
): boolean {
  for (let n = 0; n < vertices.length; n++) {
    let square = 0;
    for (let r = 0; r < 3; r++) {
      const moved = m[r] * centered[3 * n] + m[3 + r] * centered[3 * n + 1] + m[6 + r] * centered[3 * n + 2];
      square += (moved + mean[r] - frame[3 * vertices[n] + r]) ** 2;
    }
    if (!(square <= limit * limit)) return false;
  }
  return true;
}
