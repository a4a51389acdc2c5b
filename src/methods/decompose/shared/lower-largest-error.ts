// SPDX-License-Identifier: MIT
// Lowers the largest distance of the vertices of one pose from their targets; weights stay. Iterative reweighting as in refine-norm.ts, one bone at a time: with importance
// ω = (r/R)^(p−2), bone j gets the rigid motion T with the lowest Σᵢ ωᵢ |rᵢ + wᵢⱼ (T − I) Mⱼuᵢ|², as far as that lowers Σ rᵖ. T is applied to the present bone, so that its
// scale and shear stay and every kind of bone keeps its kind. p rises from level to level. refine-norm.ts accepts or undoes the bones of a frame together; where parts rotate
// by more than 90° between two frames it does not find a step.
import { multiply } from '../../../core/math/mat4.ts';
import { quaternionFromMatrix, slerpInto } from '../../../core/math/quaternion.ts';
import { nearestRotationInto } from '../../../core/math/rotation.ts';
import type { Skin } from '../../../core/model/skin/skin.ts';

/** Exponents p, and sweeps over all bones for each. Chosen on cat-poses with 10 and 20 rigid bones. */
const LEVELS = [4, 8, 16, 32];
const SWEEPS = 12;
/** Importance of small distances relative to the largest one: keeps the mean square from growing. */
const FLOOR = 2e-3;
/** Attempts per bone; each step is half as long as the one before. */
const ATTEMPTS = 4;

/** The vertices of a bone. */
interface Members {
  vertices: Uint32Array;
  weights: Float64Array;
}

/**
 * Moves bones in place.
 * @param rest vertexCount x 3
 * @param bones boneCount x 16, rest to posed
 * @param targets vertexCount x 3
 * @param enough ends when the largest distance is at most this
 * @returns the largest distance; not larger than before
 */
export function lowerLargestError(
  rest: Float32Array,
  { rowStart, boneIndices, weights }: Skin,
  bones: Float64Array,
  targets: Float32Array,
  enough = 0,
): number {
  const boneCount = bones.length / 16;
  const members = listMembers({ rowStart, boneIndices, weights }, boneCount);
  const residuals = Float64Array.from(targets, (x) => -x);
  const posed = new Float64Array(rest.length);
  members.forEach((own, j) => {
    poseInto(rest, bones.subarray(16 * j, 16 * j + 16), own, posed);
    own.vertices.forEach((v, e) => {
      for (let r = 0; r < 3; r++) residuals[3 * v + r] += own.weights[e] * posed[3 * v + r];
    });
  });
  let largest = largestOf(residuals);
  const best = { largest, bones: bones.slice() };
  for (const p of LEVELS) {
    for (let sweep = 0; sweep < SWEEPS && largest > enough; sweep++) {
      const rule = { p, scale: largest };
      members.forEach((own, j) => {
        const matrix = bones.subarray(16 * j, 16 * j + 16);
        poseInto(rest, matrix, own, posed);
        moveBone(own, matrix, posed, residuals, rule);
      });
      largest = largestOf(residuals);
      if (largest < best.largest) {
        best.largest = largest;
        best.bones.set(bones);
      }
    }
  }
  bones.set(best.bones);
  return best.largest;
}

interface Rule {
  p: number;
  /** R: the largest distance */
  scale: number;
}

function importanceOf({ p, scale }: Rule, square: number): number {
  return FLOOR + (square / (scale * scale)) ** (p / 2 - 1);
}

/** The objective whose importance that is. */
function objectiveOf({ p, scale }: Rule, square: number): number {
  return FLOOR * square + (2 / p) * scale * scale * (square / (scale * scale)) ** (p / 2);
}

function listMembers({ rowStart, boneIndices, weights }: Skin, boneCount: number): Members[] {
  const lists = Array.from({ length: boneCount }, () => ({ vertices: [] as number[], weights: [] as number[] }));
  for (let v = 0; v + 1 < rowStart.length; v++) {
    for (let e = rowStart[v]; e < rowStart[v + 1]; e++) {
      if (!(weights[e] > 0)) continue;
      lists[boneIndices[e]].vertices.push(v);
      lists[boneIndices[e]].weights.push(weights[e]);
    }
  }
  return lists.map((list) => ({
    vertices: Uint32Array.from(list.vertices),
    weights: Float64Array.from(list.weights),
  }));
}

/** Fills the positions of the vertices of a bone as moved by it alone. */
function poseInto(rest: Float32Array, m: Float64Array, { vertices }: Members, posed: Float64Array): void {
  for (const v of vertices) {
    const [x, y, z] = [rest[3 * v], rest[3 * v + 1], rest[3 * v + 2]];
    for (let r = 0; r < 3; r++) posed[3 * v + r] = m[r] * x + m[4 + r] * y + m[8 + r] * z + m[12 + r];
  }
}

