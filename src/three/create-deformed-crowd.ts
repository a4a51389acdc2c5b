// SPDX-License-Identifier: MIT

import { type BufferAttribute, Group, InstancedBufferGeometry, type Material, type Matrix4, Mesh } from 'three';
import type { GLTF } from 'three/addons/loaders/GLTFLoader.js';
import {
  attributeArray,
  Fn,
  instanceIndex,
  materialColor,
  normalLocal,
  storage,
  transformNormal,
  uint,
  varying,
  vec3,
  vec4,
  vertexIndex,
} from 'three/tsl';
import { sampleCorrectionInto } from '../deform/sample-correction.ts';
import { sampleLightInto } from '../deform/sample-light.ts';
import type { GpuDeformer } from '../gpu/create-gpu-deformer.ts';
import type { GpuLight } from '../gpu/create-gpu-light.ts';
import { createGpuPlayer, type GpuPlayer } from '../gpu/create-gpu-player.ts';
import { InputError } from '../model/errors.ts';
import type { SkinCorrection } from '../model/skin-correction.ts';
import type { SkinLight } from '../model/skin-light.ts';
import { DeformedMesh } from './deformed-mesh.ts';
import { makePlayedRig } from './make-played-rig.ts';
import { bindAttribute } from './renderer-device.ts';

/** Options of createDeformedCrowd. */
export interface DeformedCrowdOptions {
  /** Number of instances. */
  count: number;
  /** Whether clips repeat; otherwise the last key is held. Default true. */
  loop?: boolean;
}

/** Floats per position in the buffers that are drawn. */
const STRIDE = 3;

/** Instances of one mesh that are processed together; a binding limits their number. */
export interface Batch {
  /** First instance. */
  first: number;
  /** Number of instances. */
  size: number;
  /** Poses the bones. */
  player: GpuPlayer;
  /** Deforms the mesh. */
  deformer: GpuDeformer;
  /** size x 16: the matrix of each instance */
  matrices: BufferAttribute;
  /** Corrective shapes of the mesh. */
  correction: SkinCorrection | undefined;
  /** Light on its vertices, and what evaluates it. */
  lit: { model: SkinLight; gpu: GpuLight } | undefined;
}

/**
 * Many instances of a loaded file, each at its own time of its own clip. Per frame the CPU writes one time per instance, and the GPU poses, deforms and
 * draws them. Place them with setMatrixAt, and call update before each frame. They are not culled and not hit by rays. createDeformedCrowd makes one.
 */
export class DeformedCrowd extends Group {
  /** Number of instances. */
  readonly size: number;
  readonly #device: GPUDevice;
  readonly #batches: readonly Batch[];
  readonly #durations: readonly number[];
  readonly #loops: boolean;

  constructor(
    device: GPUDevice,
    batches: readonly Batch[],
    meshes: Mesh[],
    durations: number[],
    options: Required<DeformedCrowdOptions>,
  ) {
    super();
    this.size = options.count;
    this.#device = device;
    this.#batches = batches;
    this.#durations = durations;
    this.#loops = options.loop;
    if (meshes.length > 0) this.add(...meshes);
  }

  /** Sets the matrix of an instance, in the space of the crowd. */
  setMatrixAt(index: number, matrix: Matrix4): void {
    for (const { first, size, matrices } of this.#batches) {
      if (index < first || index >= first + size) continue;
      matrix.toArray(matrices.array as never, 16 * (index - first));
      matrices.needsUpdate = true;
    }
  }

