// SPDX-License-Identifier: MIT

import type { Pose } from '../../core/model/deformed/deformer.ts';
import { dropUndefined } from '../../core/model/drop-undefined.ts';
import { InputError } from '../../core/model/errors.ts';
import type { GPU_DEFORMER_DEFAULTS, GpuDeformer, GpuDeformerOptions, GpuForkOptions } from './create-gpu-deformer.ts';
import {
  BUFFER_USAGE,
  checkBindingSize,
  checkBufferSize,
  DeviceWatch,
  makeDataBuffer,
  OFFSET_ALIGNMENT,
  readBuffer,
  SharedBuffers,
} from './gpu-device.ts';
import type { GpuKernel } from './gpu-model.ts';
import { compiled, makeBindLayout, makePipeline } from './make-pipeline.ts';
import { type DispatchPlan, type InstanceArray, planDispatches } from './plan-dispatches.ts';
import { BONE_QUATERNIONS_SOURCE } from './shaders/bone-quaternions.wgsl.ts';
import { type FrameShape, THREADS } from './shaders/common.wgsl.ts';
import { writePalettesInto } from './write-palettes.ts';

/** A dispatch with its bindings. */
interface Step {
  pipeline: GPUComputePipeline;
  bindings: GPUBindGroup;
  x: number;
  y: number;
}

/** Vertices of a window, as packed. */
const WINDOW = 64;
/** Bytes of one bone in a palette, and of one as a dual quaternion. */
const BONE_BYTES = 48;
/** Bytes of one bone with displacements in 16 bits. */
const HALF_BONE_BYTES = 24;
const QUATERNION_BYTES = 32;
/** Maximum number of cached bind groups, by palette and instance count. */
const MAX_KEPT = 64;
/** Numbers of rows of plain weights, four influences each, with a specialized pipeline: 4 and 8 influences. */
const MAX_UNROLLED = 2;
/** Limited by the 16 KiB of workgroup memory of every device. */
const MAX_PER_THREAD = 8;

/** Options after defaults. */
export type MergedOptions = Required<Pick<GpuDeformerOptions, Exclude<keyof typeof GPU_DEFORMER_DEFAULTS, 'stride'>>> &
  Omit<GpuDeformerOptions, 'stride'> & { stride: FrameShape['stride'] };

/** Options of a fork: output buffers of the caller are not inherited. */
export function forkOptions(options: MergedOptions, own: GpuForkOptions): MergedOptions {
  const fresh = { positions: undefined, positionsOffset: 0, normalsBuffer: undefined, normalsOffset: 0 };
  return { ...options, ...fresh, ...dropUndefined(own) };
}

/** A model on one device: its buffers, its pipelines, and cached bindings by palette buffer. */
export class DeformerRunner implements GpuDeformer {
  readonly vertexCount: number;
  readonly boneCount: number;
  readonly instances: number;
  readonly positions: GPUBuffer;
  readonly normals: GPUBuffer | undefined;
  readonly palettes: GPUBuffer;
  readonly modelBytes: number;
  readonly #device: GPUDevice;
  readonly #kernel: GpuKernel;
  readonly #options: MergedOptions;
  readonly #watch: DeviceWatch;
  readonly #perThread: number;
  readonly #boneBytes: number;
  readonly #owned: GPUBuffer[] = [];
  readonly #arrays: SharedBuffers;
  readonly #quaternions: GPUBuffer | undefined;
  readonly #unused: GPUBuffer;
  /** Steps by palette buffer and instance count, and the uniform buffers behind them. */
  readonly #steps = new Map<string, { steps: Step[]; buffers: GPUBuffer[]; palettes: GPUBuffer }>();
  #pipeline: GPUComputePipeline | undefined;
  #quaternionPipeline: GPUComputePipeline | undefined;
  readonly #staging: Float32Array;

