// SPDX-License-Identifier: MIT

import type { CorrectedSkin } from '../../core/model/deformed/deformed-model.ts';
import type { Pose } from '../../core/model/deformed/deformer.ts';
import { checkSkinCorrection, coefficientCountOf } from '../../core/model/deformed/skin-correction.ts';
import { InputError } from '../../core/model/errors.ts';
import { checkSkin } from '../../core/model/skin/skin.ts';
import type { GpuDeformer, GpuForkOptions } from './create-gpu-deformer.ts';
import { forkOptions, type MergedOptions } from './deformer-runner.ts';
import { BUFFER_USAGE, checkBufferSize, DeviceWatch, makeDataBuffer, readBuffer, SharedBuffers } from './gpu-device.ts';
import { restNormalsOf } from './gpu-model.ts';
import { compiled, makeBindLayout, makePipeline } from './make-pipeline.ts';
import { planDispatches } from './plan-dispatches.ts';
import { CORRECTED_SOURCE, CORRECTED_THREADS } from './shaders/corrected.wgsl.ts';
import { writePalettesInto } from './write-palettes.ts';

const BONE_BYTES = 48;
const STORAGE = 'rrrrrww';

/** A dispatch with its bindings. */
interface Step {
  bindings: GPUBindGroup;
  x: number;
  y: number;
}

/** A corrected skin on one device: components are added to the rest shape, then bones are blended, in one pass. */
export class CorrectedRunner implements GpuDeformer {
  readonly vertexCount: number;
  readonly boneCount: number;
  readonly instances: number;
  readonly positions: GPUBuffer;
  readonly normals: GPUBuffer | undefined;
  readonly palettes: GPUBuffer;
  readonly coefficients: GPUBuffer;
  readonly modelBytes: number;
  readonly #device: GPUDevice;
  readonly #options: MergedOptions;
  readonly #watch: DeviceWatch;
  readonly #model: CorrectedSkin;
  readonly #count: number;
  readonly #arrays: SharedBuffers;
  readonly #owned: GPUBuffer[] = [];
  readonly #unused: GPUBuffer;
  readonly #staging: Float32Array<ArrayBuffer>;
  readonly #steps = new WeakMap<GPUBuffer, Map<number, Step[]>>();
  #pipeline: GPUComputePipeline | undefined;

