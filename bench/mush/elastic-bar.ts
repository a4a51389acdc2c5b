// SPDX-License-Identifier: MIT
// The bar of DDMC §7.7 and the deformers that are compared on it.

import { type Motion, poseOf } from '../../src/core/model/clip/motion.ts';
import type { Deformer } from '../../src/core/model/deformed/deformer.ts';
import type { Mesh } from '../../src/core/model/mesh/mesh.ts';
import { makeLooseSkeleton, type Skeleton } from '../../src/core/model/skin/skeleton.ts';
import type { Skin } from '../../src/core/model/skin/skin.ts';
import {
  makeAsRigidAsPossible,
  makeDdm,
  makeDualQuaternion,
  makeLinearBlend,
  makeSwingTwist,
} from '../../src/entry/deform.ts';
import { boundedBiharmonicWeights, precomputeDdm, solveElasticWeights } from '../../src/entry/index.ts';
import { makeSample } from '../../src/entry/sample.ts';

const FRAMES = 60;
/** Frames of the sample bar-joint where it is bent by 90°, twisted by 120°, and both. */
export const POSES = { bend: 10, twist: 30, both: 50 } as const;
/** Vertices farther from the joint than this are handles. */
const HANDLES = 1;

export interface ElasticBar {
  mesh: Mesh;
  skeleton: Skeleton;
  skin: Skin;
  motion: Motion;
  elastic: { swing: Skin; twist: Skin };
  biharmonic: Skin;
  /** Name and deformer; the first is plain linear blending. */
  deformers: readonly { name: string; deformer: Deformer }[];
  /** Deformers of the same bones without a hierarchy, and the reference. */
  unorganized: readonly { name: string; deformer: Deformer }[];
  reference: Deformer;
}

/** Makes the bar with about a number of vertices. */
export async function makeElasticBar(resolution: number): Promise<ElasticBar> {
  const { clip, skeleton, skin, motion } = makeSample('bar-joint', { resolution, frames: FRAMES });
  const { mesh } = clip;
  const elastic = solveElasticWeights(mesh, skeleton!, skin!);
  const isHandle = Uint8Array.from({ length: mesh.positions.length / 3 }, (_, i) =>
    Math.abs(mesh.positions[3 * i + 1] - 2) > HANDLES ? 1 : 0,
  );
  const handles = Int32Array.from(isHandle, (flag, i) => (flag ? (mesh.positions[3 * i + 1] > 2 ? 1 : 0) : -1));
  const { skin: biharmonic } = boundedBiharmonicWeights(mesh, handles, 2);
  const ddm = async (lambda: number, kappa: number) =>
    makeDdm(await precomputeDdm(mesh, skeleton!, skin!, { lambda, kappa, map: 'none' }));
  const standard = makeDdm(await precomputeDdm(mesh, skeleton!, skin!));
  const [smooth, sharp, local] = [await ddm(20, 20), await ddm(20, 1), await ddm(4, 1)];
  const loose = makeLooseSkeleton(2);
  return {
    ...{ mesh, skeleton: skeleton!, skin: skin!, motion: motion!, elastic, biharmonic },
    deformers: [
      { name: 'linear, own weights', deformer: makeLinearBlend(mesh, skin!, 2) },
      { name: 'elastic linear', deformer: makeLinearBlend(mesh, elastic.swing, 2) },
      { name: 'elastic dual quaternion', deformer: makeDualQuaternion(mesh, elastic.swing, 2) },
      {
        name: 'elastic swing/twist',
        deformer: makeSwingTwist(mesh, skeleton!, elastic.swing, { twist: elastic.twist }),
      },
      { name: 'biharmonic linear', deformer: makeLinearBlend(mesh, biharmonic, 2) },
      { name: 'DDM, defaults', deformer: standard },
      { name: 'DDM, λ 20, κ 20', deformer: smooth },
      { name: 'DDM, λ 20, κ 1', deformer: sharp },
      { name: 'DDM, λ 4, κ 1', deformer: local },
      { name: 'as rigid as possible', deformer: makeAsRigidAsPossible(mesh, skin!, 2, isHandle) },
    ],
    unorganized: [
      { name: 'biharmonic linear', deformer: makeLinearBlend(mesh, biharmonic, 2) },
      { name: 'biharmonic swing/twist', deformer: makeSwingTwist(mesh, loose, biharmonic) },
      { name: 'DDM, λ 20, κ 20', deformer: smooth },
      { name: 'DDM, λ 20, κ 1', deformer: sharp },
    ],
    reference: makeAsRigidAsPossible(mesh, skin!, 2, isHandle),
  };
}

/** The shape of a deformer at a frame. */
export function poseBar({ mesh, motion }: ElasticBar, deformer: Deformer, frame: number): Float32Array {
  const positions = new Float32Array(mesh.positions.length);
  deformer.deformInto({ bones: poseOf(motion, frame) }, positions);
  return positions;
}

/** The enclosed volume. */
export function measureVolume(p: ArrayLike<number>, triangles: Uint32Array): number {
  let volume = 0;
  for (let c = 0; c < triangles.length; c += 3) {
    const [a, b, d] = [3 * triangles[c], 3 * triangles[c + 1], 3 * triangles[c + 2]];
    volume +=
      p[a] * (p[b + 1] * p[d + 2] - p[b + 2] * p[d + 1]) +
      p[a + 1] * (p[b + 2] * p[d] - p[b] * p[d + 2]) +
      p[a + 2] * (p[b] * p[d + 1] - p[b + 1] * p[d]);
  }
  return volume / 6;
}
