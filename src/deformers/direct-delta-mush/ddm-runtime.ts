// SPDX-License-Identifier: MIT
// Direct Delta Mush in real time: a model evaluated by the ddm kernel, one pose or many at once, in single precision, on threads.

import { makeCompute } from '../../core/compute/make-compute.ts';
import type { Compute } from '../../core/kernels/compute.ts';
import { type DdmPack, type DdmSource, packDdm } from '../../core/kernels/ddm/pack-ddm.ts';
import type { Pose } from '../../core/model/deformed/deformer.ts';
import {
  checkDirectDeltaMush,
  type DdmVariant,
  type DirectDeltaMush,
} from '../../core/model/deformed/direct-delta-mush.ts';
import { InputError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { checkFits, makePackRunner, makeRestNormals, type PosedShapes } from '../linear-blend/index.ts';
import { checkRigidBones, listUsedBones } from './ddm-deformer.ts';

export type { PosedShapes } from '../linear-blend/index.ts';

/** Options of the run-times on the CPU. */
export interface DdmRuntimeOptions {
  /** Number of threads, this one included; 0: one per core. Default 1. */
  threads?: number;
  /** The compute, shared with other models. Default: a new one, disposed of with the run-time. */
  compute?: Compute;
  /** Whether to compute normals; rest normals are computed if the mesh has none. Default true. */
  normals?: boolean;
}

/** Defaults of DdmRuntimeOptions. */
export const DDM_RUNTIME_DEFAULTS = { threads: 1, normals: true } as const satisfies DdmRuntimeOptions;

/** A model that is evaluated by kernels on threads, in single precision. */
export interface DdmRuntime {
  /** Number of vertices. */
  readonly vertexCount: number;
  /** Number of bones of a pose. */
  readonly boneCount: number;
  /** Deforms one pose. Await each call before the next. */
  deform(pose: Pose): Promise<PosedShapes>;
  /** Deforms many poses at once: weights are read once for several of them. */
  deformMany(poses: readonly Pose[]): Promise<PosedShapes>;
  /** Frees the memory, and ends the threads that were started for it. */
  dispose(): void;
}

/**
 * Makes the run-time of a Direct Delta Mush model: makeDdm in single precision, many times as fast. A call with no more poses than an
 * earlier one allocates nothing. The model is copied.
 * @example
 * ```ts
 * import { createDdmRuntime } from 'ossify/deform';
 *
 * const runtime = await createDdmRuntime(ddm, { threads: 4 });
 * const { positions, normals } = await runtime.deformMany(poses); // valid until the next call
 * runtime.dispose();
 * ```
 */
export async function createDdmRuntime(model: DirectDeltaMush, options: DdmRuntimeOptions = {}): Promise<DdmRuntime> {
  checkDirectDeltaMush(model);
  const { mesh, multiWeights, variant } = model;
  const boneCount = model.skeleton.names.length;
  return makeRuntime(mesh, { variant, boneCount, rest: mesh.positions, ...multiWeights }, options);
}

/**
 * Makes the same run-time of plain linear blend skinning, any number of influences.
 * @example
 * ```ts
 * import { createBlendRuntime } from 'ossify/deform';
 *
 * const runtime = await createBlendRuntime(mesh, skin, skeleton.names.length);
 * const { positions, normals } = await runtime.deformMany(poses); // valid until the next call
 * runtime.dispose();
 * ```
 */
export async function createBlendRuntime(
  mesh: Mesh,
  skin: Skin,
  boneCount: number,
  options: DdmRuntimeOptions = {},
): Promise<DdmRuntime> {
  checkFits('linear blend', skin, mesh.positions.length / 3, boneCount);
  const { rowStart, boneIndices, weights } = skin;
  const source = { variant: 5, boneCount, rest: mesh.positions, rowStart, boneIndices, omegas: weights } as const;
  return makeRuntime(mesh, source, options);
}

/** The compute of one run-time: disposing it frees the memory of the run-time, and ends the threads if it started them. */
export async function openRuntimeCompute(options: DdmRuntimeOptions): Promise<Compute> {
  return options.compute?.child() ?? (await makeCompute({ threads: options.threads ?? DDM_RUNTIME_DEFAULTS.threads }));
}

async function makeRuntime(mesh: Mesh, source: DdmSource, options: DdmRuntimeOptions): Promise<DdmRuntime> {
  const compute = await openRuntimeCompute(options);
  const withNormals = options.normals ?? DDM_RUNTIME_DEFAULTS.normals;
  const normals = withNormals ? (mesh.normals ?? makeRestNormals(mesh)) : undefined;
  let pack: DdmPack;
  try {
    pack = packDdm(compute, { ...source, normals });
  } catch (error) {
    compute.dispose();
    throw error;
  }
  const isUsed = listUsedBones(source.boneIndices, source.boneCount);
  const runner = makePackRunner(compute, pack, withNormals, (pose) =>
    checkBones(pose, source.variant, source.boneCount, isUsed),
  );
  return {
    vertexCount: pack.vertexCount,
    boneCount: pack.boneCount,
    deform: (pose) => runner.run(pose, 1),
    deformMany: (poses) => runner.run(poses, poses.length),
    dispose: () => {
      runner.close();
      compute.dispose();
    },
  };
}

function checkBones(pose: Pose, variant: DdmVariant, boneCount: number, isUsed: Uint8Array): void {
  if (pose.bones.length !== boneCount * 16)
    throw new InputError('direct delta mush', `the pose has ${pose.bones.length / 16} bones, expected ${boneCount}`);
  if (variant === 2 || variant === 4) {
    const remedy = 'use variant 0, 1, 3 or 5 for bones that are not rigid';
    checkRigidBones(`direct delta mush v${variant}`, pose.bones, isUsed, remedy);
  }
}
