// SPDX-License-Identifier: MIT

import { centroidSym4Into, SYM4_11, SYM4_SIZE } from '../../core/math/sym4.ts';
import type { CorrectedSkin, DeformedModel } from '../../core/model/deformed/deformed-model.ts';
import { checkDirectDeltaMush, type DirectDeltaMush } from '../../core/model/deformed/direct-delta-mush.ts';
import type { HelperBones } from '../../core/model/deformed/helper-bones.ts';
import type { LinearTwoLayer, TwoLayer } from '../../core/model/deformed/two-layer.ts';
import { InputError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import { checkSkin } from '../../core/model/skin/skin.ts';
import { packMultiWeights } from '../../deformers/direct-delta-mush/index.ts';
import { ENTRY_WORDS, type PackedRows } from '../../deformers/layout/index.ts';
import { packSkin } from '../../deformers/linear-blend/index.ts';
import { makeCentersOfRotationSource } from './shaders/centers-of-rotation.wgsl.ts';
import type { FrameShape } from './shaders/common.wgsl.ts';
import { makeDualQuaternionSource } from './shaders/dual-quaternion.wgsl.ts';
import { makeLinearBlendSource } from './shaders/linear-blend.wgsl.ts';
import { makeDdmColumnsSource } from './shaders/mush/ddm-columns.wgsl.ts';
import { makeDdmMomentsSource } from './shaders/mush/ddm-moments.wgsl.ts';

/** Models with a GPU deformer. Controllers of helper bones run on the CPU: use their skin and the posed bones. */
export type GpuModel = Exclude<DeformedModel, HelperBones>;

/** Models whose vertices follow the bones of the pose directly. */
export type OneLayerModel = Exclude<GpuModel, TwoLayer | LinearTwoLayer | CorrectedSkin>;

/** A model ready for upload: its arrays, and the kernel that reads them. */
export interface GpuKernel {
  name: string;
  pack: PackedRows;
  /** Bones are blended as rotations: they must be rigid, and are converted to quaternions by a first pass. */
  isRigid: boolean;
  /** Instances per thread that were fastest. */
  instances: number;
  load: 2 | 4;
  constants: Record<string, number>;
  makeSource: (shape: FrameShape) => string;
  /** Palettes have displacements in 16 bits (half-blend.wgsl.ts), which no pose of the CPU fills. */
  isHalf?: boolean;
}

export interface PackOptions {
  withNormals: boolean;
  /** Ten numbers of 16 bits per multi-weight (variants 0 and 1). */
  isShort: boolean;
}

/** Checks a model of one layer and packs it. */
export function packGpuModel(model: OneLayerModel, options: PackOptions): GpuKernel {
  const normals = restNormalsOf(model.mesh, options.withNormals);
  return model.kind === 'direct-delta-mush' ? packDdm(model, normals, options.isShort) : packPlain(model, normals);
}

/** Returns the normals to pack. Throws if they are required and the mesh has none, or if it has no vertices. */
export function restNormalsOf(mesh: Mesh, withNormals: boolean): Float32Array | undefined {
  if (mesh.positions.length === 0) throw new InputError('gpu deformer', 'the mesh has no vertices');
  if (withNormals && !mesh.normals)
    throw new InputError(
      'gpu deformer',
      'the mesh has no normals; make them with makeRestNormals, or pass normals: false',
    );
  return withNormals ? mesh.normals : undefined;
}

function packPlain(model: Exclude<OneLayerModel, DirectDeltaMush>, normals: Float32Array | undefined): GpuKernel {
  const { mesh, skin, skeleton } = model;
  const boneCount = skeleton.names.length;
  checkSkin(skin, boneCount);
  if (skin.rowStart.length - 1 !== mesh.positions.length / 3)
    throw new InputError(
      'gpu deformer',
      `the skin has ${skin.rowStart.length - 1} rows for ${mesh.positions.length / 3} vertices`,
    );
  const source = { boneCount, positions: mesh.positions, normals, ...skin };
  switch (model.kind) {
    case 'skin':
      return makeKernel('linear-blend', packSkin(source), false, makeLinearBlendSource);
    case 'dual-quaternion':
      return makeKernel(model.kind, packSkin({ ...source, keepsFirst: true }), true, makeDualQuaternionSource);
    case 'centers-of-rotation': {
      const { centers } = model;
      if (centers?.length !== mesh.positions.length)
        throw new InputError(
          'gpu deformer',
          `centers of rotation need ${mesh.positions.length} numbers, one center per vertex`,
        );
      const pack = packSkin({ ...source, centers, keepsFirst: true });
      return makeKernel(model.kind, pack, true, makeCentersOfRotationSource);
    }
  }
}

/** Instances per thread of variants 0 to 3. H200, ns per vertex with two, three and four: v0 0.0448, 0.0441, v1 0.0431, 0.0421, 0.0422, v3 0.0248, 0.0244, 0.0236. */
const DDM_INSTANCES: readonly number[] = [3, 3, 2, 4];

function packDdm(model: DirectDeltaMush, normals: Float32Array | undefined, isShort: boolean): GpuKernel {
  checkDirectDeltaMush(model);
  const { mesh, multiWeights, variant } = model;
  const boneCount = model.skeleton.names.length;
  const name = `ddm-v${variant}`;
  const { positions } = mesh;
  if (variant <= 3) {
    const source = { variant: variant as 0 | 1 | 2 | 3, boneCount, positions, normals, multiWeights, isShort };
    const pack = packMultiWeights(source);
    const kernel =
      variant >= 2
        ? makeKernel(name, pack, variant === 2, makeDdmColumnsSource)
        : makeKernel(isShort ? `${name}-short` : name, pack, false, makeDdmMomentsSource, { variant });
    return { ...kernel, instances: DDM_INSTANCES[variant] };
  }
  const { rowStart, boneIndices, omegas: weights } = multiWeights;
  const plain = { boneCount, positions, normals, rowStart, boneIndices, weights, first: SYM4_11, step: SYM4_SIZE };
  if (variant === 5) return makeKernel(name, packSkin(plain), false, makeLinearBlendSource);
  const centers = centersOf(model);
  return makeKernel(name, packSkin({ ...plain, centers, keepsFirst: true }), true, makeCentersOfRotationSource);
}

/**
 * Kernels that keep the weights of a vertex in registers and process their instances in sequence: six instances, or four for more than four weights. The
 * others keep a sum per instance in registers; with two, enough registers remain for many threads.
 */
const LOOPED: ReadonlySet<GpuKernel['makeSource']> = new Set([makeLinearBlendSource, makeDualQuaternionSource]);

export function makeKernel(
  name: string,
  pack: PackedRows,
  isRigid: boolean,
  makeSource: (shape: FrameShape) => string,
  constants: Record<string, number> = {},
): GpuKernel {
  const { load } = ENTRY_WORDS[pack.layout];
  const shared = pack.order.uniformWidth === 1 ? 6 : 4;
  return { name, pack, isRigid, instances: LOOPED.has(makeSource) ? shared : 2, load, makeSource, constants };
}

/** p of each vertex: the sum of its multi-weights' last columns. vertexCount x 3 */
function centersOf({ multiWeights }: DirectDeltaMush): Float64Array {
  const { rowStart, omegas } = multiWeights;
  const centers = new Float64Array(3 * (rowStart.length - 1));
  for (let i = 0; i + 1 < rowStart.length; i++) {
    centroidSym4Into(omegas, SYM4_SIZE * rowStart[i], SYM4_SIZE * rowStart[i + 1], centers, 3 * i);
  }
  return centers;
}
