// SPDX-License-Identifier: MIT

import { dropUndefined } from '../../core/model/drop-undefined.ts';
import { InputError } from '../../core/model/errors.ts';
import { type PlayedRig, packAnimation } from '../../formats/textures/index.ts';
import { BUFFER_USAGE, checkBufferSize, DeviceWatch, makeDataBuffer } from './gpu-device.ts';
import { makeBindLayout, makePipeline } from './make-pipeline.ts';
import { planDispatches } from './plan-dispatches.ts';
import { JOINT_PALETTES_SOURCE } from './shaders/joint-palettes.wgsl.ts';
import { SAMPLE_POSES_SOURCE } from './shaders/sample-poses.wgsl.ts';

/** Options of createGpuPlayer. */
export interface GpuPlayerOptions {
  /** Maximum number of instances. Default 1. */
  instances?: number;
  /** Whether clips repeat; otherwise the last key is held. Default true. */
  loop?: boolean;
}

/** Defaults of GpuPlayerOptions. */
export const GPU_PLAYER_DEFAULTS = { instances: 1, loop: true } as const satisfies Required<GpuPlayerOptions>;

/** Samples animations on the GPU. */
export interface GpuPlayer {
  /** Maximum number of instances. */
  readonly instances: number;
  /** Number of nodes of the rig. */
  readonly nodeCount: number;
  /** Number of bones of the rig. */
  readonly boneCount: number;
  /** instances x 2 floats: seconds, and index of the clip; written by writeTimes or by a kernel of the caller */
  readonly times: GPUBuffer;
  /** instances x nodeCount x 12 floats: translation 0, rotation x y z w, scale 0, each in the space of the node's parent */
  readonly locals: GPUBuffer;
  /** instances x 3 rows x boneCount x 4 floats, rest to posed: the input of GpuDeformer.encode */
  readonly palettes: GPUBuffer;
  /** Uploads the time, in seconds, and the clip of each instance (default: the first clip). */
  writeTimes(seconds: ArrayLike<number>, clips?: ArrayLike<number>): void;
  /** Records sampling and palettes into a compute pass. */
  encode(pass: GPUComputePassEncoder, instances?: number): void;
  /** Records palettes only, from locals written by the caller. */
  encodePalettes(pass: GPUComputePassEncoder, instances?: number): void;
  /** Frees the GPU buffers. */
  destroy(): void;
}

interface Step {
  pipeline: GPUComputePipeline;
  bindings: GPUBindGroup;
  x: number;
}

const SAMPLE_STORAGE = 'rrrrrw';
const PALETTE_STORAGE = 'rrrrw';
const NODE_BYTES = 48;
const BONE_BYTES = 48;
const TIME_BYTES = 8;

/**
 * Makes a player of a rig's clips on the GPU. It computes bone palettes from a time per instance; the CPU only writes the times.
 * @example
 * ```ts
 * import { createGpuDeformer, createGpuPlayer, requestGpuDevice } from 'ossify/gpu';
 *
 * const device = await requestGpuDevice();
 * const { rig, mesh, nodes, animations } = asset;
 * if (!rig) throw new Error('the file has no skeleton');
 * const player = await createGpuPlayer(device, { nodes, animations, ...rig }, { instances: 2 });
 * const onGpu = await createGpuDeformer(device, { kind: 'skin', mesh, ...rig }, { instances: 2 });
 * player.writeTimes([0.5, 1.25], [0, 1]); // seconds, clips
 * const encoder = device.createCommandEncoder();
 * const pass = encoder.beginComputePass();
 * player.encode(pass);
 * onGpu.encode(pass, player.palettes);
 * pass.end();
 * device.queue.submit([encoder.finish()]);
 * ```
 */
export async function createGpuPlayer(
  device: GPUDevice,
  rig: PlayedRig,
  options: GpuPlayerOptions = {},
): Promise<GpuPlayer> {
  const { instances, loop: isLooped } = { ...GPU_PLAYER_DEFAULTS, ...dropUndefined(options) };
  if (!(Number.isInteger(instances) && instances >= 1))
    throw new InputError('gpu player', `instances must be a whole number from 1 on, got ${instances}`);
  const pack = packAnimation(rig);
  const remedy = 'play fewer instances';
  checkBufferSize(device, `poses of ${instances} instances`, instances * pack.nodeCount * NODE_BYTES, remedy);
  checkBufferSize(device, `palettes of ${instances} instances`, instances * pack.boneCount * BONE_BYTES, remedy);
  const [sample, palette] = await Promise.all([
    makePipeline(device, 'sample poses', SAMPLE_POSES_SOURCE, SAMPLE_STORAGE),
    makePipeline(device, 'joint palettes', JOINT_PALETTES_SOURCE, PALETTE_STORAGE),
  ]);
  return new Player(device, pack, { sample, palette }, { instances, isLooped });
}

