// SPDX-License-Identifier: MIT
// Direct Delta Mush compressed to two layers, as its run-time has it: what a pose costs beside variant 0 and linear blending.

import type { Compute } from '../../src/core/kernels/compute.ts';
import { makeIdentities } from '../../src/core/math/mat4.ts';
import { SYM4_SIZE, translateSym4 } from '../../src/core/math/sym4.ts';
import type { MultiWeights } from '../../src/core/model/deformed/direct-delta-mush.ts';
import type { TwoLayer } from '../../src/core/model/deformed/two-layer.ts';
import { makeMesh } from '../../src/core/model/mesh/mesh.ts';
import { makeSkin, type Skin } from '../../src/core/model/skin/skin.ts';
import { createTwoLayerRuntime } from '../../src/entry/deform.ts';
import type { KernelCase } from './kernel-cases.ts';
import type { KernelProblem } from './kernel-problem.ts';
import { listMultiWeights } from './smoothing-cases.ts';

const VIRTUAL_BONES = 200;
const INFLUENCES = 8;
/** Radians from one bone to the next. */
const BEND = 0.02;

/** One pose, positions and normals, 200 virtual bones and 8 influences where there are that many vertices. */
export async function makeTwoLayerCase(compute: Compute, problem: KernelProblem): Promise<KernelCase> {
  const model = makeModel(problem);
  const runtime = await createTwoLayerRuntime(model, { compute });
  const pose = { bones: makeIdentities(problem.sizes.blendBones) };
  for (let j = 0; j < problem.sizes.blendBones; j++) {
    const [cos, sin] = [Math.cos(BEND * j), Math.sin(BEND * j)];
    pose.bones.set([cos, sin, 0, 0, -sin, cos], 16 * j);
  }
  let positions = new Float32Array(0);
  return {
    name: 'ddm in two layers (and normals)',
    vertexCount: runtime.vertexCount,
    run: async () => {
      positions = (await runtime.deform(pose)).positions as Float32Array<ArrayBuffer>;
    },
    read: () => positions,
  };
}

/** Virtual bones are patches of vertices at equal steps; a vertex follows those next to it in the file. */
function makeModel(problem: KernelProblem): TwoLayer {
  const { rest, rowStart, boneIndices, omegas, normals } = listMultiWeights(problem);
  const vertexCount = rowStart.length - 1;
  const count = Math.min(VIRTUAL_BONES, vertexCount);
  const centers = new Float64Array(3 * count);
  const starts = new Uint32Array(count + 1);
  const bones: number[] = [];
  const own: number[] = [];
  for (let k = 0; k < count; k++) {
    const i = Math.floor((k * vertexCount) / count);
    const row = omegas.slice(SYM4_SIZE * rowStart[i], SYM4_SIZE * rowStart[i + 1]);
    const p = [3, 6, 8].map((c) => row.reduce((sum, x, e) => sum + (e % SYM4_SIZE === c ? x : 0), 0));
    centers.set(p, 3 * k);
    const order = Array.from({ length: row.length / SYM4_SIZE }, (_, e) => e);
    order.sort((a, b) => row[SYM4_SIZE * b + 9] - row[SYM4_SIZE * a + 9] || a - b);
    for (const e of order) {
      translateSym4(row, SYM4_SIZE * e, -p[0], -p[1], -p[2]);
      bones.push(boneIndices[rowStart[i] + e]);
      own.push(...row.subarray(SYM4_SIZE * e, SYM4_SIZE * (e + 1)));
    }
    starts[k + 1] = bones.length;
  }
  const virtualBones: MultiWeights = {
    rowStart: starts,
    boneIndices: Uint32Array.from(bones),
    omegas: Float64Array.from(own),
  };
  const { blendBones } = problem.sizes;
  return {
    kind: 'two-layer',
    mesh: { ...makeMesh(rest, new Uint32Array(0)), normals },
    skeleton: {
      names: Array.from({ length: blendBones }, (_, j) => `bone ${j}`),
      parents: new Int32Array(blendBones).fill(-1),
      bindMatrices: makeIdentities(blendBones),
    },
    virtualBones,
    centers,
    skin: makeNeighbours(vertexCount, count),
  };
}

function makeNeighbours(vertexCount: number, count: number): Skin {
  const width = Math.min(INFLUENCES, count);
  const bones = new Uint32Array(vertexCount * width);
  const weights = new Float32Array(vertexCount * width);
  for (let n = 0; n < bones.length; n++) {
    const i = Math.floor(n / width);
    bones[n] = (Math.floor((i * count) / vertexCount) + (n % width)) % count;
    weights[n] = 1 + (n % width);
  }
  return makeSkin(bones, weights, width);
}
