// SPDX-License-Identifier: MIT
import { BufferAttribute, BufferGeometry, type Matrix4 } from 'three';
import type { Deformer } from '../../core/model/deformed/deformer.ts';
import { coefficientCountOf } from '../../core/model/deformed/skin-correction.ts';
import type { SkinLight } from '../../core/model/deformed/skin-light.ts';
import { makeDeformer } from '../../deformers/playback/index.ts';
import { createGpuDeformer, createGpuLight, type GpuDeformer, type GpuLight, type GpuModel } from '../gpu/index.ts';
import { type BoneBounds, makeBoneBounds } from './bone-bounds.ts';
import { readAttribute } from './load/read-attribute.ts';
import type { AnyRenderer } from './renderer-device.ts';

/** Attributes of skins, and tangents, which would not be deformed. */
const LEFT_OUT = /^(position|normal|tangent|skinIndex|skinWeight|joints_\d+|weights_\d+)$/;

/** The model of a primitive, as read from its file. */
export interface PrimitiveModel {
  /** What is evaluated. */
  model: GpuModel;
  /** From the primitive's positions to model space, in which bones have no scale. */
  bindMatrix: Matrix4;
  /** Light on its vertices. */
  light?: SkinLight;
}

/** The model and light of one mesh or crowd on the GPU. */
export interface GpuShape {
  /** Writes positions and normals. */
  deformer: GpuDeformer;
  /** Writes vertex colours. */
  light?: GpuLight;
}

/** Data that all meshes of one primitive share: its model on the GPU, its arrays, and the CPU deformer for rays and boxes. */
export class DeformedShape {
  /** What is evaluated. */
  readonly model: GpuModel;
  /** From the primitive's positions to model space. */
  readonly bindMatrix: Matrix4;
  /** Light on its vertices, if the file has it. */
  readonly light: SkinLight | undefined;
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
  /** Those of meshes. The spare one is for the first mesh. */
  readonly #live = new Set<GpuShape>();
  #spare: GpuShape | undefined;
  #isPending = false;

  constructor(renderer: AnyRenderer, device: GPUDevice, source: BufferGeometry, primitive: PrimitiveModel) {
    const { model, bindMatrix, light } = primitive;
    this.model = model;
    this.bindMatrix = bindMatrix;
    this.renderer = renderer;
    this.device = device;
    this.#source = source;
    // without vertex colours, materials would ignore it
    this.light = source.getAttribute('color') ? light : undefined;
    this.boneCount = model.skeleton.names.length;
    this.coefficientCount = model.kind === 'corrected-skin' ? coefficientCountOf(model.correction) : 0;
  }

  /** Uploads the model. Throws an InputError if the model is invalid or too large for the device. */
  async upload(): Promise<void> {
    this.#spare ??= await this.create(1);
  }

  /** Returns a model with its own outputs; undefined while a model that was freed is being uploaded again. */
  acquire(): GpuShape | undefined {
    const [other] = this.#live;
    const shape = this.#spare ?? (other && this.fork(other, 1));
    this.#spare = undefined;
    if (shape) this.#live.add(shape);
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
    return shape;
  }

  /** Uploads the model for a crowd, with kernels chosen for the number of instances. The caller destroys it. */
  async create(instances: number): Promise<GpuShape> {
    const normals = this.model.mesh.normals !== undefined;
    const deformer = await createGpuDeformer(this.device, this.model, { instances, normals });
    const stride = this.#source.getAttribute('color')?.itemSize === 4 ? 4 : 3;
    const light =
      this.light && (await createGpuLight(this.device, this.light, { instances, stride, normals: deformer.normals }));
    this.#writeAlpha(light);
    return { deformer, light };
  }

  /** Makes another with its own outputs, which shares the model. The caller destroys it. */
  fork(other: GpuShape, instances: number): GpuShape {
    const deformer = other.deformer.fork({ instances });
    const light = other.light?.fork({ instances, normals: deformer.normals });
    this.#writeAlpha(light);
    return { deformer, light };
  }

  /** Light changes colours, and leaves the alpha of the file. */
  #writeAlpha(light: GpuLight | undefined): void {
    const color = this.#source.getAttribute('color');
    if (!light || color.itemSize !== 4) return;
    const values = readAttribute(color);
    for (let k = 0; k < light.instances; k++)
      this.device.queue.writeBuffer(light.colors, k * values.byteLength, values);
  }

  /** Destroys what acquire returned. */
  release(shape: GpuShape): void {
    this.#live.delete(shape);
    shape.deformer.destroy();
    shape.light?.destroy();
  }

  /** Makes the geometry of a mesh: its own positions, normals and, if it is lit, colours; other attributes are shared. */
  makeGeometry(): BufferGeometry {
    const geometry = new BufferGeometry();
    const { mesh } = this.model;
    geometry.name = this.#source.name;
    geometry.setIndex(this.#source.index);
    geometry.setAttribute('position', new BufferAttribute(mesh.positions, 3));
    if (mesh.normals) geometry.setAttribute('normal', new BufferAttribute(mesh.normals, 3));
    for (const [name, attribute] of Object.entries(this.#source.attributes))
      if (!LEFT_OUT.test(name)) geometry.setAttribute(name, attribute);
    const color = this.#source.getAttribute('color');
    if (this.light) geometry.setAttribute('color', new BufferAttribute(readAttribute(color), color.itemSize));
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
