// SPDX-License-Identifier: MIT
import {
  type BufferAttribute,
  type Camera,
  Group,
  type InstancedBufferGeometry,
  Matrix4,
  type Mesh,
  type Sphere,
  Vector3,
} from 'three';
import type { SkinCorrection } from '../../core/model/deformed/skin-correction.ts';
import type { SkinLight } from '../../core/model/deformed/skin-light.ts';
import { InputError } from '../../core/model/errors.ts';
import { sampleCorrectionInto } from '../../deformers/corrections/index.ts';
import { sampleLightInto } from '../../deformers/light/index.ts';
import { chooseLevels, type GpuDeformer, type GpuLight, type GpuPlayer } from '../gpu/index.ts';

const matrix = new Matrix4();
const point = new Vector3();

/** Instances of one mesh that are processed together; a binding limits their number. */
export interface Batch {
  /** First place among the instances of its level. */
  first: number;
  /** Maximum number of instances. */
  size: number;
  /** Poses the bones. */
  player: GpuPlayer;
  /** Deforms the mesh. */
  deformer: GpuDeformer;
  /** What is drawn. */
  mesh: Mesh;
  /** size x 16: the matrix of each instance */
  matrices: BufferAttribute;
  /** Corrective shapes of the mesh. */
  correction: SkinCorrection | undefined;
  /** Light on its vertices, and what evaluates it. */
  lit: { model: SkinLight; gpu: GpuLight } | undefined;
  /** Index of the level in the levels that the mesh belongs to; undefined for meshes without levels. */
  level?: { of: CrowdLevels; index: number };
}

/** The levels of detail of one mesh. */
export interface CrowdLevels {
  /** Least coverage of each level. */
  coverage: readonly number[];
  /** Maximum instances of each level. */
  capacities: readonly number[];
  /** A sphere around the full mesh at rest. */
  sphere: Sphere;
}

/**
 * Many instances of a loaded file, each at its own time of its own clip. Per frame the CPU writes one time per instance, and the GPU poses, deforms and
 * draws them. Place them with setMatrixAt, and call update before each frame, with the camera if the file has levels of detail. They are not culled and not
 * hit by rays. createDeformedCrowd makes one.
 */
export class DeformedCrowd extends Group {
  /** Number of instances. */
  readonly size: number;
  readonly #device: GPUDevice;
  readonly #batches: readonly Batch[];
  readonly #durations: readonly number[];
  readonly #loops: boolean;
  /** size x 16 */
  readonly #matrices: Float32Array;

  constructor(
    device: GPUDevice,
    batches: readonly Batch[],
    durations: number[],
    options: { count: number; loop: boolean },
  ) {
    super();
    this.size = options.count;
    this.#device = device;
    this.#batches = batches;
    this.#durations = durations;
    this.#loops = options.loop;
    this.#matrices = makeIdentities(options.count);
    for (const { mesh } of batches) this.add(mesh);
  }

