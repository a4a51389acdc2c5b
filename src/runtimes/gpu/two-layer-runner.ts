// SPDX-License-Identifier: MIT

import { SYM4_SIZE, translateSym4 } from '../../core/math/sym4.ts';
import type { Pose } from '../../core/model/deformed/deformer.ts';
import type { MultiWeights } from '../../core/model/deformed/direct-delta-mush.ts';
import {
  checkLinearTwoLayer,
  checkTwoLayer,
  type LinearTwoLayer,
  type TwoLayer,
  virtualBoneCountOf,
} from '../../core/model/deformed/two-layer.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { measureSize, packMultiWeights } from '../../deformers/direct-delta-mush/index.ts';
import { ENTRY_WORDS } from '../../deformers/layout/index.ts';
import { packSkin } from '../../deformers/linear-blend/index.ts';
import type { GpuDeformer, GpuForkOptions } from './create-gpu-deformer.ts';
import { DeformerRunner, forkOptions, type MergedOptions } from './deformer-runner.ts';
import { type GpuKernel, makeKernel, type PackOptions, restNormalsOf } from './gpu-model.ts';
import { makeLinearBlendSource } from './shaders/linear-blend.wgsl.ts';
import { makeLinearVirtualBonesSource } from './shaders/mush/linear-virtual-bones.wgsl.ts';
import { makeVirtualBonesSource } from './shaders/mush/virtual-bones.wgsl.ts';

/** Floats per bone in a palette. */
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
  const { mesh } = model;
  const normals = restNormalsOf(mesh, options.withNormals);
  const order = listInOrderOfUse(model.skin, virtualBoneCountOf(model));
  const { centers, multiWeights } = takeVirtualBones(model, order);
  const skin = renameBones(model.skin, order);
  const boneCount = model.skeleton.names.length;
  const pack = packMultiWeights({
    ...{ variant: 0, boneCount, positions: centers, multiWeights },
    // size of the mesh: a single center has none
    size: measureSize(mesh.positions),
  });
  const source = { boneCount: virtualBoneCountOf(model), positions: mesh.positions, normals, ...skin };
  return {
    virtual: {
      name: 'virtual-bones',
      pack,
      isRigid: false,
      // one: there are few virtual bones, and all of them should run at the same time
      instances: 1,
      load: ENTRY_WORDS[pack.layout].load,
      makeSource: makeVirtualBonesSource,
      constants: {},
    },
    blend: makeKernel('two-layer', packSkin(source), false, makeLinearBlendSource),
  };
}

/** The same for a plain skin in two layers. */
export function packLinearTwoLayer(model: LinearTwoLayer, options: Pick<PackOptions, 'withNormals'>): TwoLayerKernels {
  checkLinearTwoLayer(model);
  const { mesh, virtualBones } = model;
  const normals = restNormalsOf(mesh, options.withNormals);
  const count = virtualBones.rowStart.length - 1;
  const order = listInOrderOfUse(model.skin, count);
  const rows = takeRows(virtualBones, order);
  const masters = { boneCount: model.skeleton.names.length, positions: new Float32Array(3 * count), ...rows };
  const source = { boneCount: count, positions: mesh.positions, normals, ...renameBones(model.skin, order) };
  return {
    virtual: {
      ...makeKernel('linear-virtual-bones', packSkin(masters), false, makeLinearVirtualBonesSource),
      instances: 1,
    },
    blend: makeKernel('two-layer', packSkin(source), false, makeLinearBlendSource),
  };
}

/** Rows of plain weights in another order. */
function takeRows({ rowStart, boneIndices, weights }: Skin, order: readonly number[]): Skin {
  const entries: number[] = [];
  const starts = new Uint32Array(rowStart.length);
  for (const [n, k] of order.entries()) {
    for (let e = rowStart[k]; e < rowStart[k + 1]; e++) entries.push(e);
    starts[n + 1] = entries.length;
  }
  return {
    rowStart: starts,
    boneIndices: Uint32Array.from(entries, (e) => boneIndices[e]),
    weights: Float32Array.from(entries, (e) => weights[e]),
  };
}

