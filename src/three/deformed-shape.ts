// SPDX-License-Identifier: MIT
import { BufferAttribute, BufferGeometry, type Matrix4 } from 'three';
import { makeDeformer } from '../deform/make-deformer.ts';
import { createGpuDeformer, type GpuDeformer } from '../gpu/create-gpu-deformer.ts';
import type { GpuModel } from '../gpu/gpu-model.ts';
import type { Deformer } from '../model/deformer.ts';
import { coefficientCountOf } from '../model/skin-correction.ts';
import { type BoneBounds, makeBoneBounds } from './bone-bounds.ts';
import type { AnyRenderer } from './renderer-device.ts';

/** Attributes of skins, and tangents, which would not be deformed. */
const LEFT_OUT = /^(position|normal|tangent|skinIndex|skinWeight|joints_\d+|weights_\d+)$/;

/** The model of a primitive, as read from its file. */
export interface PrimitiveModel {
  /** What is evaluated. */
  model: GpuModel;
  /** From the primitive's positions to model space, in which bones have no scale. */
  bindMatrix: Matrix4;
}

/** Data that all meshes of one primitive share: its model on the GPU, its arrays, and the CPU deformer for rays and boxes. */
export class DeformedShape {
  /** What is evaluated. */
  readonly model: GpuModel;
  /** From the primitive's positions to model space. */
  readonly bindMatrix: Matrix4;
  /** Number of bones. */
  readonly boneCount: number;
  /** Number of coefficients of a corrected skin; 0 for other models. */
  readonly coefficientCount: number;
  /** The renderer that draws it. */
  readonly renderer: AnyRenderer;
  /** The device of the renderer. */
  readonly device: GPUDevice;
  readonly #source: BufferGeometry;
  #bounds: BoneBounds | undefined;
  #deformer: Deformer | undefined;
  /** Deformers of meshes. The spare one is for the first mesh. */
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

  /** Uploads the model. Throws an InputError if the model is invalid or too large for the device. */
  async upload(): Promise<void> {
    this.#spare ??= await createGpuDeformer(this.device, this.model, {
      normals: this.model.mesh.normals !== undefined,
    });
  }

  /** Returns a deformer with its own outputs; undefined while a model that was freed is being uploaded again. */
  acquire(): GpuDeformer | undefined {
    const [other] = this.#live;
    const deformer = this.#spare ?? other?.fork();
    this.#spare = undefined;
    if (deformer) this.#live.add(deformer);
    else if (!this.#isPending) {
      this.#isPending = true;
      // if it fails, the rest shape is drawn: another attempt in every frame would not help
      this.upload().then(
        () => {
          this.#isPending = false;
        },
        () => undefined,
      );
    }
    return deformer;
  }

  /** Makes a deformer for a crowd, with kernels chosen for the number of instances. The caller destroys it. */
  createCrowd(instances: number): Promise<GpuDeformer> {
    return createGpuDeformer(this.device, this.model, { instances, normals: this.model.mesh.normals !== undefined });
  }

  /** Destroys a deformer that acquire returned. */
  release(deformer: GpuDeformer): void {
    this.#live.delete(deformer);
    deformer.destroy();
  }

  /** Makes the geometry of a mesh: its own positions and normals; other attributes are shared. */
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

  /** Bounds of a pose. */
  get bounds(): BoneBounds {
    this.#bounds ??= makeBoneBounds(this.model);
    return this.#bounds;
  }

  /** The model's deformer on the CPU. */
  get deformer(): Deformer {
    this.#deformer ??= makeDeformer(this.model);
    return this.#deformer;
  }
}