  /** Sets the matrix of an instance, in the space of the crowd. */
  setMatrixAt(index: number, matrix: Matrix4): void {
    matrix.toArray(this.#matrices as never, 16 * index);
    for (const { first, size, matrices, level } of this.#batches) {
      if (level || index < first || index >= first + size) continue;
      matrix.toArray(matrices.array as never, 16 * (index - first));
      matrices.needsUpdate = true;
    }
  }

  /**
   * Poses and deforms all instances.
   * @param seconds size: the time of each instance in its clip
   * @param clips size: the clip of each instance, an index into the animations of the file; default: the first
   * @param camera chooses levels of detail; without it, the instances that come first get the finest levels
   */
  update(seconds: ArrayLike<number>, clips?: ArrayLike<number>, camera?: Camera): void {
    if (seconds.length !== this.size) throw new InputError('crowd', `${seconds.length} times for ${this.size} of them`);
    const encoder = this.#device.createCommandEncoder({ label: 'crowd' });
    const pass = encoder.beginComputePass();
    const chosen = new Map<CrowdLevels, Uint32Array[]>();
    for (const batch of this.#batches) {
      const { first, size, player, deformer, correction, lit, level } = batch;
      const lists = level && (chosen.get(level.of) ?? this.#choose(level.of, camera));
      if (level && lists) chosen.set(level.of, lists);
      const own = level && lists?.[level.index].subarray(first, first + size);
      const count = own ? own.length : size;
      const instanceAt = (k: number): number => (own ? own[k] : first + k);
      if (own) this.#placeBatch(batch, own);
      if (count === 0) continue;
      const times = Float32Array.from({ length: count }, (_, k) => seconds[instanceAt(k)]);
      const which = Uint32Array.from({ length: count }, (_, k) => (clips ? clips[instanceAt(k)] : 0));
      player.writeTimes(times, which);
      if (correction) this.#writeCoefficients(deformer, correction, times, which);
      player.encode(pass, count);
      deformer.encode(pass, player.palettes, count);
      if (lit) {
        this.#writeLight(lit, times, which);
        lit.gpu.encode(pass, count);
      }
    }
    pass.end();
    this.#device.queue.submit([encoder.finish()]);
  }

  /** The instances of each level. */
  #choose({ coverage, capacities, sphere }: CrowdLevels, camera: Camera | undefined): Uint32Array[] {
    const count = this.size;
    if (!camera) {
      let first = 0;
      return capacities.map((capacity) => {
        const own = Uint32Array.from({ length: Math.min(capacity, count - first) }, (_, k) => first + k);
        first += own.length;
        return own;
      });
    }
    this.updateWorldMatrix(true, false);
    const centers = new Float32Array(3 * count);
    const radius = new Float32Array(count);
    for (let k = 0; k < count; k++) {
      matrix.fromArray(this.#matrices, 16 * k).premultiply(this.matrixWorld);
      point
        .copy(sphere.center)
        .applyMatrix4(matrix)
        .toArray(centers as never, 3 * k);
      radius[k] = sphere.radius * matrix.getMaxScaleOnAxis();
    }
    camera.updateMatrixWorld();
    const view = camera.matrixWorldInverse.elements;
    const projection = camera.projectionMatrix.elements;
    return chooseLevels({ centers, radius, view, projection }, coverage, capacities).lists;
  }

  /** Draws some of the instances with a batch. */
  #placeBatch({ mesh, matrices }: Batch, instances: Uint32Array): void {
    mesh.visible = instances.length > 0;
    (mesh.geometry as InstancedBufferGeometry).instanceCount = instances.length;
    instances.forEach((instance, k) => {
      matrices.array.set(this.#matrices.subarray(16 * instance, 16 * instance + 16), 16 * k);
    });
    matrices.needsUpdate = true;
  }

  /** Frees its GPU memory. The model, which it shares with the meshes of the file, is freed with the last of them. */
  override dispose(): void {
    super.dispose?.();
    for (const mesh of this.children as Mesh[]) {
      mesh.geometry.dispose();
      for (const material of [mesh.material].flat()) material.dispose();
    }
    for (const { player, deformer, lit } of this.#batches) {
      player.destroy();
      deformer.destroy();
      lit?.gpu.destroy();
    }
  }

  #writeCoefficients(
    deformer: GpuDeformer,
    { rank, normalRank, tracks }: SkinCorrection,
    times: Float32Array,
    clips: Uint32Array,
  ): void {
    const width = rank + normalRank;
    const values = new Float32Array(times.length * width);
    for (let k = 0; k < times.length; k++) {
      const time = this.#timeOf(times[k], clips[k]);
      if (tracks[clips[k]]) sampleCorrectionInto(tracks[clips[k]], time, values, k * width);
    }
    if (deformer.coefficients) this.#device.queue.writeBuffer(deformer.coefficients, 0, values);
  }

  #writeLight({ model, gpu }: NonNullable<Batch['lit']>, times: Float32Array, clips: Uint32Array): void {
    const values = new Float32Array(times.length * model.rank);
    for (let k = 0; k < times.length; k++)
      sampleLightInto(model, model.tracks[clips[k]], this.#timeOf(times[k], clips[k]), values, k * model.rank);
    gpu.writeCoefficients(values);
  }

  /** A time within its clip. */
  #timeOf(time: number, clip: number): number {
    const duration = this.#durations[clip] ?? 0;
    return this.#loops && duration > 0 ? time - duration * Math.floor(time / duration) : time;
  }
}

/** count x 16 */
export function makeIdentities(count: number): Float32Array {
  return Float32Array.from({ length: 16 * count }, (_, c) => ((c % 16) % 5 === 0 ? 1 : 0));
}
