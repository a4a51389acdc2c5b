// SPDX-License-Identifier: MIT
// A cage moves a mesh linearly: v + Σⱼ wⱼ (c'ⱼ − cⱼ). Its motion space is therefore a set of shapes, and converts like a face: the principal components of its animation, or, for a cage
// that does not move, every coordinate of every vertex. Components are scaled so that the largest coefficient in the animation is one.

import { eigenSymmetric } from '../../core/algebra/eigen-symmetric.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import type { ShapeTrack } from '../../core/model/deformed/shape-drivers.ts';
import { InputError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { bindToCage } from '../../deformers/rig-sources/index.ts';
import type { FaceShapes } from './shape-examples.ts';

/** Components with less energy relative to the first are left out. */
const MIN_ENERGY = 1e-8;
const MAX_COMPONENTS = 64;
/** Frames of the analysis. */
const MAX_FRAMES = 400;
/** Maximum vertices of a cage that does not move. */
const MAX_VERTICES = 200;

/**
 * The motion space of a cage as shapes of the mesh that it encloses, and their weights in its animation.
 * @param cage the cage in motion; without frames: every coordinate of its vertices is a shape
 */
export function listCageShapes(mesh: Mesh, cage: Clip): { shapes: FaceShapes; tracks: ShapeTrack[] } {
  const bound = bindToCage(mesh, cage.mesh);
  const { displacements, names, weights } = cage.times.length > 0 ? listComponents(cage) : listCoordinates(cage);
  const deltas = displacements.map((moved) => displace(mesh, bound, moved));
  const shapes = { mesh, names, deltas, shapeOfTarget: new Uint32Array(0) };
  return { shapes, tracks: weights ? [{ name: cage.name, times: cage.times, weights }] : [] };
}

interface MotionSpace {
  names: string[];
  /** By shape: cage vertices x 3 */
  displacements: Float64Array[];
  /** frameCount x shapes */
  weights?: Float32Array;
}

function listCoordinates({ mesh }: Clip): MotionSpace {
  const count = mesh.positions.length / 3;
  if (count > MAX_VERTICES)
    throw new InputError(
      'cage',
      `has ${count} vertices and does not move; give a cage in motion, or one of at most ${MAX_VERTICES} vertices`,
    );
  const [xs, displacements]: [string[], Float64Array[]] = [[], []];
  for (let c = 0; c < 3 * count; c++) {
    const moved = new Float64Array(3 * count);
    moved[c] = 1;
    displacements.push(moved);
    xs.push(`vertex ${Math.floor(c / 3)} ${'xyz'[c % 3]}`);
  }
  return { names: xs, displacements };
}

/** Principal components of the displacements over time, from the frames' Gram matrix. */
function listComponents({ mesh, positions, times }: Clip): MotionSpace {
  const size = mesh.positions.length;
  const step = Math.max(1, Math.ceil(times.length / MAX_FRAMES));
  const frames = Array.from({ length: Math.ceil(times.length / step) }, (_, n) => n * step);
  const at = (k: number, c: number): number => positions[k * size + c] - mesh.positions[c];
  const gram = new Float64Array(frames.length ** 2);
  for (let a = 0; a < frames.length; a++)
    for (let b = 0; b <= a; b++) {
      let dot = 0;
      for (let c = 0; c < size; c++) dot += at(frames[a], c) * at(frames[b], c);
      gram[a * frames.length + b] = gram[b * frames.length + a] = dot;
    }
  const { values, vectors } = eigenSymmetric(gram, frames.length);
  const rank = Math.min(MAX_COMPONENTS, values.filter((value) => value > MIN_ENERGY * values[0]).length);
  if (rank === 0 || !(values[0] > 0)) throw new InputError('cage', 'does not move; give a cage in motion');
  const displacements: Float64Array[] = [];
  const weights = new Float32Array(times.length * rank);
  for (let n = 0; n < rank; n++) {
    const moved = new Float64Array(size);
    const length = Math.sqrt(values[n]);
    for (let a = 0; a < frames.length; a++) {
      const amount = vectors[n * frames.length + a] / length;
      for (let c = 0; c < size; c++) moved[c] += amount * at(frames[a], c);
    }
    let largest = 0;
    for (let k = 0; k < times.length; k++) {
      let dot = 0;
      for (let c = 0; c < size; c++) dot += moved[c] * at(k, c);
      weights[k * rank + n] = dot;
      largest = Math.max(largest, Math.abs(dot));
    }
    for (let c = 0; c < size; c++) moved[c] *= largest;
    for (let k = 0; k < times.length; k++) weights[k * rank + n] /= largest || 1;
    displacements.push(moved);
  }
  return { names: displacements.map((_, n) => `cage ${n + 1}`), displacements, weights };
}

function displace(mesh: Mesh, { rowStart, boneIndices, weights }: Skin, moved: Float64Array): Float32Array {
  const delta = new Float32Array(mesh.positions.length);
  for (let i = 0; i + 1 < rowStart.length; i++)
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++)
      for (let r = 0; r < 3; r++) delta[3 * i + r] += weights[e] * moved[3 * boneIndices[e] + r];
  return delta;
}