  /** @param of a deformer of the same model, whose buffers and pipelines are shared */
  constructor(device: GPUDevice, kernel: GpuKernel, options: MergedOptions, of?: DeformerRunner) {
    const { pack } = kernel;
    this.#device = device;
    this.#kernel = kernel;
    this.#options = options;
    this.#watch = new DeviceWatch(device, 'gpu deformer');
    // part of the pipeline: forks use that of the first
    this.#perThread = of
      ? of.#perThread
      : (options.instancesPerThread ?? Math.min(kernel.instances, options.instances));
    this.vertexCount = pack.vertexCount;
    this.boneCount = pack.boneCount;
    this.instances = options.instances;
    this.modelBytes = pack.rest.byteLength + pack.order.slices.byteLength + pack.entries.byteLength;
    const outputBytes = this.instances * this.vertexCount * options.stride * 4;
    this.#boneBytes = kernel.isHalf ? HALF_BONE_BYTES : BONE_BYTES;
    const paletteBytes = this.instances * this.boneCount * this.#boneBytes;
    this.#checkOutputs(outputBytes);
    checkBufferSize(
      device,
      `${this.instances} instances of positions`,
      outputBytes,
      'deform fewer instances at a time',
    );
    checkBufferSize(
      device,
      `palettes of ${this.instances} instances`,
      paletteBytes,
      'deform fewer instances at a time',
    );
    const data = [pack.rest, pack.order.slices, pack.entries];
    const names = ['rest', 'slices', 'weights'];
    for (const [n, array] of data.entries()) checkBindingSize(device, `${kernel.name} ${names[n]}`, array.byteLength);
    this.#arrays = of
      ? of.#arrays.share()
      : new SharedBuffers(
          data.map((array, n) => makeDataBuffer(device, `${kernel.name} ${names[n]}`, array, BUFFER_USAGE.STORAGE)),
        );
    this.#pipeline = of ? of.#pipeline : undefined;
    this.#quaternionPipeline = of ? of.#quaternionPipeline : undefined;
    this.positions = options.positions ?? this.#makeBuffer('positions', outputBytes, options.usage);
    this.normals = options.normals
      ? (options.normalsBuffer ?? this.#makeBuffer('normals', outputBytes, options.usage))
      : undefined;
    this.palettes = this.#makeBuffer('palettes', paletteBytes, BUFFER_USAGE.COPY_DST);
    this.#quaternions = kernel.isRigid
      ? this.#makeBuffer('quaternions', this.instances * this.boneCount * QUATERNION_BYTES, 0)
      : undefined;
    this.#unused = this.#makeBuffer('unused', 16, 0);
    this.#staging = new Float32Array(this.boneCount * 12);
  }

  async compile(): Promise<void> {
    const { kernel, device } = { kernel: this.#kernel, device: this.#device };
    const { stride, normals } = this.#options;
    const shape = {
      instances: this.#perThread,
      stride,
      load: kernel.load,
      isRigid: kernel.isRigid,
      isHalf: kernel.isHalf,
    } as const;
    const { order, restRows } = kernel.pack;
    const constants = {
      ...kernel.constants,
      withNormals: normals ? 1 : 0,
      uniformWidth: order.uniformWidth <= MAX_UNROLLED && kernel.pack.layout === 'weights' ? order.uniformWidth : 0,
      restRows,
    };
    const storage = kernel.isRigid ? 'rrrrwwr' : 'rrrrww';
    const [pipeline, quaternionPipeline] = await Promise.all([
      makePipeline(device, kernel.name, kernel.makeSource(shape), storage, constants),
      kernel.isRigid ? makePipeline(device, 'bone quaternions', BONE_QUATERNIONS_SOURCE, 'rw') : undefined,
    ]);
    this.#pipeline = pipeline;
    this.#quaternionPipeline = quaternionPipeline;
  }

  writePoses(poses: readonly Pose[]): void {
    this.#watch.check('writePoses');
    if (poses.length > this.instances)
      throw new InputError('gpu deformer', `${poses.length} poses for ${this.instances} instances`);
    for (let k = 0; k < poses.length; k++) {
      if (poses[k].bones.length !== this.boneCount * 16)
        throw new InputError(
          'gpu deformer',
          `pose ${k} has ${poses[k].bones.length / 16} bones, expected ${this.boneCount}`,
        );
      writePalettesInto(poses[k].bones, this.boneCount, this.#staging);
      this.#device.queue.writeBuffer(
        this.palettes,
        k * this.boneCount * BONE_BYTES,
        this.#staging as Float32Array<ArrayBuffer>,
      );
    }
  }

  encode(pass: GPUComputePassEncoder, palettes: GPUBuffer = this.palettes, instances: number = this.instances): void {
    this.#watch.check('encode');
    if (!(Number.isInteger(instances) && instances >= 0 && instances <= this.instances))
      throw new InputError('gpu deformer', `encode takes 0 to ${this.instances} instances, got ${instances}`);
    if (instances === 0) return;
    const needed = instances * this.boneCount * this.#boneBytes;
    if (palettes.size < needed)
      throw new InputError(
        'gpu deformer',
        `the palette buffer has ${palettes.size} bytes, ${instances} instances need ${needed}`,
      );
    for (const { pipeline, bindings, x, y } of this.#stepsFor(palettes, instances)) {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, bindings);
      pass.dispatchWorkgroups(x, y);
    }
  }

  async readback(instances: number = this.instances) {
    this.#watch.check('readback');
    const { stride, positionsOffset, normalsOffset } = this.#options;
    const size = instances * this.vertexCount * stride * 4;
    const positions = new Float32Array(await readBuffer(this.#device, this.positions, positionsOffset, size));
    const normals = this.normals
      ? new Float32Array(await readBuffer(this.#device, this.normals, normalsOffset, size))
      : undefined;
    return { positions, normals };
  }

  /** Throws if the deformer was destroyed or the device was lost. */
  check(action: string): void {
    this.#watch.check(action);
  }

  fork(options: GpuForkOptions = {}): DeformerRunner {
    this.check('fork');
    return new DeformerRunner(this.#device, this.#kernel, forkOptions(this.#options, options), this);
  }

  destroy(): void {
    if (!this.#watch.destroy()) return;
    this.#arrays.release();
    for (const buffer of this.#owned) buffer.destroy();
    for (const kept of this.#steps.values()) for (const buffer of kept.buffers) buffer.destroy();
    this.#steps.clear();
  }

  #own(buffer: GPUBuffer): GPUBuffer {
    this.#owned.push(buffer);
    return buffer;
  }

  #makeBuffer(what: string, size: number, usage: number): GPUBuffer {
    const bits = BUFFER_USAGE.STORAGE | BUFFER_USAGE.COPY_SRC | usage;
    return this.#own(this.#device.createBuffer({ label: `${this.#kernel.name} ${what}`, size, usage: bits }));
  }

  /** Checks options before anything is allocated. */
  #checkOutputs(size: number): void {
    const { positions, positionsOffset, normalsBuffer, normalsOffset, normals, instancesPerThread } = this.#options;
    if (
      instancesPerThread !== undefined &&
      !(Number.isInteger(instancesPerThread) && instancesPerThread >= 1 && instancesPerThread <= MAX_PER_THREAD)
    )
      throw new InputError(
        'gpu deformer',
        `instancesPerThread must be 1 to ${MAX_PER_THREAD}, got ${instancesPerThread}`,
      );
    if (positions) this.#checkOutput(positions, positionsOffset, size, 'positions');
    else if (positionsOffset !== 0) throw new InputError('gpu deformer', 'positionsOffset needs a buffer in positions');
    if (!normals) return;
    if (normalsBuffer) this.#checkOutput(normalsBuffer, normalsOffset, size, 'normals');
    else if (normalsOffset !== 0) throw new InputError('gpu deformer', 'normalsOffset needs a buffer in normalsBuffer');
    if (positions === undefined || positions !== normalsBuffer) return;
    // two bindings of one buffer must not overlap, and they start at multiples of 256
    const [first, second] = [positionsOffset, normalsOffset].sort((a, b) => a - b);
    if (first + size > second || second % OFFSET_ALIGNMENT !== 0)
      throw new InputError(
        'gpu deformer',
        `positions and normals in one buffer need ${size} bytes each and the second a multiple of ${OFFSET_ALIGNMENT} as offset, got ${positionsOffset} and ${normalsOffset}`,
      );
  }

  #checkOutput(buffer: GPUBuffer, offset: number, size: number, what: string): void {
    const unit = this.#options.stride === 3 ? 4 : 16;
    if (!(Number.isInteger(offset) && offset >= 0 && offset % unit === 0))
      throw new InputError('gpu deformer', `the offset of ${what} must be a multiple of ${unit} bytes, got ${offset}`);
    if (!(buffer.usage & BUFFER_USAGE.STORAGE))
      throw new InputError('gpu deformer', `the buffer for ${what} needs the usage STORAGE`);
    if (buffer.size < offset + size)
      throw new InputError('gpu deformer', `the buffer for ${what} has ${buffer.size} bytes, needs ${offset + size}`);
  }

  #stepsFor(palettes: GPUBuffer, instances: number): Step[] {
    const key = `${idOf(palettes)} ${instances}`;
    const known = this.#steps.get(key);
    if (known) return known.steps;
    if (this.#steps.size >= MAX_KEPT) {
      // Work recorded with the oldest may not be submitted yet, so its uniform buffers are left to the garbage collector instead of being destroyed.
      this.#steps.delete(this.#steps.keys().next().value as string);
    }
    const buffers: GPUBuffer[] = [];
    const steps = [
      ...this.#quaternionSteps(palettes, instances, buffers),
      ...this.#deformSteps(palettes, instances, buffers),
    ];
    this.#steps.set(key, { steps, buffers, palettes });
    return steps;
  }

  #deformSteps(palettes: GPUBuffer, instances: number, buffers: GPUBuffer[]): Step[] {
    const { stride, positionsOffset, normalsOffset } = this.#options;
    const outputStride = this.vertexCount * stride * 4;
    const arrays: { buffer: GPUBuffer; at: InstanceArray; unit: number }[] = [
      { buffer: palettes, at: { offset: 0, stride: this.boneCount * this.#boneBytes }, unit: this.#boneBytes / 3 },
      { buffer: this.positions, at: { offset: positionsOffset, stride: outputStride }, unit: stride === 3 ? 4 : 16 },
    ];
    if (this.normals)
      arrays.push({
        buffer: this.normals,
        at: { offset: normalsOffset, stride: outputStride },
        unit: stride === 3 ? 4 : 16,
      });
    if (this.#quaternions)
      arrays.push({
        buffer: this.#quaternions,
        at: { offset: 0, stride: this.boneCount * QUATERNION_BYTES },
        unit: 16,
      });
    const { order } = this.#kernel.pack;
    const windowCount = order.vertexOfLane.length / WINDOW;
    const { maxStorageBufferBindingSize, maxComputeWorkgroupsPerDimension } = this.#device.limits;
    const limits = { maxBinding: maxStorageBufferBindingSize, maxGroups: maxComputeWorkgroupsPerDimension };
    const plans = planDispatches(
      instances,
      windowCount,
      arrays.map((a) => a.at),
      this.#perThread,
      limits,
    );
    return plans.map((plan) => {
      const bound = arrays.map(({ buffer }, n) => bindRange(buffer, plan, n));
      const shift = (buffer: GPUBuffer | undefined): number => {
        const n = arrays.findIndex((a) => a.buffer === buffer);
        return n < 0 ? 0 : plan.ranges[n].shift / arrays[n].unit;
      };
      const positionShift = plan.ranges[1].shift / arrays[1].unit;
      const normalShift = this.normals ? plan.ranges[2].shift / arrays[2].unit : 0;
      const words = [this.vertexCount, this.boneCount, plan.firstWindow, plan.instanceCount];
      words.push(shift(palettes), shift(this.#quaternions), positionShift, normalShift);
      const params = makeDataBuffer(this.#device, 'params', Uint32Array.from(words), BUFFER_USAGE.UNIFORM);
      buffers.push(params);
      const resources: GPUBindingResource[] = [params, ...this.#arrays.list].map((buffer) => ({ buffer }));
      resources.push(bound[0], bound[1], this.normals ? bound[2] : { buffer: this.#unused });
      if (this.#quaternions) resources.push(bound[bound.length - 1]);
      return {
        pipeline: compiled('gpu deformer', this.#pipeline),
        bindings: this.#bind(this.#kernel.isRigid ? 'rrrrwwr' : 'rrrrww', resources),
        x: Math.ceil((plan.windowCount * WINDOW) / THREADS),
        y: Math.ceil(plan.instanceCount / this.#perThread),
      };
    });
  }

  #quaternionSteps(palettes: GPUBuffer, instances: number, buffers: GPUBuffer[]): Step[] {
    const quaternions = this.#quaternions;
    const pipeline = this.#quaternionPipeline;
    if (!quaternions || !pipeline) return [];
    const { maxStorageBufferBindingSize, maxComputeWorkgroupsPerDimension: most } = this.#device.limits;
    const arrays = [BONE_BYTES, QUATERNION_BYTES].map((bytes) => ({ offset: 0, stride: this.boneCount * bytes }));
    // a group processes 64 bones: split instances so that the groups of all bones fit one dimension
    const perDispatch = Math.max(1, Math.floor((most * 64) / this.boneCount));
    const limits = { maxBinding: maxStorageBufferBindingSize, maxGroups: perDispatch };
    return planDispatches(instances, 1, arrays, 1, limits).map((plan) => {
      const total = plan.instanceCount * this.boneCount;
      const words = [this.boneCount, total, 0, plan.ranges[0].shift / 16, plan.ranges[1].shift / 16];
      const params = makeDataBuffer(this.#device, 'params', Uint32Array.from(words), BUFFER_USAGE.UNIFORM);
      buffers.push(params);
      const resources = [{ buffer: params }, bindRange(palettes, plan, 0), bindRange(quaternions, plan, 1)];
      return {
        pipeline,
        bindings: this.#bind('rw', resources),
        x: Math.ceil(total / 64),
        y: 1,
      };
    });
  }

  #bind(storage: string, resources: GPUBindingResource[]): GPUBindGroup {
    return this.#device.createBindGroup({
      layout: makeBindLayout(this.#device, storage),
      entries: resources.map((resource, binding) => ({ binding, resource })),
    });
  }
}

function bindRange(buffer: GPUBuffer, plan: DispatchPlan, n: number): GPUBufferBinding {
  const { offset, size } = plan.ranges[n];
  return { buffer, offset, size };
}

const ids = new WeakMap<GPUBuffer, number>();
let lastId = 0;
/** A number for each buffer object, as a key of cached bindings. */
function idOf(buffer: GPUBuffer): number {
  let id = ids.get(buffer);
  if (id === undefined) {
    id = ++lastId;
    ids.set(buffer, id);
  }
  return id;
}