class Player implements GpuPlayer {
  readonly instances: number;
  readonly nodeCount: number;
  readonly boneCount: number;
  readonly times: GPUBuffer;
  readonly locals: GPUBuffer;
  readonly palettes: GPUBuffer;
  readonly #device: GPUDevice;
  readonly #watch: DeviceWatch;
  readonly #pipelines: { sample: GPUComputePipeline; palette: GPUComputePipeline };
  readonly #clipCount: number;
  readonly #isLooped: boolean;
  readonly #owned: GPUBuffer[] = [];
  /** Durations, tracks, keys, and the rest pose. */
  readonly #clips: readonly GPUBuffer[];
  /** Parents of nodes, nodes of bones, and inverse bind matrices. */
  readonly #bones: readonly GPUBuffer[];
  /** By number of instances. */
  readonly #known = new Map<number, { sample: Step[]; palette: Step[] }>();

  constructor(
    device: GPUDevice,
    pack: ReturnType<typeof packAnimation>,
    pipelines: { sample: GPUComputePipeline; palette: GPUComputePipeline },
    { instances, isLooped }: { instances: number; isLooped: boolean },
  ) {
    const { nodeCount, boneCount } = pack;
    this.instances = instances;
    this.nodeCount = nodeCount;
    this.boneCount = boneCount;
    this.#device = device;
    this.#watch = new DeviceWatch(device, 'gpu player');
    this.#pipelines = pipelines;
    this.#clipCount = pack.clipCount;
    this.#isLooped = isLooped;
    this.#clips = [
      this.#upload('durations', pack.durations),
      this.#upload('tracks', pack.tracks),
      this.#upload('keys', pack.keys),
      this.#upload('rest', pack.rest),
    ];
    this.#bones = [
      this.#upload('parents', pack.parents),
      this.#upload('nodes', pack.nodeOfBone),
      this.#upload('binds', pack.inverseBinds),
    ];
    this.times = this.#make('times', instances * TIME_BYTES);
    this.locals = this.#make('locals', instances * nodeCount * NODE_BYTES);
    this.palettes = this.#make('palettes', instances * boneCount * BONE_BYTES);
  }

  writeTimes(seconds: ArrayLike<number>, clips?: ArrayLike<number>): void {
    this.#watch.check('writeTimes');
    if (seconds.length > this.instances)
      throw new InputError('gpu player', `${seconds.length} times for ${this.instances} instances`);
    this.#device.queue.writeBuffer(this.times, 0, packTimes(seconds, clips, this.#clipCount));
  }

  encode(pass: GPUComputePassEncoder, count = this.instances): void {
    this.#record(pass, count, true);
  }

  encodePalettes(pass: GPUComputePassEncoder, count = this.instances): void {
    this.#record(pass, count, false);
  }

  destroy(): void {
    if (!this.#watch.destroy()) return;
    for (const buffer of this.#owned) buffer.destroy();
    this.#known.clear();
  }

  #record(pass: GPUComputePassEncoder, count: number, withSampling: boolean): void {
    this.#watch.check('encode');
    if (!(Number.isInteger(count) && count >= 0 && count <= this.instances))
      throw new InputError('gpu player', `encode takes 0 to ${this.instances} instances, got ${count}`);
    if (count === 0) return;
    const { sample, palette } = this.#stepsFor(count);
    for (const { pipeline, bindings, x } of withSampling ? [...sample, ...palette] : palette) {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, bindings);
      pass.dispatchWorkgroups(x);
    }
  }

  #stepsFor(count: number): { sample: Step[]; palette: Step[] } {
    const known = this.#known.get(count);
    if (known) return known;
    const steps = { sample: this.#makeSampleSteps(count), palette: this.#makePaletteSteps(count) };
    this.#known.set(count, steps);
    return steps;
  }

  #makeSampleSteps(count: number): Step[] {
    const { nodeCount } = this;
    const arrays = [{ buffer: this.times, stride: TIME_BYTES }, this.#localArray];
    return planParts(this.#device, count, nodeCount, arrays).map(({ instanceCount, shifts, bound, x }) => {
      const flag = this.#isLooped ? 1 : 0;
      const words = [nodeCount, this.#clipCount, instanceCount, flag, shifts[0] / 8, shifts[1] / 16];
      const resources = [...this.#clips.map((buffer) => ({ buffer })), ...bound];
      return { pipeline: this.#pipelines.sample, bindings: this.#bind(SAMPLE_STORAGE, words, resources), x };
    });
  }

  #makePaletteSteps(count: number): Step[] {
    const { nodeCount, boneCount } = this;
    const arrays = [this.#localArray, { buffer: this.palettes, stride: boneCount * BONE_BYTES }];
    return planParts(this.#device, count, boneCount, arrays).map(({ instanceCount, shifts, bound, x }) => {
      const words = [nodeCount, boneCount, instanceCount, shifts[0] / 16, shifts[1] / 16];
      const resources = [...this.#bones.map((buffer) => ({ buffer })), ...bound];
      return { pipeline: this.#pipelines.palette, bindings: this.#bind(PALETTE_STORAGE, words, resources), x };
    });
  }

  get #localArray(): { buffer: GPUBuffer; stride: number } {
    return { buffer: this.locals, stride: this.nodeCount * NODE_BYTES };
  }

  #bind(storage: string, words: number[], resources: GPUBindingResource[]): GPUBindGroup {
    const device = this.#device;
    const params = this.#own(makeDataBuffer(device, 'params', Uint32Array.from(words), BUFFER_USAGE.UNIFORM));
    const entries = [{ buffer: params }, ...resources].map((resource, binding) => ({ binding, resource }));
    return device.createBindGroup({ layout: makeBindLayout(device, storage), entries });
  }

  #upload(what: string, data: Uint32Array | Float32Array): GPUBuffer {
    const words = new Uint32Array(data.buffer);
    return this.#own(makeDataBuffer(this.#device, `player ${what}`, words, BUFFER_USAGE.STORAGE));
  }

  #make(what: string, size: number): GPUBuffer {
    const usage = BUFFER_USAGE.STORAGE | BUFFER_USAGE.COPY_SRC | BUFFER_USAGE.COPY_DST;
    return this.#own(this.#device.createBuffer({ label: `player ${what}`, size: Math.max(16, size), usage }));
  }

  #own(buffer: GPUBuffer): GPUBuffer {
    this.#owned.push(buffer);
    return buffer;
  }
}

