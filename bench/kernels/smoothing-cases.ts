// SPDX-License-Identifier: MIT
// The kernels of Direct Delta Mush: its run-time, variant by variant, and the smoothing of many columns that its multi-weights are made with.

import { factorSparse } from '../../src/core/algebra/sparse-ldlt.ts';
import { makeSparseSymmetric } from '../../src/core/algebra/sparse-matrix.ts';
import type { Compute } from '../../src/core/kernels/compute.ts';
import { callDdm, type DdmSource, packDdm, putPose } from '../../src/core/kernels/ddm/pack-ddm.ts';
import { powerColumns, smoothColumns } from '../../src/deformers/delta-mush/index.ts';
import type { KernelCase } from './kernel-cases.ts';
import type { KernelProblem } from './kernel-problem.ts';

/** The size of the character that papers measure on. */
const MAX_VERTICES = 12_500;
const VARIANTS = [0, 1, 2, 3, 4, 5] as const;
/**
 * How far a patch reaches, in the blend's unit: an eighth of the box, as far as smoothing reaches on a character. Bones move that far, too; over patches that
 * are small beside it, variant 1 meets maps next to singular, and the difference from the twin tells of their inverse alone.
 */
const PATCH = 1;
/** How far the part of one bone may lie to the side of the next, in the same unit. */
const SIDE = 0.1;
const COLUMNS = 64;
const STEPS = 5;
const LAMBDA = 20;

/** One pose of every variant, positions and normals. */
export function makeDdmCases(compute: Compute, problem: KernelProblem): KernelCase[] {
  const { sizes, blend } = problem;
  const source = listMultiWeights(problem);
  const vertexCount = source.rowStart.length - 1;
  const pose = Float64Array.from(blend.bones);
  return VARIANTS.map((variant) => {
    const pack = packDdm(compute, { ...source, variant });
    const bones = compute.float32(sizes.blendBones * 16);
    const origins = compute.float32(4);
    const positions = compute.float32(3 * vertexCount);
    const normals = compute.float32(3 * vertexCount);
    putPose(pack, pose, bones.view(), origins.view(), 0);
    const call = callDdm(pack, { bones, origins, positions, normals }, 1);
    return {
      name: `ddm v${variant} (and normals)`,
      vertexCount,
      run: () => compute.runAll([call]),
      read: () => positions.view(),
    };
  });
}

/** Multi-weights of round patches, one per vertex and bone, each off to its own side: what smoothing makes, without the smoothing. */
export function listMultiWeights({ sizes, blend }: KernelProblem) {
  const vertexCount = Math.min(sizes.blendVertices, MAX_VERTICES);
  const rowStart = blend.rowStart.subarray(0, vertexCount + 1);
  const entryCount = rowStart[vertexCount];
  const boneIndices = blend.boneIndices.subarray(0, entryCount);
  const omegas = new Float64Array(entryCount * 10);
  for (let i = 0; i < vertexCount; i++) {
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      const side = SIDE * (((7 * e) % 5) - 2);
      const u = [0, 1, 2].map((c) => blend.rest[3 * i + c] + (c === e % 3 ? side : 0));
      u.push(1);
      for (let r = 0, o = 10 * e; r < 4; r++) {
        for (let c = r; c < 4; c++, o++) {
          omegas[o] = blend.weights[e] * (u[r] * u[c] + (r === c && r < 3 ? PATCH * PATCH : 0));
        }
      }
    }
  }
  const rest = blend.rest.subarray(0, 3 * vertexCount);
  const normals = blend.normals.subarray(0, 3 * vertexCount);
  return { boneCount: sizes.blendBones, rest, normals, rowStart, boneIndices, omegas } satisfies Omit<
    DdmSource,
    'variant'
  >;
}

/** Implicit and explicit smoothing of columns over a square mesh. */
export function makeSmoothingCases(compute: Compute, { sizes }: KernelProblem): KernelCase[] {
  const width = Math.max(2, Math.floor(Math.sqrt(sizes.vertices)));
  const { factor, diagonal, rows } = makeSystem(width);
  const size = width * width;
  const given = Float64Array.from({ length: size * COLUMNS }, (_, e) => ((e * 31) % 17) / 17);
  const implicit = given.slice();
  const explicit = given.slice();
  return [
    {
      name: 'sparseSolve',
      prepare: () => implicit.set(given),
      run: () => smoothColumns(compute, factor, diagonal, implicit, STEPS),
      read: () => implicit,
    },
    {
      name: 'sparsePower',
      prepare: () => explicit.set(given),
      run: () => powerColumns(compute, rows, explicit, STEPS),
      read: () => explicit,
    },
  ];
}

/** D + λL factored, D, and I − D⁻¹L/2 by rows, for a grid whose cells are cut in two. */
function makeSystem(width: number) {
  const size = width * width;
  const neighbours: number[][] = Array.from({ length: size }, () => []);
  const at = { rows: [] as number[], columns: [] as number[], values: [] as number[] };
  const add = (row: number, column: number, value: number): void => {
    at.rows.push(row);
    at.columns.push(column);
    at.values.push(value);
  };
  for (let i = 0; i < size; i++) {
    const last = i % width === width - 1;
    for (const j of [last ? size : i + 1, i + width, last ? size : i + width + 1]) {
      if (j >= size) continue;
      neighbours[i].push(j);
      neighbours[j].push(i);
      add(j, i, -LAMBDA);
    }
  }
  const diagonal = Float64Array.from(neighbours, (list) => list.length);
  for (let i = 0; i < size; i++) add(i, i, (1 + LAMBDA) * diagonal[i]);
  const rowStart = new Uint32Array(size + 1);
  for (let i = 0; i < size; i++) rowStart[i + 1] = rowStart[i] + neighbours[i].length + 1;
  const columnIndices = Uint32Array.from(neighbours.flatMap((list, i) => [i, ...list]));
  const values = Float64Array.from(neighbours.flatMap((list) => [0.5, ...list.map(() => 0.5 / list.length)]));
  return {
    factor: factorSparse(makeSparseSymmetric(size, at.rows, at.columns, at.values)),
    diagonal,
    rows: { size, rowStart, columnIndices, values },
  };
}
