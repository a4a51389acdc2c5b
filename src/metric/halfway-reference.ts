// SPDX-License-Identifier: MIT
// The reference halfway between two frames of a clip. A vertex of a part that moves rigidly turns with the part: its place relative to the part, which hardly changes,
// is interpolated, and so is the rigid motion of the part (rotation by slerp about its center). Every other vertex is at the mean of its two places. A vertex that
// belongs to several parts is at the mean of these references, by its weights. Parts are fitted to the clip; only the weights come from a result.
import { quaternionFromMatrix, slerpInto } from '../math/quaternion.ts';
import { nearestRotationInto } from '../math/rotation.ts';
import { type Clip, frameCountOf, frameOf } from '../model/clip.ts';
import type { Skin } from '../model/skin.ts';

/**
 * A part moves rigidly between two frames if its vertices are this close to its rigid motion (root mean square), relative to its root mean square radius. Chosen on
 * horse-gallop and cat-poses: limbs of a few bones are within it.
 */
const RIGID_RATIO = 0.6;

interface Part {
  vertices: number[];
  /** Of the mean over the parts of a vertex. */
  weights: number[];
  /** Of the rigid motion: squared weights. Many vertices with small weights follow other parts. */
  shares: Float64Array;
  /** vertices x 3, relative to the center of the part at rest */
  rest: Float64Array;
  /** Root mean square distance from the center. */
  radius: number;
}

/** The rigid motion of a part in one frame. */
interface PartPose {
  center: Float64Array;
  /** 3x3, column-major */
  rotation: Float64Array;
  /** Root mean square distance of the vertices from the motion. */
  residual: number;
}

export class HalfwayReference {
  readonly #clip: Clip;
  readonly #parts: Part[];
  /** By part: the pose of the last frame that was asked for, and of the one before. */
  readonly #poses = new Map<number, PartPose[]>();

  /** @param skin the parts of each vertex, with weights that sum to one. Default: no parts */
  constructor(clip: Clip, skin?: Skin) {
    this.#clip = clip;
    this.#parts = skin ? listParts(clip, skin) : [];
  }

  /** Fills out with the reference halfway between frames k and k + 1. */
  fillInto(k: number, out: Float32Array, offset: number): void {
    const before = frameOf(this.#clip, k);
    const after = frameOf(this.#clip, k + 1);
    for (let c = 0; c < before.length; c++) out[offset + c] = (before[c] + after[c]) / 2;
    const [poses, nextPoses] = [this.#posesAt(k), this.#posesAt(k + 1)];
    this.#parts.forEach((part, n) => {
      const [p, q] = [poses[n], nextPoses[n]];
      if (Math.max(p.residual, q.residual) > RIGID_RATIO * part.radius) return;
      const turned = halfRotation(p.rotation, q.rotation);
      part.vertices.forEach((v, e) => {
        for (let r = 0; r < 3; r++) {
          let x = (p.center[r] + q.center[r] - before[3 * v + r] - after[3 * v + r]) / 2;
          for (let c = 0; c < 3; c++)
            x += (turned[3 * c + r] * (localAt(before, v, p, c) + localAt(after, v, q, c))) / 2;
          out[offset + 3 * v + r] += part.weights[e] * x;
        }
      });
    });
  }

  #posesAt(k: number): PartPose[] {
    const known = this.#poses.get(k);
    if (known) return known;
    this.#poses.delete(k - 2);
    const poses = k < frameCountOf(this.#clip) ? this.#parts.map((part) => fitPart(part, frameOf(this.#clip, k))) : [];
    this.#poses.set(k, poses);
    return poses;
  }
}

/** Coordinate c of a vertex in the frame of its part. */
function localAt(frame: Float32Array, v: number, { center, rotation }: PartPose, c: number): number {
  let x = 0;
  for (let r = 0; r < 3; r++) x += rotation[3 * c + r] * (frame[3 * v + r] - center[r]);
  return x;
}

function listParts({ mesh: { positions } }: Clip, { rowStart, boneIndices, weights }: Skin): Part[] {
  const parts = new Map<number, Pick<Part, 'vertices' | 'weights'>>();
  for (let v = 0; v + 1 < rowStart.length; v++) {
    for (let e = rowStart[v]; e < rowStart[v + 1]; e++) {
      const part = parts.get(boneIndices[e]) ?? { vertices: [], weights: [] };
      part.vertices.push(v);
      part.weights.push(weights[e]);
      parts.set(boneIndices[e], part);
    }
  }
  return [...parts.values()].map(({ vertices, weights: own }) => {
    const part = { vertices, weights: own, shares: Float64Array.from(own, (weight) => weight * weight) };
    const center = centerOf(positions, part);
    const rest = new Float64Array(3 * part.vertices.length);
    let square = 0;
    let total = 0;
    part.vertices.forEach((v, n) => {
      total += part.shares[n];
      for (let r = 0; r < 3; r++) {
        rest[3 * n + r] = positions[3 * v + r] - center[r];
        square += part.shares[n] * rest[3 * n + r] ** 2;
      }
    });
    return { ...part, rest, radius: Math.sqrt(square / total) };
  });
}

function centerOf(positions: Float32Array, { vertices, shares }: Pick<Part, 'vertices' | 'shares'>): Float64Array {
  const sum = new Float64Array(3);
  let total = 0;
  vertices.forEach((v, n) => {
    total += shares[n];
    for (let r = 0; r < 3; r++) sum[r] += shares[n] * positions[3 * v + r];
  });
  return sum.map((x) => x / total);
}

function fitPart(part: Part, frame: Float32Array): PartPose {
  const { vertices, shares, rest } = part;
  const center = centerOf(frame, part);
  const rotation = new Float64Array(9);
  vertices.forEach((v, n) => {
    for (let c = 0; c < 3; c++)
      for (let r = 0; r < 3; r++) rotation[3 * c + r] += shares[n] * (frame[3 * v + r] - center[r]) * rest[3 * n + c];
  });
  nearestRotationInto(rotation, rotation);
  let square = 0;
  let total = 0;
  vertices.forEach((v, n) => {
    total += shares[n];
    for (let r = 0; r < 3; r++) {
      let x = center[r] - frame[3 * v + r];
      for (let c = 0; c < 3; c++) x += rotation[3 * c + r] * rest[3 * n + c];
      square += shares[n] * x * x;
    }
  });
  return { center, rotation, residual: Math.sqrt(square / total) };
}

/** The rotation halfway between two, the short way: 3x3, column-major. */
function halfRotation(a: Float64Array, b: Float64Array): Float64Array {
  const [p, q, half] = [new Float64Array(4), new Float64Array(4), new Float64Array(4)];
  quaternionFromMatrix(widen(a), p);
  quaternionFromMatrix(widen(b), q);
  slerpInto(p, q, 0.5, half);
  const [x, y, z, w] = half;
  return Float64Array.of(
    ...[1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
    ...[2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
    ...[2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
  );
}

function widen(m: Float64Array): number[] {
  return [m[0], m[1], m[2], 0, m[3], m[4], m[5], 0, m[6], m[7], m[8], 0, 0, 0, 0, 1];
}
