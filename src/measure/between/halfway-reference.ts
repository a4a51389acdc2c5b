// SPDX-License-Identifier: MIT
// The reference halfway between two frames of a clip. A vertex of a part that moves rigidly turns with the part: its place relative to the part, which hardly changes,
// is interpolated, and so is the rigid motion of the part (rotation by slerp about its center). Every other vertex is at the mean of its two places. A vertex that
// belongs to several parts is at the mean of these references, by its weights. Parts are fitted to the clip; only the weights come from a result.
import { normalizeQuaternion, quaternionFromMatrix } from '../../core/math/quaternion.ts';
import { nearestRotationInto } from '../../core/math/rotation.ts';
import { type Clip, frameCountOf, frameOf } from '../../core/model/clip/clip.ts';
import type { Skin } from '../../core/model/skin/skin.ts';

/**
 * A part moves rigidly between two frames if its vertices are this close to its rigid motion (root mean square), relative to its root mean square radius. Chosen on
 * horse-gallop and cat-poses: limbs of a few bones are within it.
 */
const RIGID_RATIO = 0.6;

/**
 * Whether a part moves rigidly between two frames.
 * @param spread mean square distance of its vertices from its center at rest
 */
export function isRigid(p: PartPose, q: PartPose, spread: number): boolean {
  return Math.max(p.residual, q.residual) <= RIGID_RATIO * RIGID_RATIO * spread;
}

interface Part {
  vertices: Uint32Array;
  /** Of the mean over the parts of a vertex. */
  weights: Float64Array;
  /** Of the rigid motion: squared weights. Many vertices with small weights follow other parts. */
  shares: Float64Array;
  /** vertices x 3, relative to the center of the part at rest */
  rest: Float64Array;
  total: number;
  /** Σ w |r|² of the rest positions. */
  square: number;
}

