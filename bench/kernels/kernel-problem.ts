// SPDX-License-Identifier: MIT
// What the kernels are measured on: seeded numbers of the kind that decompositions meet.
import { makeRandom, type Random } from '../../src/core/math/random.ts';
import { nearestRotationInto } from '../../src/core/math/rotation.ts';

export interface KernelSizes {
  /** 3x3 matrices to find rotations of. */
  matrices: number;
  blendVertices: number;
  blendBones: number;
  /** Of blends and of fits. */
  influences: number;
  vertices: number;
  frames: number;
  bones: number;
  /** Bones to try in one insertion; even. */
  newBones: number;
}

export const KERNEL_SIZES: KernelSizes = {
  matrices: 100_000,
  blendVertices: 100_000,
  blendBones: 60,
  influences: 4,
  vertices: 2_000,
  frames: 48,
  bones: 20,
  newBones: 8,
};

export interface KernelProblem {
  sizes: KernelSizes;
  /** matrices x 9 */
  matrices: Float64Array;
  blend: {
    /** blendBones x 16, column-major */
    bones: Float32Array;
    /** blendVertices + 1 */
    rowStart: Uint32Array;
    /** blendVertices x influences */
    boneIndices: Uint32Array;
    weights: Float32Array;
    /** blendVertices x 3 */
    rest: Float32Array;
    normals: Float32Array;
  };
  fit: {
    /** (3 frames) x (4 bones): rows of the bones' 3x4 matrices, side by side */
    bones: Float64Array;
    /** vertices x 3 */
    rest: Float64Array;
    /** vertices x (3 frames) */
    posed: Float64Array;
    /** (3 frames) x 4 x newBones */
    fresh: Float64Array;
  };
}

/** How far points are off what bones make of them. The fit must not be exact, or solvers stop early. */
const NOISE = 0.02;

export function makeKernelProblem(sizes: KernelSizes, seed: number): KernelProblem {
  const random = makeRandom(seed);
  const matrices = Float64Array.from({ length: 9 * sizes.matrices }, () => random.normal());
  return { sizes, matrices, blend: makeBlend(sizes, random), fit: makeFit(sizes, random) };
}

function makeBlend(sizes: KernelSizes, random: Random): KernelProblem['blend'] {
  const { blendVertices, blendBones, influences } = sizes;
  const bones = new Float32Array(16 * blendBones);
  const turn = new Float64Array(9);
  for (let j = 0; j < blendBones; j++) {
    turnInto(turn, random);
    for (let c = 0; c < 3; c++) bones.set(turn.subarray(3 * c, 3 * c + 3), 16 * j + 4 * c);
    bones.set([random.normal(), random.normal(), random.normal(), 1], 16 * j + 12);
  }
  const rest = Float32Array.from({ length: 3 * blendVertices }, () => random.normal());
  const normals = new Float32Array(rest.length);
  for (let i = 0; i < blendVertices; i++) {
    const length = Math.sqrt(rest[3 * i] ** 2 + rest[3 * i + 1] ** 2 + rest[3 * i + 2] ** 2) || 1;
    for (let c = 0; c < 3; c++) normals[3 * i + c] = rest[3 * i + c] / length;
  }
  const rowStart = Uint32Array.from({ length: blendVertices + 1 }, (_, i) => i * influences);
  const boneIndices = new Uint32Array(blendVertices * influences);
  const weights = new Float32Array(blendVertices * influences);
  for (let i = 0; i < blendVertices; i++) {
    // Neighbours in the file share bones, as in real meshes.
    const first = Math.floor((i * blendBones) / blendVertices);
    let sum = 0;
    for (let e = i * influences; e < (i + 1) * influences; e++) {
      boneIndices[e] = (first + e - i * influences) % blendBones;
      weights[e] = 0.1 + random.next();
      sum += weights[e];
    }
    for (let e = i * influences; e < (i + 1) * influences; e++) weights[e] /= sum;
  }
  return { bones, rowStart, boneIndices, weights, rest, normals };
}

/** Rigid bones that move at random, and vertices that follow blends of as many as they may. */
function makeFit(sizes: KernelSizes, random: Random): KernelProblem['fit'] {
  const { vertices, frames, influences, newBones } = sizes;
  const rows = 3 * frames;
  const columns = 4 * sizes.bones;
  const bones = new Float64Array(rows * columns);
  const turn = new Float64Array(9);
  for (let k = 0; k < frames; k++) {
    for (let j = 0; j < sizes.bones; j++) {
      turnInto(turn, random);
      for (let r = 0; r < 3; r++) {
        const o = (3 * k + r) * columns + 4 * j;
        for (let c = 0; c < 3; c++) bones[o + c] = turn[3 * c + r];
        bones[o + 3] = 0.3 * random.normal();
      }
    }
  }
  const rest = Float64Array.from({ length: 3 * vertices }, () => random.normal());
  const posed = Float64Array.from({ length: vertices * rows }, () => NOISE * random.normal());
  for (let i = 0; i < vertices; i++) {
    const shares = Array.from({ length: influences }, () => 0.1 + random.next());
    const sum = shares.reduce((a, b) => a + b, 0);
    for (const share of shares) {
      const j = random.below(sizes.bones);
      for (let row = 0; row < rows; row++) {
        const o = row * columns + 4 * j;
        const x = bones[o] * rest[3 * i] + bones[o + 1] * rest[3 * i + 1] + bones[o + 2] * rest[3 * i + 2];
        posed[i * rows + row] += (share / sum) * (x + bones[o + 3]);
      }
    }
  }
  const fresh = new Float64Array(rows * 4 * newBones);
  for (let k = 0; k < frames; k++) {
    for (let p = 0; p < newBones; p++) {
      turnInto(turn, random);
      for (let e = 0; e < 9; e++) fresh[((3 * k + (e % 3)) * 4 + Math.floor(e / 3)) * newBones + p] = turn[e];
      for (let r = 0; r < 3; r++) fresh[((3 * k + r) * 4 + 3) * newBones + p] = 0.3 * random.normal();
    }
  }
  return { bones, rest, posed, fresh };
}

/** A rotation not far from none, as bones make: 9 numbers, column-major. */
function turnInto(turn: Float64Array, random: Random): void {
  for (let e = 0; e < 9; e++) turn[e] = (e % 4 === 0 ? 1 : 0) + 0.4 * random.normal();
  nearestRotationInto(turn, turn);
}