/** Moves one bone rigidly as far as the objective of its vertices falls. */
function moveBone(own: Members, matrix: Float64Array, posed: Float64Array, residuals: Float64Array, rule: Rule): void {
  const motion = fitMotion(own, posed, residuals, rule);
  if (!motion) return;
  const before = measureMoved(own, posed, residuals, rule);
  for (let n = 0, step = 2 / rule.p; n < ATTEMPTS; n++, step /= 2) {
    const moved = partOf(motion, step);
    if (!(measureMoved(own, posed, residuals, rule, moved) < before)) continue;
    addMoved(own, posed, residuals, moved);
    multiply(moved, matrix, matrix);
    return;
  }
}

/** A rotation about a center, and a shift. */
interface RigidMotion {
  center: number[];
  shift: number[];
  /** x y z w */
  rotation: Float64Array;
}

/** The rigid motion of the posed vertices with the lowest weighted sum of squares; undefined for a bone without vertices. */
function fitMotion(
  { vertices, weights }: Members,
  posed: Float64Array,
  residuals: Float64Array,
  rule: Rule,
): RigidMotion | undefined {
  const importance = Float64Array.from(
    vertices,
    (v, e) => weights[e] ** 2 * importanceOf(rule, squareAt(residuals, v)),
  );
  let total = 0;
  const center = [0, 0, 0];
  const shift = [0, 0, 0];
  vertices.forEach((v, e) => {
    total += importance[e];
    for (let r = 0; r < 3; r++) {
      center[r] += importance[e] * posed[3 * v + r];
      shift[r] -= (importance[e] * residuals[3 * v + r]) / weights[e];
    }
  });
  if (!(total > 0)) return undefined;
  for (let r = 0; r < 3; r++) {
    center[r] /= total;
    shift[r] /= total;
  }
  const covariance = new Float64Array(9);
  vertices.forEach((v, e) => {
    for (let r = 0; r < 3; r++) {
      const target = posed[3 * v + r] - residuals[3 * v + r] / weights[e] - center[r] - shift[r];
      for (let c = 0; c < 3; c++) covariance[3 * c + r] += importance[e] * target * (posed[3 * v + c] - center[c]);
    }
  });
  nearestRotationInto(covariance, covariance);
  const matrix = new Float64Array(16);
  for (let c = 0; c < 3; c++) matrix.set(covariance.subarray(3 * c, 3 * c + 3), 4 * c);
  const rotation = new Float64Array(4);
  quaternionFromMatrix(matrix, rotation);
  return { center, shift, rotation };
}

const IDENTITY_ROTATION = [0, 0, 0, 1];

/** A part of a rigid motion, from 0 to 1, as a 4x4 matrix. */
function partOf({ center, shift, rotation }: RigidMotion, part: number): Float64Array {
  const q = new Float64Array(4);
  slerpInto(IDENTITY_ROTATION, rotation, part, q);
  const [x, y, z, w] = q;
  const m = Float64Array.of(
    ...[1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0],
    ...[2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0],
    ...[2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0],
    ...[0, 0, 0, 1],
  );
  for (let r = 0; r < 3; r++) {
    m[12 + r] = center[r] + part * shift[r];
    for (let c = 0; c < 3; c++) m[12 + r] -= m[4 * c + r] * center[c];
  }
  return m;
}

/** Objective of the vertices of a bone after it moved by m. */
function measureMoved(
  { vertices, weights }: Members,
  posed: Float64Array,
  residuals: Float64Array,
  rule: Rule,
  m?: Float64Array,
): number {
  let sum = 0;
  for (let e = 0; e < vertices.length; e++) {
    const o = 3 * vertices[e];
    if (!m) {
      sum += objectiveOf(rule, squareAt(residuals, vertices[e]));
      continue;
    }
    let square = 0;
    for (let r = 0; r < 3; r++) square += (residuals[o + r] + weights[e] * displacement(m, posed, o, r)) ** 2;
    sum += objectiveOf(rule, square);
  }
  return sum;
}

function addMoved({ vertices, weights }: Members, posed: Float64Array, residuals: Float64Array, m: Float64Array): void {
  for (let e = 0; e < vertices.length; e++) {
    const o = 3 * vertices[e];
    for (let r = 0; r < 3; r++) residuals[o + r] += weights[e] * displacement(m, posed, o, r);
  }
}

/** Coordinate r of (m − I) x, x the three numbers at o. */
function displacement(m: Float64Array, posed: Float64Array, o: number, r: number): number {
  return m[r] * posed[o] + m[4 + r] * posed[o + 1] + m[8 + r] * posed[o + 2] + m[12 + r] - posed[o + r];
}

function squareAt(residuals: Float64Array, v: number): number {
  return residuals[3 * v] ** 2 + residuals[3 * v + 1] ** 2 + residuals[3 * v + 2] ** 2;
}

function largestOf(residuals: Float64Array): number {
  let largest = 0;
  for (let v = 0; 3 * v < residuals.length; v++) largest = Math.max(largest, squareAt(residuals, v));
  return Math.sqrt(largest);
}
