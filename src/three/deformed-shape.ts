// SPDX-License-Identifier: MIT
import { BufferAttribute, BufferGeometry, type Matrix4 } from 'three';
import { makeDeformer } from '../deform/make-deformer.ts';
import { createGpuDeformer, type GpuDeformer } from '../gpu/create-gpu-deformer.ts';
import type { GpuModel } from '../gpu/gpu-model.ts';
import type { Deformer } from '../model/deformer.ts';
import { coefficientCountOf } from '../model/skin-correction.ts';
import { type BoneBounds, makeBoneBounds } from './bone-bounds.ts';
import type { AnyRenderer } from './renderer-device.ts';

/** Attributes that skins read, and tangents, which would stay at rest. */
const LEFT_OUT = /^(position|normal|tangent|skinIndex|skinWeight|joints_\d+|weights_\d+)$/;

/** How a primitive deforms, as its file says it. */
export interface PrimitiveModel {
  model: GpuModel;
  /** From the primitive's positions to the space of the model, whose bones do not scale. */
  bindMatrix: Matrix4;
}

/** What all meshes of one primitive share: its model on the GPU, its arrays, and the deformer for rays and boxes. */
export class DeformedShape {
  readonly model: GpuModel;
  readonly bindMatrix: Matrix4;
  readonly boneCount: number;
  /** Coefficients of a corrected skin; 0 for others. */
  readonly coefficientCount: number;
  readonly renderer: AnyRenderer;
  readonly device: GPUDevice;
  readonly #source: BufferGeometry;
  #bounds: BoneBounds | undefined;
  #deformer: Deformer | undefined;
  /** Those that meshes have; a spare one waits for the first mesh. */
  readonly #live = new Set<GpuDeformer>();
  #spare: GpuDeformer | undefined;
  #isPending = false;

  constructor(renderer: AnyRenderer, device: GPUDevice, source: BufferGeometry, { model, bindMatrix }: PrimitiveModel) {
    this.model = model;
    this.bindMatrix = bindMatrix;
    this.renderer = renderer;
    this.device = device;
    this.#source = source;
    this.boneCount = model.skeleton.names.length;
    this.coefficientCount = model.kind === 'corrected-skin' ? coefficientCountOf(model.correction) : 0;
  }

  /** Uploads the model. Throws, in one sentence, where it is none or does not fit the device. */
  async upload(): Promise<void> {
    this.#spare ??= await createGpuDeformer(this.device, this.model, {
      normals: this.model.mesh.normals !== undefined,
    });
  }

  /** A deformer with outputs of its own; undefined while the model, freed before, is on its way to the GPU again. */
  acquire(): GpuDeformer | undefined {
    const [other] = this.#live;
    const deformer = this.#spare ?? other?.fork();
    this.#spare = undefined;
    if (deformer) this.#live.add(deformer);
    else if (!this.#isPending) {
      this.#isPending = true;
      // where it fails, the rest shape stays: asking again in every frame would not help
      this.upload().then(
        () => {
          this.#isPending = false;
        },
        () => undefined,
      );
    }
    return deformer;
  }

  /** A deformer of many, for crowds, with kernels that were chosen for them: its owner destroys it. */
  createCrowd(instances: number): Promise<GpuDeformer> {
    return createGpuDeformer(this.device, this.model, { instances, normals: this.model.mesh.normals !== undefined });
  }

  release(deformer: GpuDeformer): void {
    this.#live.delete(deformer);
    deformer.destroy();
  }

  /** A geometry of a mesh's own: positions and normals are made anew, all else is the file's. */
  makeGeometry(): BufferGeometry {
    const geometry = new BufferGeometry();
    const { mesh } = this.model;
    geometry.name = this.#source.name;
    geometry.setIndex(this.#source.index);
    geometry.setAttribute('position', new BufferAttribute(mesh.positions, 3));
    if (mesh.normals) geometry.setAttribute('normal', new BufferAttribute(mesh.normals, 3));
    for (const [name, attribute] of Object.entries(this.#source.attributes))
      if (!LEFT_OUT.test(name)) geometry.setAttribute(name, attribute);
    for (const { start, count, materialIndex } of this.#source.groups) geometry.addGroup(start, count, materialIndex);
    geometry.setDrawRange(this.#source.drawRange.start, this.#source.drawRange.count);
    geometry.userData = this.#source.userData;
    return geometry;
  }

  get bounds(): BoneBounds {
    this.#bounds ??= makeBoneBounds(this.model);
    return this.#bounds;
  }

  /** The same on the CPU. */
  get deformer(): Deformer {
    this.#deformer ??= makeDeformer(this.model);
    return this.#deformer;
  }
}