  /**
   * Poses and deforms all instances.
   * @param seconds size: the time of each instance in its clip
   * @param clips size: the clip of each instance, an index into the animations of the file; default: the first
   */
  update(seconds: ArrayLike<number>, clips?: ArrayLike<number>): void {
    if (seconds.length !== this.size) throw new InputError('crowd', `${seconds.length} times for ${this.size} of them`);
    const encoder = this.#device.createCommandEncoder({ label: 'crowd' });
    const pass = encoder.beginComputePass();
    for (const { first, size, player, deformer, correction, lit } of this.#batches) {
      const times = Float32Array.from({ length: size }, (_, k) => seconds[first + k]);
      const which = Uint32Array.from({ length: size }, (_, k) => (clips ? clips[first + k] : 0));
      player.writeTimes(times, which);
      if (correction) this.#writeCoefficients(deformer, correction, times, which);
      player.encode(pass);
      deformer.encode(pass, player.palettes);
      if (lit) {
        this.#writeLight(lit, times, which);
        lit.gpu.encode(pass);
      }
    }
    pass.end();
    this.#device.queue.submit([encoder.finish()]);
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
    this.#device.queue.writeBuffer(deformer.coefficients!, 0, values);
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

/**
 * Makes a crowd from the deformed meshes of a file that was loaded with ossifyPlugin. The scene of the file is not changed and need not be drawn.
 * Pass `all: true` to the plugin for crowds of plain skins.
 * @example
 * ```ts
 * import { Matrix4 } from 'three';
 * import { createDeformedCrowd } from 'ossify/three';
 *
 * const crowd = await createDeformedCrowd(gltf, { count: 100 });
 * for (let k = 0; k < 100; k++) crowd.setMatrixAt(k, new Matrix4().makeTranslation(k % 10, 0, Math.floor(k / 10)));
 * scene.add(crowd);
 * renderer.setAnimationLoop((time) => {
 *   crowd.update(Float32Array.from({ length: 100 }, (_, k) => time / 1000 + 0.1 * k));
 *   renderer.render(scene, camera);
 * });
 * ```
 */
export async function createDeformedCrowd(gltf: GLTF, options: DeformedCrowdOptions): Promise<DeformedCrowd> {
  const { count, loop = true } = options;
  if (!(Number.isInteger(count) && count >= 1))
    throw new InputError('crowd', `count must be a whole number from 1 on, got ${count}`);
  const found: DeformedMesh[] = [];
  gltf.scene.traverse((object) => {
    if (object instanceof DeformedMesh) found.push(object);
  });
  if (found.length === 0)
    throw new InputError(
      'crowd',
      'the file has no deformed mesh; load it with ossifyPlugin(renderer, { all: true }) and a renderer on WebGPU',
    );
  const { device } = found[0].shape;
  const batches: Batch[] = [];
  const meshes: Mesh[] = [];
  for (const source of found) {
    const { shape, skeleton } = source;
    const { model } = shape;
    const { maxBufferSize, maxStorageBufferBindingSize } = device.limits;
    const stride = shape.light ? Math.max(STRIDE, 4) : STRIDE;
    const bytes = (model.mesh.positions.length / 3) * stride * 4;
    const most = Math.max(1, Math.floor(Math.min(maxBufferSize, maxStorageBufferBindingSize) / bytes));
    const rig = makePlayedRig(source.findFrame()!, skeleton.bones, source.inverseBinds, gltf.animations);
    const correction = model.kind === 'corrected-skin' ? model.correction : undefined;
    const whole = await shape.create(Math.min(most, count));
    for (let first = 0; first < count; first += most) {
      const size = Math.min(most, count - first);
      const player = await createGpuPlayer(device, rig, { instances: size, loop });
      const { deformer, light } = first === 0 ? whole : shape.fork(whole, size);
      const lit = shape.light && light && { model: shape.light, gpu: light };
      const matrices = makeStorage(Float32Array.from({ length: 16 * size }, (_, c) => ((c % 16) % 5 === 0 ? 1 : 0)));
      batches.push({ first, size, player, deformer, matrices, correction, lit });
      meshes.push(makeBatchMesh(source, size, deformer, matrices, light));
    }
  }
  return new DeformedCrowd(
    device,
    batches,
    meshes,
    gltf.animations.map(({ duration }) => duration),
    { count, loop },
  );
}

/** An attribute that shaders read as storage. Its class is in three/webgpu, which is not loaded on pages with WebGL. */
function makeStorage(array: Float32Array): Storage {
  return attributeArray(array, 'float').value;
}

type Storage = ReturnType<typeof attributeArray>['value'];

function makeBatchMesh(
  source: DeformedMesh,
  size: number,
  deformer: GpuDeformer,
  matrices: Storage,
  light: GpuLight | undefined,
): Mesh {
  const { renderer, model } = source.shape;
  const geometry = new InstancedBufferGeometry().copy(source.shape.makeGeometry() as InstancedBufferGeometry);
  geometry.instanceCount = size;
  // placeholder for the deformer's buffer, which is larger: the array is never uploaded
  const bindBuffer = (buffer: GPUBuffer): Storage => {
    const attribute = makeStorage(new Float32Array(4));
    bindAttribute(renderer, attribute, buffer);
    return attribute;
  };
  const positions = storage(bindBuffer(deformer.positions), 'float', size).toReadOnly();
  const normals = deformer.normals && storage(bindBuffer(deformer.normals), 'float', size).toReadOnly();
  const places = storage(matrices, 'mat4', size).toReadOnly();
  const vertexCount = model.mesh.positions.length / 3;
  const positionNode = Fn(() => {
    const at = instanceIndex.mul(uint(vertexCount)).add(vertexIndex).mul(uint(STRIDE)).toVar();
    const place = places.element(instanceIndex).toVar();
    const take = (from: typeof positions) =>
      vec3(from.element(at), from.element(at.add(uint(1))), from.element(at.add(uint(2))));
    if (normals) normalLocal.assign(transformNormal(take(normals), place));
    return place.mul(vec4(take(positions), 1)).xyz;
  })();
  const colors = light && storage(bindBuffer(light.colors), 'float', size).toReadOnly();
  const width = geometry.getAttribute('color')?.itemSize ?? 3;
  // the attribute has the mean light
  if (light) geometry.deleteAttribute('color');
  const vertexColor = () => {
    const at = instanceIndex.mul(uint(vertexCount)).add(vertexIndex).mul(uint(width)).toVar();
    const take = (c: number) => colors!.element(at.add(uint(c)));
    return vec4(take(0), take(1), take(2), width === 4 ? take(3) : 1);
  };
  // with a texture, the colour of the material has four numbers; its type says three
  const colorNode = colors && vec4(materialColor as never).mul(varying(Fn(vertexColor)()));
  const dress = (material: Material): Material =>
    Object.assign(material.clone(), { positionNode, ...(colorNode ? { colorNode } : {}) });
  const material = Array.isArray(source.material) ? source.material.map(dress) : dress(source.material);
  const mesh = new Mesh(geometry, material);
  mesh.name = source.name;
  mesh.castShadow = source.castShadow;
  mesh.receiveShadow = source.receiveShadow;
  mesh.frustumCulled = false;
  mesh.raycast = () => undefined;
  return mesh;
}