/** The rigid motion of a part in one frame. */
export interface PartPose {
  center: Float64Array;
  /** 3x3, column-major */
  rotation: Float64Array;
  /** Mean square distance of the vertices from the motion. */
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
      if (isRigid(p, q, part.square / part.total)) moveHalfway(part, [p, q], before, after, out, offset);
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

/**
 * The map from two places of a vertex to its place halfway. With H the rotation halfway, that is
 * (c + c′)/2 + H (Rᵀ(v − c) + R′ᵀ(v′ − c′))/2 = A v + A′ v′ + t, A = H Rᵀ/2, A′ = H R′ᵀ/2.
 * Returns t, A and A′, column-major: 21 numbers.
 */
export function halfwayMap(p: PartPose, q: PartPose): Float64Array {
  const half = halfRotation(p.rotation, q.rotation);
  const [a, b] = [halfProduct(half, p.rotation), halfProduct(half, q.rotation)];
  const out = new Float64Array(21);
  for (let r = 0; r < 3; r++) {
    out[r] = (p.center[r] + q.center[r]) / 2;
    for (let c = 0; c < 3; c++) out[r] -= a[3 * c + r] * p.center[c] + b[3 * c + r] * q.center[c];
  }
  out.set(a, 3);
  out.set(b, 12);
  return out;
}

/** Moves vertices from the mean m = (v + v′)/2 of their two places towards the rigid motion halfway, by their weights. */
function moveHalfway(
  { vertices, weights }: Part,
  [p, q]: readonly [PartPose, PartPose],
  before: Float32Array,
  after: Float32Array,
  out: Float32Array,
  offset: number,
): void {
  const [t0, t1, t2, a0, a1, a2, a3, a4, a5, a6, a7, a8, b0, b1, b2, b3, b4, b5, b6, b7, b8] = halfwayMap(p, q);
  for (let e = 0; e < vertices.length; e++) {
    const v = 3 * vertices[e];
    const w = weights[e];
    const x = before[v];
    const y = before[v + 1];
    const z = before[v + 2];
    const u = after[v];
    const s = after[v + 1];
    const r = after[v + 2];
    const o = offset + v;
    out[o] += w * (a0 * x + a3 * y + a6 * z + b0 * u + b3 * s + b6 * r + t0 - (x + u) / 2);
    out[o + 1] += w * (a1 * x + a4 * y + a7 * z + b1 * u + b4 * s + b7 * r + t1 - (y + s) / 2);
    out[o + 2] += w * (a2 * x + a5 * y + a8 * z + b2 * u + b5 * s + b8 * r + t2 - (z + r) / 2);
  }
}

/** H Rᵀ / 2: 3x3, column-major. */
function halfProduct(h: Float64Array, rotation: Float64Array): Float64Array {
  const out = new Float64Array(9);
  for (let c = 0; c < 3; c++)
    for (let r = 0; r < 3; r++) for (let n = 0; n < 3; n++) out[3 * c + r] += (h[3 * n + r] * rotation[3 * n + c]) / 2;
  return out;
}

function listParts({ mesh: { positions } }: Clip, { rowStart, boneIndices, weights }: Skin): Part[] {
  const lists = new Map<number, { vertices: number[]; weights: number[] }>();
  for (let v = 0; v + 1 < rowStart.length; v++) {
    for (let e = rowStart[v]; e < rowStart[v + 1]; e++) {
      const list = lists.get(boneIndices[e]) ?? { vertices: [], weights: [] };
      if (list.vertices.length === 0) lists.set(boneIndices[e], list);
      list.vertices.push(v);
      list.weights.push(weights[e]);
    }
  }
  return [...lists.values()].map((list) => makePart(positions, list.vertices, list.weights));
}

function makePart(positions: Float32Array, vertices: number[], weights: number[]): Part {
  const count = vertices.length;
  const shares = new Float64Array(count);
  let [total, x, y, z] = [0, 0, 0, 0];
  for (let n = 0; n < count; n++) {
    const v = 3 * vertices[n];
    const share = weights[n] * weights[n];
    shares[n] = share;
    total += share;
    x += share * positions[v];
    y += share * positions[v + 1];
    z += share * positions[v + 2];
  }
  const rest = new Float64Array(3 * count);
  let square = 0;
  for (let n = 0; n < count; n++) {
    const v = 3 * vertices[n];
    const [dx, dy, dz] = [positions[v] - x / total, positions[v + 1] - y / total, positions[v + 2] - z / total];
    rest[3 * n] = dx;
    rest[3 * n + 1] = dy;
    rest[3 * n + 2] = dz;
    square += shares[n] * (dx * dx + dy * dy + dz * dz);
  }
  return { vertices: new Uint32Array(vertices), weights: new Float64Array(weights), shares, rest, total, square };
}

function fitPart({ vertices, shares, rest, total, square }: Part, frame: Float32Array): PartPose {
  let [c0, c1, c2] = [0, 0, 0];
  for (let n = 0; n < vertices.length; n++) {
    const v = 3 * vertices[n];
    c0 += shares[n] * frame[v];
    c1 += shares[n] * frame[v + 1];
    c2 += shares[n] * frame[v + 2];
  }
  c0 /= total;
  c1 /= total;
  c2 /= total;
  let [m0, m1, m2, m3, m4, m5, m6, m7, m8, posed] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (let n = 0, o = 0; n < vertices.length; n++, o += 3) {
    const v = 3 * vertices[n];
    const dx = frame[v] - c0;
    const dy = frame[v + 1] - c1;
    const dz = frame[v + 2] - c2;
    const x = shares[n] * dx;
    const y = shares[n] * dy;
    const z = shares[n] * dz;
    m0 += x * rest[o];
    m1 += y * rest[o];
    m2 += z * rest[o];
    m3 += x * rest[o + 1];
    m4 += y * rest[o + 1];
    m5 += z * rest[o + 1];
    m6 += x * rest[o + 2];
    m7 += y * rest[o + 2];
    m8 += z * rest[o + 2];
    posed += x * dx + y * dy + z * dz;
  }
  const moment = Float64Array.of(m0, m1, m2, m3, m4, m5, m6, m7, m8);
  return solvePart(Float64Array.of(c0, c1, c2), moment, (square + posed) / total, total);
}

/**
 * The rotation nearest to the moment M = Σ w (v − c) rᵀ of a part, and what it leaves: Σ w |R r + c − v|² = Σ w |r|² + Σ w |v − c|² − 2 tr(Rᵀ M).
 * @param spread (Σ w |r|² + Σ w |v − c|²) / Σ w
 * @param total Σ w
 */
export function solvePart(center: Float64Array, moment: Float64Array, spread: number, total: number): PartPose {
  const rotation = new Float64Array(9);
  nearestRotationInto(moment, rotation);
  let along = 0;
  for (let e = 0; e < 9; e++) along += rotation[e] * moment[e];
  return { center, rotation, residual: spread - (2 * along) / total };
}

/** The rotation halfway between two, the short way: 3x3, column-major. The sum of two unit quaternions has its direction. */
function halfRotation(a: Float64Array, b: Float64Array): Float64Array {
  const [p, q] = [new Float64Array(4), new Float64Array(4)];
  quaternionFromMatrix(widen(a), p);
  quaternionFromMatrix(widen(b), q);
  const sign = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3] < 0 ? -1 : 1;
  for (let c = 0; c < 4; c++) p[c] += sign * q[c];
  normalizeQuaternion(p, p);
  const [x, y, z, w] = p;
  const out = new Float64Array(9);
  out[0] = 1 - 2 * (y * y + z * z);
  out[1] = 2 * (x * y + z * w);
  out[2] = 2 * (x * z - y * w);
  out[3] = 2 * (x * y - z * w);
  out[4] = 1 - 2 * (x * x + z * z);
  out[5] = 2 * (y * z + x * w);
  out[6] = 2 * (x * z + y * w);
  out[7] = 2 * (y * z - x * w);
  out[8] = 1 - 2 * (x * x + y * y);
  return out;
}

function widen(m: Float64Array): number[] {
  return [m[0], m[1], m[2], 0, m[3], m[4], m[5], 0, m[6], m[7], m[8], 0, 0, 0, 0, 1];
}