/** Plans dispatches over instances with `width` threads each, and the range of each buffer to bind. */
function planParts(device: GPUDevice, count: number, width: number, buffers: { buffer: GPUBuffer; stride: number }[]) {
  const { maxStorageBufferBindingSize, maxComputeWorkgroupsPerDimension: most } = device.limits;
  const limits = { maxBinding: maxStorageBufferBindingSize, maxGroups: Math.max(1, Math.floor((most * 64) / width)) };
  const arrays = buffers.map(({ stride }) => ({ offset: 0, stride }));
  return planDispatches(count, 1, arrays, 1, limits).map(({ instanceCount, ranges }) => ({
    instanceCount,
    shifts: ranges.map((range) => range.shift),
    bound: ranges.map(({ offset, size }, n) => ({ buffer: buffers[n].buffer, offset, size })),
    x: Math.ceil((instanceCount * width) / 64),
  }));
}

/** The time and the clip of each instance. */
function packTimes(
  seconds: ArrayLike<number>,
  clips: ArrayLike<number> | undefined,
  clipCount: number,
): Float32Array<ArrayBuffer> {
  const pairs = new Float32Array(2 * seconds.length);
  for (let k = 0; k < seconds.length; k++) {
    const clip = clips ? clips[k] : 0;
    if (!(clip >= 0 && clip < clipCount))
      throw new InputError('gpu player', `instance ${k} plays clip ${clip} of ${clipCount}`);
    pairs[2 * k] = seconds[k];
    pairs[2 * k + 1] = clip;
  }
  return pairs;
}
