// SPDX-License-Identifier: MIT

import type { ShapeDrivenSkin } from '../../../core/model/deformed/shape-drivers.ts';
import { InputError } from '../../../core/model/errors.ts';
import { BUFFER_USAGE, DeviceWatch, makeDataBuffer, readBuffer } from '../gpu-device.ts';
import { type GpuKernel, packGpuModel } from '../gpu-model.ts';
import { compiled, makeBindLayout, makePipeline } from '../make-pipeline.ts';
import { THREADS } from '../shaders/common.wgsl.ts';
import { makeDrivenBlendSource, SHAPES_AT_ONCE } from '../shaders/faces/driven-blend.wgsl.ts';
import type { GpuFace } from './create-gpu-face.ts';
import { packDriverRows } from './pack-driver-rows.ts';

const STORAGE = 'rrrrwwr';
/** Vertices of a window, as packed. */
const WINDOW = 64;

/** A face of driven bones in one pass. */
export class FusedFace implements GpuFace {
  readonly vertexCount: number;
  readonly shapeCount: number;
  readonly instances: number;
  /** instances x slots x 2: the active shapes and their weights */
  readonly #lists: GPUBuffer;
  readonly #slots: number;
  readonly positions: GPUBuffer;
  readonly normals: GPUBuffer | undefined;
  readonly modelBytes: number;
  readonly #device: GPUDevice;
  readonly #watch: DeviceWatch;
  readonly #kernel: GpuKernel;
  readonly #options: { normals: boolean; stride: 3 | 4 };
  readonly #boneCount: number;
  readonly #owned: GPUBuffer[] = [];
  readonly #bindings: GPUBindGroup;
  #pipeline: GPUComputePipeline | undefined;

  constructor(
    device: GPUDevice,
    model: ShapeDrivenSkin,
    options: { instances: number; normals: boolean; stride: 3 | 4; usage: number },
  ) {
    const { mesh, skeleton, skin, drivers } = model;
    this.#device = device;
    this.#watch = new DeviceWatch(device, 'gpu face');
    this.#options = options;
    this.#kernel = packGpuModel(
      { kind: 'skin', mesh, skeleton, skin },
      { withNormals: options.normals, isShort: false },
    );
    const { pack } = this.#kernel;
    this.vertexCount = pack.vertexCount;
    this.shapeCount = drivers.shapes.length;
    this.instances = options.instances;
    this.#boneCount = skeleton.names.length;
    const arrays = [pack.rest, pack.order.slices, pack.entries, packDriverRows(drivers, skeleton)].map((data) =>
      this.#own(makeDataBuffer(device, 'face', data, BUFFER_USAGE.STORAGE)),
    );
    this.modelBytes = arrays.reduce((sum, { size }) => sum + size, 0);
    const make = (size: number, usage: number): GPUBuffer =>
      this.#own(
        device.createBuffer({
          label: 'face',
          size: Math.max(16, size),
          usage: BUFFER_USAGE.STORAGE | BUFFER_USAGE.COPY_SRC | usage,
        }),
      );
    const outputBytes = this.instances * this.vertexCount * options.stride * 4;
    this.positions = make(outputBytes, options.usage);
    this.normals = options.normals ? make(outputBytes, options.usage) : undefined;
    this.#slots = Math.ceil(this.shapeCount / SHAPES_AT_ONCE) * SHAPES_AT_ONCE;
    this.#lists = make(this.instances * this.#slots * 8, BUFFER_USAGE.COPY_DST);
    const words = Uint32Array.of(this.vertexCount, this.#boneCount, 0, this.instances, 0, 0, 0, 0);
    const params = this.#own(makeDataBuffer(device, 'params', words, BUFFER_USAGE.UNIFORM));
    const resources = [params, ...arrays, this.positions, this.normals ?? make(16, 0), this.#lists];
    const entries = resources.map((buffer, binding) => ({ binding, resource: { buffer } }));
    this.#bindings = device.createBindGroup({ layout: makeBindLayout(device, STORAGE), entries });
  }

  async compile(): Promise<void> {
    const { stride, normals } = this.#options;
    const { load, pack } = this.#kernel;
    const source = makeDrivenBlendSource(this.#boneCount, this.shapeCount, this.#slots, stride, load);
    const { uniformWidth } = pack.order;
    this.#pipeline = await makePipeline(this.#device, 'driven blend', source, STORAGE, {
      withNormals: normals ? 1 : 0,
      uniformWidth: uniformWidth <= 2 ? uniformWidth : 0,
      restRows: pack.restRows,
    });
  }

  writeWeights(weights: ArrayLike<number>): void {
    this.#watch.check('writeWeights');
    if (weights.length > this.instances * this.shapeCount || weights.length % this.shapeCount !== 0)
      throw new InputError(
        'gpu face',
        `got ${weights.length} weights, expected ${this.shapeCount} for each of up to ${this.instances} instances`,
      );
    const count = weights.length / this.shapeCount;
    const words = new Uint32Array(2 * count * this.#slots);
    const floats = new Float32Array(words.buffer);
    for (let k = 0; k < count; k++) {
      let o = 2 * k * this.#slots;
      for (let s = 0; s < this.shapeCount; s++) {
        const weight = weights[k * this.shapeCount + s];
        if (weight === 0) continue;
        words[o] = s;
        floats[o + 1] = weight;
        o += 2;
      }
    }
    this.#device.queue.writeBuffer(this.#lists, 0, words);
  }

  encode(pass: GPUComputePassEncoder, instances: number = this.instances): void {
    this.#watch.check('encode');
    if (!(Number.isInteger(instances) && instances >= 0 && instances <= this.instances))
      throw new InputError('gpu face', `encode takes 0 to ${this.instances} instances, got ${instances}`);
    if (instances === 0) return;
    const windows = this.#kernel.pack.order.vertexOfLane.length / WINDOW;
    pass.setPipeline(compiled('gpu face', this.#pipeline));
    pass.setBindGroup(0, this.#bindings);
    pass.dispatchWorkgroups(Math.ceil((windows * WINDOW) / THREADS), instances);
  }

  async readback(instances: number = this.instances) {
    this.#watch.check('readback');
    const size = instances * this.vertexCount * this.#options.stride * 4;
    const read = async (buffer: GPUBuffer) => new Float32Array(await readBuffer(this.#device, buffer, 0, size));
    return { positions: await read(this.positions), normals: this.normals ? await read(this.normals) : undefined };
  }

  destroy(): void {
    if (!this.#watch.destroy()) return;
    for (const buffer of this.#owned) buffer.destroy();
  }

  #own(buffer: GPUBuffer): GPUBuffer {
    this.#owned.push(buffer);
    return buffer;
  }
}
