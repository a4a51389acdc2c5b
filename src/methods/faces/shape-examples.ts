// SPDX-License-Identifier: MIT
// Examples of a fit of drivers. Morph targets are linear: the error at weights u is Σₛ uₛ eₛ, where eₛ is the error of shape s. So the mean squared error over any number of
// poses U (poses x shapes) is Σₛₜ Mₛₜ eₛ·eₜ with M = UᵀU / poses: shapes x shapes, whatever the number of poses. With M = L Lᵀ, it is the squared error of as many
// mixtures of shapes as there are shapes: mixture k is Σₛ Lₛₖ δₛ. Fitting "all shapes" is M = I.

import { factorCholesky } from '../../core/algebra/dense-cholesky.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import type { Morphs } from '../../core/model/deformed/morphs.ts';
import { InputError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import type { Skin } from '../../core/model/skin/skin.ts';

/** Which poses a fit is for: every shape alone, the animations of the file, or both with equal weight. */
export const EXAMPLE_KINDS = ['shapes', 'animation', 'both'] as const;
/** Which poses a fit is for. */
export type ExampleKind = (typeof EXAMPLE_KINDS)[number];

/** Weight of single shapes in a fit to animations, relative to their mean weight there: determines shapes that no animation uses. */
const ANIMATION_FLOOR = 1e-3;

/** Shapes of a whole mesh: parts of one shape in several pieces of the mesh are joined. */
export interface FaceShapes {
  mesh: Mesh;
  /** Names, in the order of the weights. */
  names: string[];
  /** By shape: vertexCount x 3 displacements, file units */
  deltas: Float32Array[];
  /** By morph target of the asset, its shape. */
  shapeOfTarget: Uint32Array;
  /** The joints that move the shaped mesh. */
  rig?: { skeleton: Skeleton; skin: Skin };
}

/** Poses as mixtures of shapes. */
export interface ShapeExamples {
  shapes: FaceShapes;
  /** One frame per mixture. */
  clip: Clip;
  /** shapeCount x shapeCount, row-major: M */
  metric: Float64Array;
  /** shapeCount x shapeCount, row-major, lower triangle: L */
  mixtures: Float64Array;
}

/**
 * Joins morph targets to shapes of the whole mesh: targets of one name and weight index are one shape, also if they belong to several nodes or primitives.
 * @param isByNode whether targets of different nodes are different shapes
 */
export function joinShapes(mesh: Mesh, morphs: Morphs, isByNode = false): FaceShapes {
  const names: string[] = [];
  const deltas: Float32Array[] = [];
  const placeOf = new Map<string, number>();
  const shapeOfTarget = new Uint32Array(morphs.targets.length);
  morphs.targets.forEach((target, n) => {
    const { name, positions, vertexStart } = target;
    for (let c = 0; c < positions.length; c++)
      if (!Number.isFinite(positions[c]))
        throw new InputError(`shape "${name}"`, `the displacement of vertex ${Math.floor(c / 3)} is not finite`);
    const key = `${isByNode ? target.node : ''} ${target.weight} ${name}`;
    let s = placeOf.get(key);
    if (s === undefined) {
      s = names.length;
      placeOf.set(key, s);
      names.push(nameUnlike(name || `shape ${s}`, names));
      deltas.push(new Float32Array(mesh.positions.length));
    }
    shapeOfTarget[n] = s;
    deltas[s].set(positions, 3 * vertexStart);
  });
  return { mesh, names, deltas, shapeOfTarget };
}

/** A name that is not in the list. */
function nameUnlike(name: string, names: readonly string[]): string {
  let unlike = name;
  for (let n = 2; names.includes(unlike); n++) unlike = `${name} ${n}`;
  return unlike;
}

/**
 * Makes the examples of a fit.
 * @param poses poses x shapeCount: weights of the animations; not used for 'shapes'
 */
export function makeShapeExamples(shapes: FaceShapes, kind: ExampleKind, poses: Float32Array): ShapeExamples {
  const count = shapes.names.length;
  if (shapes.deltas.every((delta) => delta.every((x) => x === 0)))
    throw new InputError('convert', 'the morph targets move no vertex');
  const metric = new Float64Array(count * count);
  const poseCount = Math.floor(poses.length / count);
  if (kind !== 'shapes') {
    for (let k = 0; k < poseCount; k++)
      for (let s = 0; s < count; s++)
        for (let t = 0; t < count; t++) metric[s * count + t] += poses[k * count + s] * poses[k * count + t];
    let trace = 0;
    for (let s = 0; s < count; s++) trace += metric[s * count + s];
    // mean weight one per shape, so that 'both' weighs animations as much as single shapes
    const scale = trace > 0 ? count / trace : 0;
    for (let e = 0; e < metric.length; e++) metric[e] *= scale;
    if (trace === 0 && kind === 'animation')
      throw new InputError('convert', 'the animations use no shape; fit to the shapes instead');
  }
  const floor = kind === 'animation' ? ANIMATION_FLOOR : 1;
  for (let s = 0; s < count; s++) metric[s * count + s] += floor;
  const mixtures = metric.slice();
  factorCholesky(mixtures, count, 1e-12);
  for (let s = 0; s < count; s++) mixtures.fill(0, s * count + s + 1, (s + 1) * count);
  return { shapes, metric, mixtures, clip: mixShapes(shapes, mixtures) };
}

/** One frame per mixture: rest + Σₛ Lₛₖ δₛ. */
function mixShapes({ mesh, deltas }: FaceShapes, mixtures: Float64Array): Clip {
  const count = deltas.length;
  const stride = mesh.positions.length;
  const positions = new Float32Array(count * stride);
  const sum = new Float64Array(stride);
  for (let k = 0; k < count; k++) {
    sum.set(mesh.positions);
    for (let s = 0; s < count; s++) {
      const amount = mixtures[s * count + k];
      if (amount === 0) continue;
      const delta = deltas[s];
      for (let c = 0; c < stride; c++) sum[c] += amount * delta[c];
    }
    positions.set(sum, k * stride);
  }
  return { kind: 'clip', name: 'shapes', mesh, positions, times: Float64Array.from({ length: count }, (_, k) => k) };
}
