// SPDX-License-Identifier: MIT

import { Box3, InstancedBufferGeometry, type Material, Mesh, type Object3D, Sphere } from 'three';
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
import { InputError } from '../../core/model/errors.ts';
import { quoteName } from '../../core/model/plain-text.ts';
import { createGpuPlayer, type GpuDeformer, type GpuLight } from '../gpu/index.ts';
import { type Batch, type CrowdLevels, DeformedCrowd, makeIdentities } from './deformed-crowd.ts';
import { DeformedMesh } from './deformed-mesh.ts';
import { LevelOfDetail } from './level-of-detail.ts';
import { listCapacities } from './list-capacities.ts';
import { makePlayedRig } from './load/make-played-rig.ts';
import { bindAttribute } from './renderer-device.ts';

/** Options of createDeformedCrowd. */
export interface DeformedCrowdOptions {
  /** Number of instances. */
  count: number;
  /** Whether clips repeat; otherwise the last key is held. Default true. */
  loop?: boolean;
  /**
   * Maximum instances of each level of detail, of files that have levels; memory is reserved for them. The last level holds all. Default: 256 of the full
   * mesh, four times as many of each further level.
   */
  capacities?: readonly number[];
}

/** Floats per position in the buffers that are drawn. */
const STRIDE = 3;

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
  const { maxBufferSize, maxStorageBufferBindingSize } = device.limits;
  const batches: Batch[] = [];
  const levelsOf = new Map<LevelOfDetail, CrowdLevels>();
  for (const source of found) {
    const { shape, skeleton } = source;
    const { model } = shape;
    const stride = shape.light ? Math.max(STRIDE, 4) : STRIDE;
    const level = findLevel(source, levelsOf, count, options.capacities);
    const most = Math.max(
      1,
      Math.floor(
        Math.min(maxBufferSize, maxStorageBufferBindingSize) / ((model.mesh.positions.length / 3) * stride * 4),
      ),
    );
    const all = level ? level.of.capacities[level.index] : count;
    const frame = source.findFrame();
    if (!frame) throw new InputError('crowd', `${quoteName(source.name)} has no bones`);
    const rig = makePlayedRig(frame, skeleton.bones, source.inverseBinds, gltf.animations);
    const correction = model.kind === 'corrected-skin' ? model.correction : undefined;
    const whole = await shape.create(Math.min(most, all));
    for (let first = 0; first < all; first += most) {
      const size = Math.min(most, all - first);
      const player = await createGpuPlayer(device, rig, { instances: size, loop });
      const { deformer, light } = first === 0 ? whole : shape.fork(whole, size);
      const lit = shape.light && light && { model: shape.light, gpu: light };
      const matrices = makeStorage(makeIdentities(size));
      const mesh = makeBatchMesh(source, size, deformer, matrices, light);
      batches.push({ first, size, player, deformer, mesh, matrices, correction, lit, level });
    }
  }
  const durations = gltf.animations.map(({ duration }) => duration);
  return new DeformedCrowd(device, batches, durations, { count, loop });
}

/** The level that a mesh belongs to; undefined if it has none. */
function findLevel(
  mesh: DeformedMesh,
  levelsOf: Map<LevelOfDetail, CrowdLevels>,
  count: number,
  capacities?: readonly number[],
): Batch['level'] {
  let object: Object3D = mesh;
  while (object.parent && !(object.parent instanceof LevelOfDetail)) object = object.parent;
  const group = object.parent;
  if (!(group instanceof LevelOfDetail)) return undefined;
  const index = group.levels.findIndex((level) => level.object === object);
  let of = levelsOf.get(group);
  if (!of) {
    const sphere = new Box3().setFromObject(group.levels[0].object).getBoundingSphere(new Sphere());
    of = {
      coverage: group.coverage,
      capacities: listCapacities(group.levels.length, count, capacities),
      sphere,
    };
    levelsOf.set(group, of);
  }
  return { of, index };
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
  const readColor = (from: NonNullable<typeof colors>) => {
    const at = instanceIndex.mul(uint(vertexCount)).add(vertexIndex).mul(uint(width)).toVar();
    const take = (c: number) => from.element(at.add(uint(c)));
    return vec4(take(0), take(1), take(2), width === 4 ? take(3) : 1);
  };
  // with a texture, the colour of the material has four numbers; its type says three
  const colorNode = colors && vec4(materialColor as never).mul(varying(Fn(() => readColor(colors))()));
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
