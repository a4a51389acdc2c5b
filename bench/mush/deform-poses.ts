// SPDX-License-Identifier: MIT

import { makeCompute } from '../../src/core/compute/make-compute.ts';
import { type Motion, poseOf } from '../../src/core/model/clip/motion.ts';
import type { Mesh } from '../../src/core/model/mesh/mesh.ts';
import type { Skeleton } from '../../src/core/model/skin/skeleton.ts';
import type { Skin } from '../../src/core/model/skin/skin.ts';
import { makeDdm, makeLinearBlend } from '../../src/entry/deform.ts';
import { type DdmOptions, precomputeDdm } from '../../src/entry/index.ts';
import type { BenchContext } from '../shared/bench-suite.ts';

/** A skinned mesh and the poses that it is compared in. */
export interface PosedMesh {
  mesh: Mesh;
  skeleton: Skeleton;
  skin: Skin;
  motion: Motion;
  /** File units. */
  height: number;
}

/** The shapes of a mesh in its poses, each vertexCount x 3: by Direct Delta Mush, or by linear blending of its weights. */
export async function deformPoses(
  { mesh, skeleton, skin, motion, height }: PosedMesh,
  options: DdmOptions | 'linear',
  { threads, signal }: BenchContext,
): Promise<Float32Array[]> {
  const deform = (deformInto: (bones: Float64Array, out: Float32Array) => void): Float32Array[] =>
    Array.from(motion.times, (_, k) => {
      const out = new Float32Array(mesh.positions.length);
      deformInto(poseOf(motion, k), out);
      return out;
    });
  if (options === 'linear') {
    const linear = makeLinearBlend(mesh, skin, skeleton.names.length);
    return deform((bones, out) => linear.deformInto({ bones }, out));
  }
  const compute = await makeCompute({ threads });
  try {
    const model = await precomputeDdm(mesh, skeleton, skin, { ...options, height, threshold: 0, compute, signal });
    const mushed = makeDdm(model);
    return deform((bones, out) => mushed.deformInto({ bones }, out));
  } finally {
    compute.dispose();
  }
}