  /** @param of a deformer of the same model, whose buffers and pipeline are shared */
  constructor(device: GPUDevice, model: CorrectedSkin, options: MergedOptions, of?: CorrectedRunner) {
    const { correction } = model;
    const vertexCount = model.mesh.positions.length / 3;
    if (!of) checkModel(model);
    this.#device = device;
    this.#options = options;
    this.#watch = new DeviceWatch(device, 'gpu deformer');
    this.#model = model;
    this.#count = coefficientCountOf(correction);
    this.vertexCount = vertexCount;
    this.boneCount = model.skeleton.names.length;
    this.instances = options.instances;
    const outputBytes = this.instances * vertexCount * options.stride * 4;
    const remedy = 'deform fewer instances at a time';
    checkBufferSize(device, `${this.instances} instances of positions`, outputBytes, remedy);
    checkBufferSize(device, 'palettes', this.instances * this.boneCount * BONE_BYTES, remedy);
    checkOutput(options.positions, options.positionsOffset, outputBytes, options.stride, 'positions');
    checkOutput(options.normalsBuffer, options.normalsOffset, outputBytes, options.stride, 'normals');
    this.#arrays = of
      ? of.#arrays.share()
      : new SharedBuffers(
          packCorrected(model, restNormalsOf(model.mesh, options.normals)).map((array) =>
            makeDataBuffer(device, 'corrected skin', array, BUFFER_USAGE.STORAGE),
          ),
        );
    this.#pipeline = of ? of.#pipeline : undefined;
    this.modelBytes = this.#arrays.list.reduce((sum, { size }) => sum + size, 0);
    this.positions = options.positions ?? this.#make('positions', outputBytes, options.usage);
    this.normals = options.normals
      ? (options.normalsBuffer ?? this.#make('normals', outputBytes, options.usage))
      : undefined;
    this.palettes = this.#make('palettes', this.instances * this.boneCount * BONE_BYTES, BUFFER_USAGE.COPY_DST);
    this.coefficients = this.#make(
      'coefficients',
      Math.max(16, this.instances * this.#count * 4),
      BUFFER_USAGE.COPY_DST,
    );
    this.#unused = this.#make('unused', 16, 0);
    this.#staging = new Float32Array(this.boneCount * 12);
  }

  async compile(): Promise<void> {
    const { stride, normals } = this.#options;
    const byCofactors = this.#model.correction.normals?.rule !== 'blend';
    this.#pipeline = await makePipeline(this.#device, 'corrected skin', CORRECTED_SOURCE, STORAGE, {
      ...{ stride, withNormals: normals ? 1 : 0, byCofactors: byCofactors ? 1 : 0 },
    });
  }

  writePoses(poses: readonly Pose[]): void {
    this.#watch.check('writePoses');
    if (poses.length > this.instances)
      throw new InputError('gpu deformer', `${poses.length} poses for ${this.instances} instances`);
    const values = new Float32Array(poses.length * this.#count);
    poses.forEach(({ bones, corrections }, k) => {
      if (bones.length !== this.boneCount * 16)
        throw new InputError('gpu deformer', `pose ${k} has ${bones.length / 16} bones, expected ${this.boneCount}`);
      if (corrections && corrections.length !== this.#count)
        throw new InputError(
          'gpu deformer',
          `pose ${k} has ${corrections.length} coefficients, expected ${this.#count}`,
        );
      if (corrections) values.set(corrections, k * this.#count);
      writePalettesInto(bones, this.boneCount, this.#staging);
      this.#device.queue.writeBuffer(this.palettes, k * this.boneCount * BONE_BYTES, this.#staging);
    });
    if (values.length > 0) this.#device.queue.writeBuffer(this.coefficients, 0, values);
  }

  encode(pass: GPUComputePassEncoder, palettes: GPUBuffer = this.palettes, instances: number = this.instances): void {
    this.#watch.check('encode');
    if (!(Number.isInteger(instances) && instances >= 0 && instances <= this.instances))
      throw new InputError('gpu deformer', `encode takes 0 to ${this.instances} instances, got ${instances}`);
    if (instances === 0) return;
    const needed = instances * this.boneCount * BONE_BYTES;
    if (palettes.size < needed)
      throw new InputError(
        'gpu deformer',
        `the palette buffer has ${palettes.size} bytes, ${instances} instances need ${needed}`,
      );
    pass.setPipeline(compiled('gpu deformer', this.#pipeline));
    for (const { bindings, x, y } of this.#stepsFor(palettes, instances)) {
      pass.setBindGroup(0, bindings);
      pass.dispatchWorkgroups(x, y);
    }
  }

  async readback(instances: number = this.instances) {
    this.#watch.check('readback');
    const { stride, positionsOffset, normalsOffset } = this.#options;
    const size = instances * this.vertexCount * stride * 4;
    const read = async (buffer: GPUBuffer, offset: number) =>
      new Float32Array(await readBuffer(this.#device, buffer, offset, size));
    const positions = await read(this.positions, positionsOffset);
    return { positions, normals: this.normals ? await read(this.normals, normalsOffset) : undefined };
  }

  fork(options: GpuForkOptions = {}): CorrectedRunner {
    this.#watch.check('fork');
    const own = forkOptions(this.#options, options);
    return new CorrectedRunner(this.#device, this.#model, own, this);
  }

  destroy(): void {
    if (!this.#watch.destroy()) return;
    this.#arrays.release();
    for (const buffer of this.#owned) buffer.destroy();
  }

  /** Cached by palette buffer and number of instances. */
  #stepsFor(palettes: GPUBuffer, instances: number): Step[] {
    const known = this.#steps.get(palettes) ?? new Map<number, Step[]>();
    this.#steps.set(palettes, known);
    const steps = known.get(instances) ?? this.#makeSteps(palettes, instances);
    known.set(instances, steps);
    return steps;
  }

  #makeSteps(palettes: GPUBuffer, instances: number): Step[] {
    const { stride, positionsOffset, normalsOffset } = this.#options;
    const outputStride = this.vertexCount * stride * 4;
    const arrays = [
      { buffer: palettes, offset: 0, stride: this.boneCount * BONE_BYTES },
      { buffer: this.positions, offset: positionsOffset, stride: outputStride },
      ...(this.normals ? [{ buffer: this.normals, offset: normalsOffset, stride: outputStride }] : []),
      ...(this.#count > 0 ? [{ buffer: this.coefficients, offset: 0, stride: this.#count * 4 }] : []),
    ];
    const { maxStorageBufferBindingSize, maxComputeWorkgroupsPerDimension } = this.#device.limits;
    const limits = { maxBinding: maxStorageBufferBindingSize, maxGroups: maxComputeWorkgroupsPerDimension };
    const windows = Math.ceil(this.vertexCount / CORRECTED_THREADS);
    return planDispatches(instances, windows, arrays, 1, limits).map((plan) => {
      const bound = (buffer: GPUBuffer | undefined, unit: number, from: number, other = this.#unused) => {
        const n = buffer ? arrays.findIndex((array, a) => a >= from && array.buffer === buffer) : -1;
        if (n < 0) return { resource: { buffer: other }, shift: 0 };
        const { offset, size, shift } = plan.ranges[n];
        return { resource: { buffer: arrays[n].buffer, offset, size }, shift: shift / unit };
      };
      const bones = bound(palettes, 16, 0);
      const positions = bound(this.positions, 4, 1);
      const normals = bound(this.normals, 4, 2);
      const values = bound(this.#count > 0 ? this.coefficients : undefined, 4, 2, this.coefficients);
      const { rank, normalRank, normals: part } = this.#model.correction;
      const words = [this.vertexCount, this.boneCount, rank, part ? normalRank || rank : 0];
      words.push(normalRank > 0 ? rank : 0, this.#count, plan.firstWindow, bones.shift);
      words.push(values.shift, positions.shift, normals.shift, 0);
      const params = makeDataBuffer(this.#device, 'params', Uint32Array.from(words), BUFFER_USAGE.UNIFORM);
      const resources: GPUBindingResource[] = [
        { buffer: params },
        ...this.#arrays.list.map((buffer) => ({ buffer })),
        ...[values, bones, positions, normals].map(({ resource }) => resource),
      ];
      const layout = makeBindLayout(this.#device, STORAGE);
      const entries = resources.map((resource, binding) => ({ binding, resource }));
      const bindings = this.#device.createBindGroup({ layout, entries });
      return { bindings, x: plan.windowCount, y: plan.instanceCount };
    });
  }

  #own(buffer: GPUBuffer): GPUBuffer {
    this.#owned.push(buffer);
    return buffer;
  }

  #make(what: string, size: number, usage: number): GPUBuffer {
    const bits = BUFFER_USAGE.STORAGE | BUFFER_USAGE.COPY_SRC | usage;
    return this.#own(this.#device.createBuffer({ label: `corrected skin ${what}`, size, usage: bits }));
  }
}

function checkModel({ mesh, skin, skeleton, correction }: CorrectedSkin): void {
  const vertexCount = mesh.positions.length / 3;
  checkSkin(skin, skeleton.names.length);
  if (skin.rowStart.length - 1 !== vertexCount)
    throw new InputError('gpu deformer', `the skin has ${skin.rowStart.length - 1} rows for ${vertexCount} vertices`);
  checkSkinCorrection(correction, vertexCount);
}

/** Rest rows, weights and components, in the layout of the kernel. */
function packCorrected({ mesh, skin, correction }: CorrectedSkin, normals: Float32Array | undefined): Uint32Array[] {
  const vertexCount = mesh.positions.length / 3;
  const rest = new Uint32Array(8 * vertexCount);
  const floats = new Float32Array(rest.buffer);
  for (let i = 0; i < vertexCount; i++) {
    for (let a = 0; a < 3; a++) {
      floats[8 * i + a] = mesh.positions[3 * i + a];
      floats[8 * i + 4 + a] = normals ? normals[3 * i + a] : 0;
    }
    rest[8 * i + 3] = skin.rowStart[i];
    rest[8 * i + 7] = skin.rowStart[i + 1] - skin.rowStart[i];
  }
  const entries = new Uint32Array(2 * skin.weights.length);
  const weights = new Float32Array(entries.buffer);
  for (let e = 0; e < skin.weights.length; e++) {
    entries[2 * e] = skin.boneIndices[e];
    weights[2 * e + 1] = skin.weights[e];
  }
  const own = normals && correction.normals ? correction.normals.basis : new Float32Array(0);
  const basis = new Float32Array(correction.basis.length + own.length);
  basis.set(correction.basis);
  basis.set(own, correction.basis.length);
  return [rest, entries, new Uint32Array(basis.buffer)];
}

function checkOutput(buffer: GPUBuffer | undefined, offset: number, size: number, stride: number, what: string): void {
  const unit = stride === 3 ? 4 : 16;
  if (!buffer) {
    if (offset !== 0) throw new InputError('gpu deformer', `an offset of ${what} needs a buffer for them`);
    return;
  }
  if (!(Number.isInteger(offset) && offset >= 0 && offset % unit === 0))
    throw new InputError('gpu deformer', `the offset of ${what} must be a multiple of ${unit} bytes, got ${offset}`);
  if (!(buffer.usage & BUFFER_USAGE.STORAGE) || buffer.size < offset + size)
    throw new InputError('gpu deformer', `the buffer for ${what} needs the usage STORAGE and ${offset + size} bytes`);
}
