// SPDX-License-Identifier: MIT
import { measureSize, packMultiWeights } from '../extension/pack-multi-weights.ts';
import { packSkin } from '../extension/pack-skin.ts';
import { ENTRY_WORDS } from '../extension/packed-rows.ts';
import type { Pose } from '../model/deformer.ts';
import { type MultiWeights, OMEGA_SIZE, shiftOmega } from '../model/direct-delta-mush.ts';
import { checkTwoLayer, type TwoLayer, virtualBoneCountOf } from '../model/two-layer.ts';
import type { GpuDeformer } from './create-gpu-deformer.ts';
import { DeformerRunner, type MergedOptions } from './deformer-runner.ts';
import { type GpuKernel, makeKernel, type PackOptions, restNormalsOf } from './gpu-model.ts';
import { makeLinearBlendSource } from './linear-blend.wgsl.ts';
import { makeVirtualBonesSource } from './virtual-bones.wgsl.ts';

/** Floats of a bone in a palette. */
const BONE_STRIDE = 12;

/** The kernels of a two-layer model, ready for upload. */
export interface TwoLayerKernels {
  /** Palettes of virtual bones from those of master bones. */
  virtual: GpuKernel;
  /** Vertices from palettes of virtual bones. */
  blend: GpuKernel;
}

/** Checks a model and packs it. */
export function packTwoLayer(model: TwoLayer, options: Pick<PackOptions, 'withNormals'>): TwoLayerKernels {
  checkTwoLayer(model);
  const { mesh, skin, centers } = model;
  const normals = restNormalsOf(mesh, options.withNormals);
  const multiWeights = aboutOrigin(model);
  const boneCount = model.skeleton.names.length;
  const pack = packMultiWeights({
    ...{ variant: 0, boneCount, positions: centers, multiWeights },
    // of the mesh: a single center has none
    size: measureSize(mesh.positions),
  });
  const source = { boneCount: virtualBoneCountOf(model), positions: mesh.positions, normals, ...skin };
  return {
    virtual: {
      name: 'virtual-bones',
      pack,
      isRigid: false,
      // one: there are few virtual bones, and what counts is that all of them start at once
      instances: 1,
      load: ENTRY_WORDS[pack.layout].load,
      makeSource: makeVirtualBonesSource,
      constants: {},
    },
    blend: makeKernel('two-layer', packSkin(source), false, makeLinearBlendSource),
  };
}

/** Multi-weights of virtual bones as those of vertices are: about the origin. */
function aboutOrigin({ virtualBones, centers }: TwoLayer): MultiWeights {
  const { rowStart, boneIndices } = virtualBones;
  const omegas = virtualBones.omegas.slice();
  for (let k = 0; k + 1 < rowStart.length; k++) {
    for (let e = rowStart[k]; e < rowStart[k + 1]; e++)
      shiftOmega(omegas, OMEGA_SIZE * e, centers[3 * k], centers[3 * k + 1], centers[3 * k + 2]);
  }
  return { rowStart, boneIndices, omegas };
}

/** Two deformers in a row: the first one's vertices are the second one's bones. */
export class TwoLayerRunner implements GpuDeformer {
  readonly vertexCount: number;
  readonly boneCount: number;
  readonly instances: number;
  readonly positions: GPUBuffer;
  readonly normals: GPUBuffer | undefined;
  readonly palettes: GPUBuffer;
  readonly modelBytes: number;
  readonly #one: DeformerRunner;
  readonly #two: DeformerRunner;

  constructor(device: GPUDevice, { virtual, blend }: TwoLayerKernels, options: MergedOptions) {
    this.#two = new DeformerRunner(device, blend, options);
    try {
      this.#one = new DeformerRunner(device, virtual, {
        ...{ instances: options.instances, normals: false, stride: BONE_STRIDE, quantize: false, usage: 0 },
        ...{ positions: this.#two.palettes, positionsOffset: 0, normalsOffset: 0 },
      });
    } catch (error) {
      this.#two.destroy();
      throw error;
    }
    this.vertexCount = this.#two.vertexCount;
    this.boneCount = this.#one.boneCount;
    this.instances = options.instances;
    this.positions = this.#two.positions;
    this.normals = this.#two.normals;
    this.palettes = this.#one.palettes;
    this.modelBytes = this.#one.modelBytes + this.#two.modelBytes;
  }

  async compile(): Promise<void> {
    await Promise.all([this.#one.compile(), this.#two.compile()]);
  }

  writePoses(poses: readonly Pose[]): void {
    this.#one.writePoses(poses);
  }

  encode(pass: GPUComputePassEncoder, palettes?: GPUBuffer, instances?: number): void {
    this.#one.encode(pass, palettes, instances);
    this.#two.encode(pass, undefined, instances);
  }

  readback(instances?: number) {
    return this.#two.readback(instances);
  }

  destroy(): void {
    this.#one.destroy();
    this.#two.destroy();
  }
}