/** Virtual bones in order of first use by vertices, then unused ones: bones of neighbouring vertices are then neighbours in memory. */
function listInOrderOfUse(skin: Skin, count: number): number[] {
  const used = new Set(skin.boneIndices);
  for (let k = 0; k < count; k++) used.add(k);
  return [...used];
}

/** Virtual bones in that order, with multi-weights relative to the origin, like those of vertices. */
function takeVirtualBones(
  { virtualBones, centers }: TwoLayer,
  order: readonly number[],
): { centers: Float64Array; multiWeights: MultiWeights } {
  const { rowStart, boneIndices } = virtualBones;
  const starts = new Uint32Array(rowStart.length);
  const bones = new Uint32Array(boneIndices.length);
  const omegas = new Float64Array(virtualBones.omegas.length);
  const places = new Float64Array(centers.length);
  let at = 0;
  for (const [n, k] of order.entries()) {
    places.set(centers.subarray(3 * k, 3 * k + 3), 3 * n);
    for (let e = rowStart[k]; e < rowStart[k + 1]; e++, at++) {
      bones[at] = boneIndices[e];
      omegas.set(virtualBones.omegas.subarray(SYM4_SIZE * e, SYM4_SIZE * (e + 1)), SYM4_SIZE * at);
      translateSym4(omegas, SYM4_SIZE * at, places[3 * n], places[3 * n + 1], places[3 * n + 2]);
    }
    starts[n + 1] = at;
  }
  return { centers: places, multiWeights: { rowStart: starts, boneIndices: bones, omegas } };
}

/** The skin in that order, with ascending bones per vertex: neighbouring threads then mostly read the same bone at the same time. */
function renameBones(skin: Skin, order: readonly number[]): Skin {
  const { rowStart } = skin;
  const nameOf = new Uint32Array(order.length);
  for (const [n, k] of order.entries()) nameOf[k] = n;
  const boneIndices = new Uint32Array(skin.boneIndices.length);
  const weights = new Float32Array(skin.weights.length);
  for (let i = 0; i + 1 < rowStart.length; i++) {
    const row = Array.from({ length: rowStart[i + 1] - rowStart[i] }, (_, e) => rowStart[i] + e);
    row.sort((a, b) => nameOf[skin.boneIndices[a]] - nameOf[skin.boneIndices[b]] || a - b);
    for (const [e, from] of row.entries()) {
      boneIndices[rowStart[i] + e] = nameOf[skin.boneIndices[from]];
      weights[rowStart[i] + e] = skin.weights[from];
    }
  }
  return { rowStart, boneIndices, weights };
}

/** Two deformers in sequence: the vertices of the first are the bones of the second. */
export class TwoLayerRunner implements GpuDeformer {
  readonly vertexCount: number;
  readonly boneCount: number;
  readonly instances: number;
  readonly positions: GPUBuffer;
  readonly normals: GPUBuffer | undefined;
  readonly palettes: GPUBuffer;
  readonly modelBytes: number;
  readonly #device: GPUDevice;
  readonly #kernels: TwoLayerKernels;
  readonly #options: MergedOptions;
  readonly #one: DeformerRunner;
  readonly #two: DeformerRunner;

  /** @param of a deformer of the same model, whose buffers and pipelines are shared */
  constructor(device: GPUDevice, kernels: TwoLayerKernels, options: MergedOptions, of?: TwoLayerRunner) {
    this.#device = device;
    this.#kernels = kernels;
    this.#options = options;
    this.#two = new DeformerRunner(device, kernels.blend, options, of ? of.#two : undefined);
    const layer: MergedOptions = {
      ...{ instances: options.instances, normals: false, stride: BONE_STRIDE, quantize: false, usage: 0 },
      ...{ positions: this.#two.palettes, positionsOffset: 0, normalsOffset: 0 },
    };
    try {
      this.#one = new DeformerRunner(device, kernels.virtual, layer, of ? of.#one : undefined);
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

  fork(options: GpuForkOptions = {}): TwoLayerRunner {
    this.#one.check('fork');
    return new TwoLayerRunner(this.#device, this.#kernels, forkOptions(this.#options, options), this);
  }

  destroy(): void {
    this.#one.destroy();
    this.#two.destroy();
  }
}
